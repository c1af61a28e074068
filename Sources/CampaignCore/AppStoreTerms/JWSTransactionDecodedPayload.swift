public import FoundationEssentials

/// One period's purchase as Apple signed it; every key is optional on the wire and unknown keys are ignored.
///
/// Source: App Store Server API, `JWSTransactionDecodedPayload`.
public struct JWSTransactionDecodedPayload: Encodable, Hashable, Sendable {
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

extension JWSTransactionDecodedPayload: AppStorePayload {
    public mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "transactionId": transactionId = try member.word()
        case "originalTransactionId": originalTransactionId = try member.word()
        case "webOrderLineItemId": webOrderLineItemId = try member.text()
        case "bundleId": bundleId = try member.word()
        case "productId": productId = try member.word()
        case "subscriptionGroupIdentifier": subscriptionGroupIdentifier = try member.word()
        case "purchaseDate": purchaseDate = try member.instant()
        case "originalPurchaseDate": originalPurchaseDate = try member.instant()
        case "expiresDate": expiresDate = try member.instant()
        case "quantity": quantity = Int(try member.number())
        case "type": type = try member.word()
        case "appAccountToken": appAccountToken = try member.uuid()
        case "inAppOwnershipType": inAppOwnershipType = try member.word()
        case "signedDate": signedDate = try member.instant()
        case "revocationDate": revocationDate = try member.instant()
        case "revocationReason": revocationReason = Int(try member.number())
        case "revocationType": revocationType = try member.text()
        case "revocationPercentage": revocationPercentage = Int(try member.number())
        case "isUpgraded": isUpgraded = try member.bool()
        case "offerType": offerType = try member.code()
        case "offerIdentifier": offerIdentifier = try member.word()
        case "offerDiscountType": offerDiscountType = try member.text()
        case "offerPeriod": offerPeriod = try member.text()
        case "environment": environment = try member.word()
        case "storefront": storefront = try member.text()
        case "storefrontId": storefrontId = try member.text()
        case "transactionReason": transactionReason = try member.text()
        case "currency": currency = try member.text()
        case "price": price = try member.number()
        case "appTransactionId": appTransactionId = try member.word()
        default: break
        }
    }
}
