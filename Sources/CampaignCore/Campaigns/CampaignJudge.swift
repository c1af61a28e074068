/// Everything about one subscription, one door and one instant that campaigns are judged by; decisions and their
/// explanations share it.
struct CampaignJudge {
    let facts: CampaignFacts
    let via: Rule.Via
    let context: CampaignContext
    let now: Instant
    let status: SubscriptionStatus
    let clock: AcceleratedClock
    /// Made when a rule first needs them: most decisions need none.
    private var standings: [SubscriptionGroupIdentifier: GroupStanding] = [:]

    init(_ facts: CampaignFacts, via: Rule.Via, context: CampaignContext, now: Instant) {
        self.facts = facts
        self.via = via
        self.context = context
        self.now = now
        status = facts.subscription.status(
            at: now, catalog: context.catalog, policy: context.policy, environment: facts.environment)
        clock = AcceleratedClock(facts.subscription, catalog: context.catalog, environment: facts.environment)
    }

    var subscription: Subscription { facts.subscription }

    /// The group of the subscription's present product.
    var group: SubscriptionGroup? {
        context.catalog.group(of: subscription.productId, signed: subscription.subscriptionGroupIdentifier)
    }

    /// As Apple signed it, else as the catalogue has it.
    var groupIdentifier: SubscriptionGroupIdentifier? {
        subscription.subscriptionGroupIdentifier ?? group?.identifier
    }

    /// Where the customer stands in a group.
    mutating func standing(in group: SubscriptionGroup) -> GroupStanding {
        if let known = standings[group.identifier] { return known }
        let made = GroupStanding(
            group: group, catalog: context.catalog, transactions: facts.transactions,
            subscriptions: facts.subscriptions, environment: facts.environment, now: now)
        standings[group.identifier] = made
        return made
    }
}

/// Why a campaign gives nothing at all.
public enum CampaignPause: Hashable, Sendable {
    /// Not active, or a draft for somebody who is no test customer.
    case status(Campaign.Status)
    case notStarted(Instant)
    case ended(Instant)
    /// As many of its offers as it may give were redeemed.
    case redemptions(atMost: Int)
}

extension CampaignJudge {
    /// Why the campaign does not run for this customer now; nil when it does.
    func pause(of campaign: Campaign) -> CampaignPause? {
        switch campaign.status {
        case .active: break
        case .draft: if !isTestCustomer(of: campaign) { return .status(.draft) }
        case .paused, .ended: return .status(campaign.status)
        }
        if let starts = campaign.starts, now < starts { return .notStarted(starts) }
        if let ends = campaign.ends, now >= ends { return .ended(ends) }
        if let most = campaign.limits.redemptionsAtMost, facts.redemptions[campaign.name, default: 0] >= most {
            return .redemptions(atMost: most)
        }
        return nil
    }

    private func isTestCustomer(of campaign: Campaign) -> Bool {
        guard !campaign.testCustomers.isEmpty else { return false }
        return campaign.testCustomers.contains(subscription.originalTransactionId.rawValue)
            // As Apple signed it: a request could name anybody's.
            || subscription.appAccountToken.map { campaign.testCustomers.contains($0.lowercaseString) } ?? false
    }

    /// An arm of the subscription in a campaign, and whether it is drawn only now.
    struct Arm {
        let arm: CampaignArm
        let isNew: Bool
    }

    /// nil for a campaign that holds nobody out.
    ///
    /// - Parameter newArms: what was drawn in this decision already, by a campaign that shares the holdout.
    func holdoutArm(in campaign: Campaign, beside newArms: [CampaignArm]) -> Arm? {
        guard let holdout = campaign.holdout else { return nil }
        let key =
            holdout.isGlobal ? "holdout/global/\(holdout.salt)" : "holdout/\(campaign.name.rawValue)"
        let known = facts.arms[key] ?? newArms.first { $0.key == key }?.arm
        if let known { return Arm(arm: CampaignArm(key: key, arm: known), isNew: false) }
        let drawn =
            holdout.contains(subscription.originalTransactionId) ? CampaignArm.heldOut : CampaignArm.treated
        return Arm(arm: CampaignArm(key: key, arm: drawn), isNew: true)
    }

    /// nil for a campaign that compares nothing.
    func variantArm(in campaign: Campaign) -> Arm? {
        guard !campaign.variants.isEmpty else { return nil }
        let key = "variant/\(campaign.name.rawValue)"
        if let known = facts.arms[key] { return Arm(arm: CampaignArm(key: key, arm: known), isNew: false) }
        let drawn = campaign.variants.drawn(by: subscription.originalTransactionId, campaign: campaign.name)
        return drawn.map { Arm(arm: CampaignArm(key: key, arm: $0.rawValue), isNew: true) }
    }
}

extension CampaignArm {
    /// Given nothing, for comparison.
    public static let heldOut = "heldOut"
    /// Given what the rules say.
    public static let treated = "treated"
}
