public import FoundationEssentials

/// What decisions read of one renewal info that Apple signed.
///
/// Source: App Store Server API, `JWSRenewalInfoDecodedPayload`.
public struct RenewalFact: Hashable, Sendable {
    public let originalTransactionId: OriginalTransactionID
    public var productId: ProductID?
    public var autoRenewProductId: ProductID?
    public var autoRenewStatus: AutoRenewStatus?
    public var expirationIntent: ExpirationIntent?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Instant?
    public var priceIncreaseStatus: Int?
    /// Of the offer that applies to the next renewal.
    public var offerType: OfferType?
    public var offerIdentifier: OfferIdentifier?
    /// Best first, in Apple's order.
    public var eligibleWinBackOfferIds: [OfferIdentifier]
    public var renewalDate: Instant?
    /// In milliunits of `currency`.
    public var renewalPrice: Int64?
    public var currency: String?
    public var recentSubscriptionStartDate: Instant?
    /// Which way the plan changes, when the notification that carried the renewal info said so in its subtype.
    public var planChange: PlanChange?
    /// When Apple signed it; the latest signed renewal info of a subscription holds.
    public let signedDate: Instant

    /// A fact that says nothing but when it was signed.
    public init(originalTransactionId: OriginalTransactionID, signedDate: Instant) {
        self.originalTransactionId = originalTransactionId
        self.signedDate = signedDate
        eligibleWinBackOfferIds = []
    }
}

/// Which way a change of plan goes.
public enum PlanChange: String, Hashable, Sendable, CaseIterable {
    case upgrade
    case downgrade
    case crossgrade
    /// Neither the catalogue nor the App Store says which way.
    case change
}
