public import FoundationEssentials

/// What will happen at the end of the period, as Apple signed it; every key is optional on the wire.
///
/// Source: App Store Server API, `JWSRenewalInfoDecodedPayload`.
public struct JWSRenewalInfoDecodedPayload: Encodable, Hashable, Sendable {
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

extension JWSRenewalInfoDecodedPayload: AppStorePayload {
    public mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "originalTransactionId": originalTransactionId = try member.word()
        case "productId": productId = try member.word()
        case "autoRenewProductId": autoRenewProductId = try member.word()
        case "autoRenewStatus": autoRenewStatus = try member.code()
        case "expirationIntent": expirationIntent = try member.code()
        case "isInBillingRetryPeriod": isInBillingRetryPeriod = try member.bool()
        case "gracePeriodExpiresDate": gracePeriodExpiresDate = try member.instant()
        case "priceIncreaseStatus": priceIncreaseStatus = Int(try member.number())
        case "offerType": offerType = try member.code()
        case "offerIdentifier": offerIdentifier = try member.word()
        case "offerDiscountType": offerDiscountType = try member.text()
        case "offerPeriod": offerPeriod = try member.text()
        case "eligibleWinBackOfferIds": eligibleWinBackOfferIds = try member.words()
        case "renewalDate": renewalDate = try member.instant()
        case "renewalPrice": renewalPrice = try member.number()
        case "currency": currency = try member.text()
        case "recentSubscriptionStartDate": recentSubscriptionStartDate = try member.instant()
        case "signedDate": signedDate = try member.instant()
        case "environment": environment = try member.word()
        case "appAccountToken": appAccountToken = try member.uuid()
        case "appTransactionId": appTransactionId = try member.word()
        default: break
        }
    }
}
