public import FoundationEssentials

/// One period's purchase as Apple signed it; every key is optional on the wire and unknown keys are ignored.
///
/// Source: App Store Server API, `JWSTransactionDecodedPayload`.
public struct JWSTransactionDecodedPayload: Codable, Hashable, Sendable {
    public var transactionId: TransactionID?
    public var originalTransactionId: OriginalTransactionID?
    public var webOrderLineItemId: String?
    public var bundleId: BundleID?
    public var productId: ProductID?
    public var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    public var purchaseDate: Instant?
    public var originalPurchaseDate: Instant?
    public var expiresDate: Instant?
    public var quantity: Int?
    public var type: ProductType?
    public var appAccountToken: UUID?
    public var inAppOwnershipType: InAppOwnershipType?
    public var signedDate: Instant?
    public var revocationDate: Instant?
    public var revocationReason: Int?
    public var revocationType: String?
    /// Share of the price refunded, in milliunits of a percent.
    public var revocationPercentage: Int?
    public var isUpgraded: Bool?
    public var offerType: OfferType?
    public var offerIdentifier: OfferIdentifier?
    public var offerDiscountType: String?
    /// ISO 8601, such as `P3M`.
    public var offerPeriod: String?
    public var environment: AppStoreEnvironment?
    /// ISO 3166-1 alpha-3.
    public var storefront: String?
    public var storefrontId: String?
    public var transactionReason: String?
    public var currency: String?
    /// In milliunits of `currency`.
    public var price: Int64?
    public var appTransactionId: AppTransactionID?

    public init() {}
}
