/// Proof that an Apple Account downloaded the app, as Apple signed it: `signedAppTransactionInfo`.
///
/// Its environment is called `receiptType` and its instant of signing `receiptCreationDate`.
public struct AppTransaction: Codable, Hashable, Sendable {
    public var receiptType: AppStoreEnvironment?
    public var appAppleId: AppAppleID?
    public var bundleId: BundleID?
    public var applicationVersion: String?
    public var receiptCreationDate: Instant?
    public var originalPurchaseDate: Instant?
    public var appTransactionId: AppTransactionID?

    public init() {}
}
