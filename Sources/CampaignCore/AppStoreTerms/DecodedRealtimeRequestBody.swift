public import FoundationEssentials

/// The App Store's question which retention message to show, as Apple signed it.
///
/// Source: Retention Messaging API, `DecodedRealtimeRequestBody`.
public struct DecodedRealtimeRequestBody: Encodable, Hashable, Sendable {
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

extension DecodedRealtimeRequestBody: AppStorePayload {
    public mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "originalTransactionId": originalTransactionId = try member.word()
        case "appAppleId": appAppleId = try member.number()
        case "productId": productId = try member.word()
        case "userLocale": userLocale = try member.text()
        case "requestIdentifier": requestIdentifier = try member.uuid()
        case "environment": environment = try member.word()
        case "signedDate": signedDate = try member.instant()
        default: break
        }
    }
}
