public import CampaignCore

/// A subscription as the database knows it.
public struct KnownSubscription: Hashable, Sendable {
    public let id: SubscriptionRowID
    public let bundleId: BundleID
    public let environment: AppStoreEnvironment
    public let originalTransactionId: OriginalTransactionID
    /// What its facts make it; nil while none of them is about an auto-renewable subscription.
    public let subscription: Subscription?
}
