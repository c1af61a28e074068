public import FoundationEssentials

/// The App Store's question which retention message to show, as Apple signed it.
///
/// Source: Retention Messaging API, `DecodedRealtimeRequestBody`.
public struct DecodedRealtimeRequestBody: Codable, Hashable, Sendable {
    public var originalTransactionId: OriginalTransactionID?
    public var appAppleId: AppAppleID?
    public var productId: ProductID?
    /// The device's locale, such as `en-US`.
    public var userLocale: String?
    /// Unique for each request.
    public var requestIdentifier: UUID?
    public var environment: AppStoreEnvironment?
    public var signedDate: Instant?

    public init() {}
}
