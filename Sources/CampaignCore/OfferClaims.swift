public import FoundationEssentials

/// The JSON texts of Apple's client-carried JWS ("V2"), exactly as they are signed.
///
/// Keys have a fixed order and optional claims are left out, so the same values always give the same bytes. There is
/// no `exp`: Apple derives the lifetime from `iat`.
/// Source: StoreKit, "Generating JWS to sign App Store requests".
public enum OfferClaims {
    /// The protected header, for the key that signs.
    public static func header(keyId: KeyID) -> String {
        text([.init("alg", "ES256"), .init("kid", .string(keyId.rawValue)), .init("typ", "JWT")])
    }

    /// The claims of a promotional offer.
    ///
    /// - Parameters:
    ///   - transactionId: any transaction of the customer, or the text of their `appTransactionId`; Apple recommends
    ///     it, and nil leaves the claim out.
    ///   - issuedAt: becomes `iat` in whole seconds.
    public static func promotionalOffer(
        bundleId: BundleID, issuerId: IssuerID, productId: ProductID, offerIdentifier: OfferIdentifier,
        transactionId: TransactionID?, nonce: UUID, issuedAt: Instant
    ) -> String {
        var claims = common("promotional-offer", bundleId, issuerId, nonce, issuedAt)
        claims.append(.init("productId", .string(productId.rawValue)))
        claims.append(.init("offerIdentifier", .string(offerIdentifier.rawValue)))
        if let transactionId { claims.append(.init("transactionId", .string(transactionId.rawValue))) }
        return text(claims)
    }

    /// The claims that grant or deny a customer the introductory offer, whatever Apple's own judgement would be.
    ///
    /// - Parameters:
    ///   - transactionId: any transaction of the customer, or the text of their `appTransactionId`.
    ///   - issuedAt: becomes `iat` in whole seconds.
    public static func introductoryOfferEligibility(
        bundleId: BundleID, issuerId: IssuerID, productId: ProductID, allowIntroductoryOffer: Bool,
        transactionId: TransactionID, nonce: UUID, issuedAt: Instant
    ) -> String {
        var claims = common("introductory-offer-eligibility", bundleId, issuerId, nonce, issuedAt)
        claims.append(.init("productId", .string(productId.rawValue)))
        claims.append(.init("allowIntroductoryOffer", .bool(allowIntroductoryOffer)))
        claims.append(.init("transactionId", .string(transactionId.rawValue)))
        return text(claims)
    }

    private static func common(
        _ audience: String, _ bundleId: BundleID, _ issuerId: IssuerID, _ nonce: UUID, _ issuedAt: Instant
    ) -> [JSON.Member] {
        [
            .init("iss", .string(issuerId.rawValue)), .init("iat", .integer(issuedAt.secondsSince1970)),
            .init("aud", .string(audience)), .init("bid", .string(bundleId.rawValue)),
            .init("nonce", .string(nonce.lowercaseString)),
        ]
    }

    private static func text(_ members: [JSON.Member]) -> String {
        String(decoding: JSON.object(members).bytes, as: UTF8.self)
    }
}
