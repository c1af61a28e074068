public import FoundationEssentials

/// What will happen at the end of the period, as Apple signed it; every key is optional on the wire.
///
/// Source: App Store Server API, `JWSRenewalInfoDecodedPayload`.
public struct JWSRenewalInfoDecodedPayload: Codable, Hashable, Sendable {
    public var originalTransactionId: OriginalTransactionID?
    public var productId: ProductID?
    /// The product at the next renewal; one that differs from `productId` is a pending change.
    public var autoRenewProductId: ProductID?
    public var autoRenewStatus: AutoRenewStatus?
    public var expirationIntent: ExpirationIntent?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Instant?
    public var priceIncreaseStatus: Int?
    public var offerType: OfferType?
    public var offerIdentifier: OfferIdentifier?
    public var offerDiscountType: String?
    public var offerPeriod: String?
    /// Best first; the order is Apple's and is kept.
    public var eligibleWinBackOfferIds: [OfferIdentifier]?
    public var renewalDate: Instant?
    /// In milliunits of `currency`.
    public var renewalPrice: Int64?
    public var currency: String?
    public var recentSubscriptionStartDate: Instant?
    public var signedDate: Instant?
    public var environment: AppStoreEnvironment?
    public var appAccountToken: UUID?
    public var appTransactionId: AppTransactionID?

    public init() {}
}
