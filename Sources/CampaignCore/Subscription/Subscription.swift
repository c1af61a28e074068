public import FoundationEssentials

/// One subscription as its signed facts make it: what is true of its current period, whichever order they came in.
///
/// It knows no clock; `status(at:)` says what it means at an instant.
public struct Subscription: Hashable, Sendable {
    public var originalTransactionId: OriginalTransactionID

    // The current period: the transaction with the newest `purchaseDate`.
    public var transactionId: TransactionID
    public var productId: ProductID
    public var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    public var inAppOwnershipType: InAppOwnershipType?
    public var purchaseDate: Instant
    public var expiresDate: Instant
    /// When Apple first signed that transaction, as far as is known; a renewal may be signed before its period begins.
    public var firstSignedDate: Instant
    /// When access ended by a refund of the current period or by a family member; nil also for a prorated refund that
    /// left the access. While only the replaced side of an upgrade is known, it is when that was signed.
    public var revocationDate: Instant?
    public var offerType: OfferType?
    public var offerIdentifier: OfferIdentifier?
    public var storefront: String?

    // The latest renewal info, when it was signed in the current period; all nil otherwise.
    public var autoRenewStatus: AutoRenewStatus?
    public var autoRenewProductId: ProductID?
    /// What the notifications said of the change to `autoRenewProductId`; nil when they said nothing.
    public var planChange: PlanChange?
    public var expirationIntent: ExpirationIntent?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Instant?
    public var priceIncreaseStatus: Int?
    public var eligibleWinBackOfferIds: [OfferIdentifier]
    /// Of the offer that applies to the next renewal.
    public var renewalOfferType: OfferType?
    public var renewalOfferIdentifier: OfferIdentifier?
    /// In milliunits of `currency`.
    public var renewalPrice: Int64?
    public var currency: String?

    /// When auto-renew was first known off, without being known on again since, in the current period; nil while it is
    /// on, and for trouble with billing.
    public var saveWindowOpensDate: Instant?

    public var appAccountToken: UUID?
    public var appTransactionId: AppTransactionID?
    /// Of all facts.
    public var newestSignedDate: Instant
}
