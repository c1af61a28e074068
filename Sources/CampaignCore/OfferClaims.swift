public import FoundationEssentials

/// The JSON texts of Apple's client-carried JWS ("V2"), exactly as they are signed.
///
/// Keys have a fixed order and optional claims are left out, so the same values always give the same bytes. There is
/// no `exp`: Apple derives the lifetime from `iat`.
/// Source: StoreKit, "Generating JWS to sign App Store requests".
public enum OfferClaims {
    /// The protected header, for the key that signs.
    public static func header(keyId: KeyID) -> String {
        object([("alg", .text("ES256")), ("kid", .text(keyId.rawValue)), ("typ", .text("JWT"))])
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
        claims.append(("productId", .text(productId.rawValue)))
        claims.append(("offerIdentifier", .text(offerIdentifier.rawValue)))
        if let transactionId { claims.append(("transactionId", .text(transactionId.rawValue))) }
        return object(claims)
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
        claims.append(("productId", .text(productId.rawValue)))
        claims.append(("allowIntroductoryOffer", .bool(allowIntroductoryOffer)))
        claims.append(("transactionId", .text(transactionId.rawValue)))
        return object(claims)
    }

    private enum Claim {
        case text(String)
        case integer(Int64)
        case bool(Bool)
    }

    private static func common(
        _ audience: String, _ bundleId: BundleID, _ issuerId: IssuerID, _ nonce: UUID, _ issuedAt: Instant
    ) -> [(String, Claim)] {
        [
            ("iss", .text(issuerId.rawValue)), ("iat", .integer(issuedAt.secondsSince1970)), ("aud", .text(audience)),
            ("bid", .text(bundleId.rawValue)), ("nonce", .text(nonce.lowercaseString)),
        ]
    }

    private static func object(_ members: [(String, Claim)]) -> String {
        var json = "{"
        for (index, (key, claim)) in members.enumerated() {
            if index > 0 { json += "," }
            json += "\"\(key)\":"
            switch claim {
            case .text(let text): appendJSON(text, to: &json)
            case .integer(let integer): json += String(integer)
            case .bool(let bool): json += bool ? "true" : "false"
            }
        }
        return json + "}"
    }

    private static func appendJSON(_ text: String, to json: inout String) {
        json += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        json += "\""
    }
}
