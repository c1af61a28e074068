public import CampaignCore
public import FoundationEssentials
public import Storage

extension SubscriberHistory {
    /// Everything that the campaigns of `set` read of the subscriber; nil while no fact makes it a subscription.
    ///
    /// - Parameters:
    ///   - token: what the request names; nil for the one that is known.
    ///   - zone: the rules of an IANA time zone.
    public func campaignFacts(
        for set: CampaignSet, appAccountToken token: UUID?, zone: (String) -> TimeZoneRules?, _ store: Store
    ) throws(StorageError) -> CampaignFacts? {
        guard let folded = subscription.subscription else { return nil }
        var facts = CampaignFacts(environment: subscription.environment, subscription: folded)
        facts.subscriptions = subscriptions
        facts.transactions = transactions
        if let token { facts.appAccountToken = token }
        facts.zone = try store.timeZone(of: subscription.id).flatMap(zone)
        facts.arms = try store.campaignArms(of: subscription.id)
        facts.given = try store.givenOffers(to: subscription.id)
        for campaign in set.campaigns where campaign.limits.redemptionsAtMost != nil {
            facts.redemptions[campaign.name] = try store.campaignTotal(campaign.name).redeemed
        }
        return facts
    }
}

extension App {
    /// What campaigns are judged with beside the facts.
    public var campaignContext: CampaignContext {
        CampaignContext(
            catalog: catalog, policy: accessPolicy, winBackRules: winBackRules, isWinBackListKnown: false,
            offerGuard: offerGuard)
    }
}

extension CampaignFacts {
    /// What a decision at `now` used, as it is kept with its grant; nothing in it leads to the person but the ids.
    func json(at now: Instant, in app: App, newArms: [CampaignArm], campaign: CampaignName) -> JSON {
        let status = subscription.status(
            at: now, catalog: app.catalog, policy: app.accessPolicy, environment: environment)
        let arms = arms.merging(newArms.map { ($0.key, $0.arm) }) { stored, _ in stored }
        return [
            "originalTransactionId": .string(subscription.originalTransactionId.rawValue),
            "productId": .string(subscription.productId.rawValue),
            "subscriptionGroupIdentifier": .text(subscription.subscriptionGroupIdentifier?.rawValue),
            "inAppOwnershipType": .text(subscription.inAppOwnershipType?.rawValue),
            "storefront": .text(subscription.storefront),
            "status": .string(status.state.rawValue),
            "autoRenewStatus": .text(status.autoRenewStatus?.name),
            "expirationIntent": .text(status.expirationIntent?.name),
            "offerType": .text(subscription.offerType?.name),
            "pendingChange": .text(status.pendingChange?.kind.rawValue),
            "expiresDate": .instant(subscription.expiresDate),
            "eligibleWinBackOfferIds": .array(status.eligibleWinBackOfferIds.map { .string($0.rawValue) }),
            "timeZone": .text(zone?.name),
            "arms": .object(arms.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) }),
            "given": .integer(Int64(given.count)),
            "redemptions": redemptions[campaign].map { .integer(Int64($0)) } ?? .null,
            "exhaustedCodes": .array(exhaustedCodes.map(\.rawValue).sorted().map(JSON.string)),
        ]
    }
}
