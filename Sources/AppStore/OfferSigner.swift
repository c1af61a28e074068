public import CampaignCore
import Crypto
public import FoundationEssentials

/// Signs offers with one key, in the two forms that StoreKit takes.
///
/// It belongs to one thread, as the `P256Signer` in it does. The same offer gives another signature each time, so an
/// answer that must be repeatable is stored.
public final class OfferSigner {
    public let keyId: KeyID
    public let issuerId: IssuerID

    private let signer: P256Signer
    /// The first part of every compact JWS of this key, with its dot.
    private let headerPart: String

    public init(_ key: SigningKey) {
        keyId = key.keyId
        issuerId = key.issuerId
        signer = P256Signer(key.privateKey)
        headerPart = Self.part(OfferClaims.header(keyId: key.keyId)) + "."
    }

    /// A V1 signature: DER over the seven fields, in standard Base64.
    ///
    /// Source: StoreKit, "Generating a signature for promotional offers".
    public func v1(_ offer: PromotionalOffer, bundleId: BundleID) throws(OfferSigningError) -> V1Signature {
        try Self.check([
            ("bundleId", bundleId.rawValue), ("productId", offer.productId.rawValue),
            ("offerIdentifier", offer.offerIdentifier.rawValue),
        ])
        try Self.check(offer.timestamp)
        let input = offer.signingInput(bundleId: bundleId, keyId: keyId)
        return V1Signature(
            keyIdentifier: keyId.rawValue, nonce: offer.nonce.lowercaseString,
            timestamp: offer.timestamp.millisecondsSince1970,
            signature: Base64.encode(signer.derSignature(over: Array(input.utf8))),
            appAccountToken: offer.appAccountToken?.lowercaseString)
    }

    /// A V2 signature: the compact JWS for `promotionalOffer(_:compactJWS:)`. The token of `offer` is no part of it.
    ///
    /// Source: StoreKit, "Generating JWS to sign App Store requests".
    public func v2(
        _ offer: PromotionalOffer, bundleId: BundleID, transactionId: TransactionID?
    ) throws(OfferSigningError) -> String {
        try Self.check([
            ("bundleId", bundleId.rawValue), ("productId", offer.productId.rawValue),
            ("offerIdentifier", offer.offerIdentifier.rawValue), ("transactionId", transactionId?.rawValue ?? "0"),
        ])
        try Self.check(offer.timestamp)
        return compactJWS(
            payload: OfferClaims.promotionalOffer(
                bundleId: bundleId, issuerId: issuerId, productId: offer.productId,
                offerIdentifier: offer.offerIdentifier, transactionId: transactionId, nonce: offer.nonce,
                issuedAt: offer.timestamp))
    }

    /// The compact JWS for `introductoryOfferEligibility(compactJWS:)`.
    ///
    /// Source: StoreKit, "Generating JWS to sign App Store requests".
    public func introductoryOfferEligibility(
        productId: ProductID, allowIntroductoryOffer: Bool, transactionId: TransactionID, bundleId: BundleID,
        nonce: UUID, issuedAt: Instant
    ) throws(OfferSigningError) -> String {
        try Self.check([
            ("bundleId", bundleId.rawValue), ("productId", productId.rawValue),
            ("transactionId", transactionId.rawValue),
        ])
        try Self.check(issuedAt)
        return compactJWS(
            payload: OfferClaims.introductoryOfferEligibility(
                bundleId: bundleId, issuerId: issuerId, productId: productId,
                allowIntroductoryOffer: allowIntroductoryOffer, transactionId: transactionId, nonce: nonce,
                issuedAt: issuedAt))
    }

    /// `payload` under this key's header and signature: r and s, base64url without padding (RFC 7515).
    private func compactJWS(payload: String) -> String {
        let input = headerPart + Self.part(payload)
        return input + "." + Base64URL.encode(signer.rawSignature(over: Array(input.utf8)))
    }

    private static func part(_ json: String) -> String { Base64URL.encode(Array(json.utf8)) }

    /// The App Store joins fields with a separator, so an empty field or one that holds it could pass for another.
    private static func check(_ fields: [(name: String, value: String)]) throws(OfferSigningError) {
        for field in fields {
            guard !field.value.isEmpty else { throw .emptyField(field.name) }
            // The first byte of the separator is rare, and bytes are looked through much faster than characters.
            guard !field.value.utf8.contains(0xE2) || !field.value.unicodeScalars.contains("\u{2063}") else {
                throw .separatorInField(field.name)
            }
        }
    }

    private static func check(_ timestamp: Instant) throws(OfferSigningError) {
        guard !SignatureClock.isInSeconds(timestamp.millisecondsSince1970) else {
            throw .timestampInSeconds(timestamp.millisecondsSince1970)
        }
    }
}

/// A V1 signature with the values that the client passes to StoreKit beside it, spelled as they were signed.
public struct V1Signature: Hashable, Sendable {
    public let keyIdentifier: String
    /// A UUID in lower case.
    public let nonce: String
    /// Milliseconds since 1970.
    public let timestamp: Int64
    /// DER in standard Base64: decoded once it is the `Data` that StoreKit takes.
    public let signature: String
    /// A UUID in lower case, which the client must pass as well; nil when none was signed.
    public let appAccountToken: String?
}

/// Why nothing was signed.
public enum OfferSigningError: Error, Hashable, Sendable, CustomStringConvertible {
    case emptyField(String)
    case separatorInField(String)
    case timestampInSeconds(Int64)

    public var description: String {
        switch self {
        case .emptyField(let name): "'\(name)' is empty; name it as App Store Connect does"
        case .separatorInField(let name): "'\(name)' holds U+2063, the separator of signatures; remove it"
        case .timestampInSeconds(let value): "the timestamp '\(value)' is in seconds; give milliseconds since 1970"
        }
    }
}
