public import FoundationEssentials

/// The separator between the fields of a V1 signing input: U+2063 INVISIBLE SEPARATOR.
public let signingInputSeparator = "\u{2063}"

/// One promotional offer for one purchase attempt, with all that a V1 signature covers.
///
/// Nonce and timestamp come in, so the same values always give the same bytes.
/// Source: StoreKit, "Generating a signature for promotional offers".
public struct PromotionalOffer: Hashable, Sendable {
    public let productId: ProductID
    public let offerIdentifier: OfferIdentifier
    /// What the client will pass as `appAccountToken`; nil leaves the field empty, with both its separators.
    public let appAccountToken: UUID?
    public let nonce: UUID
    /// Milliseconds, the very integer that the client passes to StoreKit.
    public let timestamp: Instant

    public init(
        productId: ProductID, offerIdentifier: OfferIdentifier, appAccountToken: UUID?, nonce: UUID, timestamp: Instant
    ) {
        self.productId = productId
        self.offerIdentifier = offerIdentifier
        self.appAccountToken = appAccountToken
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// A signature is good for this long after its timestamp: 24 hours.
    public static let validityMilliseconds: Int64 = 24 * 60 * 60 * 1000

    /// The instant from which StoreKit refuses the signature.
    public var expiresDate: Instant { timestamp.adding(milliseconds: Self.validityMilliseconds) }

    /// The seven fields that V1 signs, joined by six invisible separators.
    public func signingInput(bundleId: BundleID, keyId: KeyID) -> String {
        var text = ""
        // More than nearly every input needs, so that the text does not move while it grows.
        text.reserveCapacity(Limits.signingInputBytes)
        text += bundleId.rawValue
        for field in [
            keyId.rawValue, productId.rawValue, offerIdentifier.rawValue, appAccountToken?.lowercaseString ?? "",
            nonce.lowercaseString, String(timestamp.millisecondsSince1970),
        ] {
            text += signingInputSeparator
            text += field
        }
        return text
    }
}
