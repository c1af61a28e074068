public import CampaignCore
public import FoundationEssentials

/// One answer that was given, with everything it was decided from, so that it can be given again and explained.
public struct Grant: Hashable, Sendable {
    /// The word in the answer's `decision` (design section 4).
    public enum Decision: String, Hashable, Sendable {
        case offered
        case granted
        case refused
        /// What an app told was kept.
        case recorded
    }

    public var requestId: UUID
    /// The word of the route that was asked.
    public var kind: String
    /// SHA-256 of the request's body, 32 bytes: the same `requestId` with another body is a conflict.
    public var bodyDigest: [UInt8]
    /// The name of the API key that asked; nil when the App Store itself did.
    public var keyName: String?
    public var bundleId: BundleID
    public var environment: AppStoreEnvironment
    public var productId: ProductID?
    public var offerIdentifier: OfferIdentifier?
    public var originalTransactionId: OriginalTransactionID?
    public var appAccountToken: UUID?
    public var decision: Decision
    /// Of the signature, as are `timestamp` and `keyId`; nil when nothing was signed.
    public var nonce: UUID?
    public var timestamp: Instant?
    public var keyId: KeyID?
    public var issuedDate: Instant
    /// From then on the same request is decided afresh.
    public var expiresDate: Instant
    /// The body of the HTTP answer, byte for byte.
    public var answer: [UInt8]

    public init(
        requestId: UUID, kind: String, bodyDigest: [UInt8], keyName: String?, bundleId: BundleID,
        environment: AppStoreEnvironment, productId: ProductID?, decision: Decision, issuedDate: Instant,
        expiresDate: Instant, answer: [UInt8]
    ) {
        self.requestId = requestId
        self.kind = kind
        self.bodyDigest = bodyDigest
        self.keyName = keyName
        self.bundleId = bundleId
        self.environment = environment
        self.productId = productId
        self.decision = decision
        self.issuedDate = issuedDate
        self.expiresDate = expiresDate
        self.answer = answer
    }
}
