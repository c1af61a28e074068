public import CampaignCore

/// What a claim asks for.
public struct CodeClaim: Hashable, Sendable {
    public var bundleId: BundleID
    public var environment: AppStoreEnvironment
    public var offer: OfferIdentifier
    /// The caller's own id for the person.
    public var customer: String
    /// Other ids of the same person, whose code is theirs.
    public var otherIds: [String] = []
    /// A code is no longer given this long before it expires.
    public var expiryMarginMilliseconds: Int64

    public init(
        bundleId: BundleID, environment: AppStoreEnvironment, offer: OfferIdentifier, customer: String,
        expiryMarginMilliseconds: Int64
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.offer = offer
        self.customer = customer
        self.expiryMarginMilliseconds = expiryMarginMilliseconds
    }
}

/// A code that a customer has.
public struct ClaimedCode: Hashable, Sendable {
    public let code: OfferCode
    public let productId: ProductID
    public let batch: String
    public let expiresDate: Instant
    /// False when the customer had it before.
    public let isNew: Bool
}

/// A code's place in the inventory.
struct CodePosition: Hashable {
    let batch: Int64
    let position: Int64
}
