/// Proof that an Apple Account downloaded the app, as Apple signed it: `signedAppTransactionInfo`.
///
/// Its environment is called `receiptType` and its instant of signing `receiptCreationDate`.
public struct AppTransaction: Encodable, Hashable, Sendable {
    public var receiptType: AppStoreEnvironment?
    public var appAppleId: AppAppleID?
    public var bundleId: BundleID?
    public var applicationVersion: String?
    public var receiptCreationDate: Instant?
    public var originalPurchaseDate: Instant?
    public var appTransactionId: AppTransactionID?

    public init() {}
}

extension AppTransaction: AppStorePayload {
    public mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "receiptType": receiptType = try member.word()
        case "appAppleId": appAppleId = try member.number()
        case "bundleId": bundleId = try member.word()
        case "applicationVersion": applicationVersion = try member.text()
        case "receiptCreationDate": receiptCreationDate = try member.instant()
        case "originalPurchaseDate": originalPurchaseDate = try member.instant()
        case "appTransactionId": appTransactionId = try member.word()
        default: break
        }
    }
}
