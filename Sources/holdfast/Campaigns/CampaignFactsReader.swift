import CampaignCore
import Server
import Storage

/// Reads what decisions about one campaign's subscribers need, as of an instant, and writes nothing.
struct CampaignFactsReader {
    private let asked: AskedCampaign
    private let store: Store
    /// Counts only what was signed and given by then; nil counts everything.
    private let instant: Instant?
    private let redemptions: [CampaignName: Int]
    private let exhaustedCodes: Set<OfferIdentifier>
    private let zones: Zones

    /// The zones that were read, of which a base has few.
    private final class Zones {
        var rules: [String: TimeZoneRules?] = [:]

        func zone(_ name: String) -> TimeZoneRules? {
            if let known = rules[name] { return known }
            let zone = TimeZoneRules.ofSystem(name)
            rules[name] = zone
            return zone
        }
    }

    private var bundleId: BundleID { asked.campaign.audience.bundleId }
    private var environment: AppStoreEnvironment { asked.campaign.audience.environment }

    init(_ asked: AskedCampaign, _ store: Store, at instant: Instant?, now: Instant) throws(StorageError) {
        self.asked = asked
        self.store = store
        self.instant = instant
        zones = Zones()
        redemptions = [asked.campaign.name: try store.campaignTotal(asked.campaign.name).redeemed]
        let (bundleId, environment) = (asked.campaign.audience.bundleId, asked.campaign.audience.environment)
        let codes = asked.app.offerCodes
        let inventory = try store.codeInventory(of: bundleId, now: now) { pool in
            codes.stockRule(of: pool.offer, in: pool.environment)
        }
        let claimable = inventory.stocks.filter { $0.pool.environment == environment && $0.claimable > 0 }
        exhaustedCodes = asked.codeOffers.subtracting(claimable.map(\.pool.offer))
    }

    func subscriberCount() throws(StorageError) -> Int {
        try store.subscriptionCount(bundleId: bundleId, environment: environment)
    }

    /// The next page of the base, and what the one after it comes after; nil when it is the last.
    func page(after last: SubscriptionRowID?) throws(StorageError) -> (facts: [CampaignFacts], last: SubscriptionRowID?)
    {
        let page = try store.subscriptionPage(
            bundleId: bundleId, environment: environment, after: last, signedBy: instant)
        var facts: [CampaignFacts] = []
        facts.reserveCapacity(page.subscriptions.count)
        for one in page.subscriptions {
            guard let subscription = one.known.subscription else { continue }
            facts.append(
                try self.facts(of: one.known, subscription, one.transactions, timeZone: one.timeZone))
        }
        return (facts, page.last)
    }

    /// The facts of one subscription; nil while nothing about an auto-renewable subscription was signed.
    func facts(of known: KnownSubscription) throws(StorageError) -> CampaignFacts? {
        guard let folded = try folded(known) else { return nil }
        return try facts(
            of: known, folded.subscription, folded.transactions, timeZone: store.timeZone(of: known.id))
    }

    private func facts(
        of known: KnownSubscription, _ subscription: Subscription, _ transactions: [TransactionFact],
        timeZone: String?
    ) throws(StorageError) -> CampaignFacts {
        var facts = CampaignFacts(environment: environment, subscription: subscription)
        facts.transactions = transactions
        for other in try others(than: known, subscription) {
            guard let folded = try folded(other) else { continue }
            facts.subscriptions.append(folded.subscription)
            facts.transactions += folded.transactions
        }
        facts.zone = timeZone.flatMap(zones.zone)
        facts.arms = try store.campaignArms(of: known.id)
        facts.given = try store.givenOffers(to: known.id)
        if let instant { facts.given.removeAll { $0.givenDate > instant } }
        facts.redemptions = redemptions
        facts.exhaustedCodes = exhaustedCodes
        return facts
    }

    /// The customer's other subscriptions: those that share the token or the download with it.
    private func others(
        than known: KnownSubscription, _ subscription: Subscription
    ) throws(StorageError) -> [KnownSubscription] {
        var all: [KnownSubscription] = []
        if let token = subscription.appAccountToken {
            all += try store.subscriptions(appAccountToken: token, bundleId: bundleId, environment: environment)
        }
        if let download = subscription.appTransactionId {
            all += try store.subscriptions(appTransactionId: download, bundleId: bundleId, environment: environment)
        }
        var seen: Set<SubscriptionRowID> = [known.id]
        return all.filter { seen.insert($0.id).inserted }
    }

    private func folded(
        _ known: KnownSubscription
    ) throws(StorageError) -> (subscription: Subscription, transactions: [TransactionFact])? {
        try store.folded(known, signedBy: instant)
    }
}
