public import CampaignCore
public import Storage

/// All that is known of one subscriber and of the other subscriptions of the same customer, for judging offers.
///
/// Apple judges offers by Apple account. What subscriptions have in common is the token that the app gave, or the
/// download that they were bought with.
public struct SubscriberHistory: Sendable {
    /// The one that was asked for.
    public let subscription: KnownSubscription
    /// That one first, and every other of the customer.
    public let subscriptions: [Subscription]
    /// The latest version of each transaction of all of them.
    public let transactions: [TransactionFact]

    /// Reads them; nil when no fact about the subscription is known.
    public init?(
        of name: OriginalTransactionID, app: BundleID, environment: AppStoreEnvironment, _ store: Store
    ) throws(StorageError) {
        let found = try store.subscription(originalTransactionId: name, bundleId: app, environment: environment)
        guard let found, let folded = found.subscription else { return nil }
        var all = [found]
        if let token = folded.appAccountToken {
            all += try store.subscriptions(appAccountToken: token, bundleId: app, environment: environment)
        }
        if let download = folded.appTransactionId {
            all += try store.subscriptions(appTransactionId: download, bundleId: app, environment: environment)
        }
        var seen: Set<SubscriptionRowID> = []
        all = all.filter { seen.insert($0.id).inserted }
        var transactions: [TransactionFact] = []
        for one in all {
            transactions += try store.transactions(
                originalTransactionId: one.originalTransactionId, bundleId: app, environment: environment)
        }
        subscription = found
        subscriptions = all.compactMap(\.subscription)
        self.transactions = transactions
    }

    /// Every offer of the app's catalogue, with every reason against it at `now`.
    public func offers(for app: App, now: Instant) -> [OfferEligibility] {
        app.catalog.offerEligibilities(
            transactions: transactions, subscriptions: subscriptions, winBackRules: app.winBackRules,
            environment: subscription.environment, now: now)
    }
}
