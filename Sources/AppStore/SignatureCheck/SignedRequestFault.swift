public import CampaignCore

/// How a compact JWS for StoreKit differs from what Apple asks for.
///
/// Source: StoreKit, "Generating JWS to sign App Store requests".
public enum SignedRequestFault: Hashable, Sendable {
    case tooLarge(characters: Int)
    case spaceInside
    case partCount(Int)
    case partUnreadable(JWSPart)
    case partPadded(JWSPart)
    /// `+` or `/` where base64url has `-` and `_`.
    case partInStandardBase64(JWSPart)
    case partNotJSON(JWSPart)
    /// Nil when there is none; so for `type`.
    case algorithm(String?)
    case type(String?)
    case keyIdMissing
    case noKeys
    case signedByOtherKey(OtherKey)
    /// None of `keys` signed.
    case nothingVerifies(keys: [String])
    case hashedTwice
    case claimMissing(String)
    case claimOfWrongKind(name: String, expected: String, found: String)
    case claimEmpty(String)
    case audience(String)
    case unknownIssuer(String, known: [IssuerID])
    case expPresent
    case issuedAtInMilliseconds(Int64)
    case issuedAtInFuture(Instant, now: Instant)
    /// The claim says another thing than what is bought or passed.
    case claimDiffers(name: String, signed: String, expected: String)

    public var code: String {
        switch self {
        case .tooLarge: "jwsTooLarge"
        case .spaceInside: "jwsSpaceInside"
        case .partCount: "jwsPartCount"
        case .partUnreadable: "jwsPartUnreadable"
        case .partPadded: "jwsPartPadded"
        case .partInStandardBase64: "jwsPartInStandardBase64"
        case .partNotJSON: "jwsPartNotJSON"
        case .algorithm: "jwsAlgorithm"
        case .type: "jwsType"
        case .keyIdMissing: "jwsKeyIdMissing"
        case .noKeys: "jwsNoKeys"
        case .signedByOtherKey: "jwsSignedByOtherKey"
        case .nothingVerifies: "jwsNothingVerifies"
        case .hashedTwice: "jwsHashedTwice"
        case .claimMissing: "claimMissing"
        case .claimOfWrongKind: "claimOfWrongKind"
        case .claimEmpty: "claimEmpty"
        case .audience: "audience"
        case .unknownIssuer: "unknownIssuer"
        case .expPresent: "expPresent"
        case .issuedAtInMilliseconds: "issuedAtInMilliseconds"
        case .issuedAtInFuture: "issuedAtInFuture"
        case .claimDiffers: "claimDiffers"
        }
    }
}

extension SignedRequestFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge(let characters):
            "the JWS has \(characters) characters where at most \(SignatureCheckLimits.jwsCharacters) are read; "
                + "pass the compact JWS alone"
        case .spaceInside: "the JWS has spaces or line breaks in or around it; pass it as one word"
        case .partCount(let count): "a compact JWS has 3 parts between dots and this has \(count); pass it whole"
        case .partUnreadable(let part): "the JWS's \(part) is no base64url; pass the JWS unchanged"
        case .partPadded(let part): "the JWS's \(part) ends in '='; encode it in base64url without padding"
        case .partInStandardBase64(let part):
            "the JWS's \(part) has '+' or '/'; encode it in base64url, with '-' and '_'"
        case .partNotJSON(let part): "the JWS's \(part) is no JSON object; encode the JSON text once"
        case .algorithm(let name):
            "the header's 'alg' is \(name.map { quoted($0) } ?? "missing"); set it to 'ES256' and sign with a P-256 key"
        case .type(let name): "the header's 'typ' is \(name.map { quoted($0) } ?? "missing"); set it to 'JWT'"
        case .keyIdMissing: "the header has no 'kid'; set it to the id of the signing key"
        case .noKeys: "no public key is known here; configure the signing key or name its file"
        case .signedByOtherKey(.known(let keyId)):
            "key \(quoted(keyId.rawValue)) signed this; set 'kid' to it, or sign with the key of 'kid'"
        case .signedByOtherKey(.candidate(let name)):
            "the wrong key signed, the one in \(OtherKey.shown(name)), which is not the key of 'kid'; "
                + "sign with the private key file of 'kid'"
        case .nothingVerifies(let keys):
            "none of the known keys (\(listed(keys, OtherKey.shown))) signed this header and payload; "
                + "most likely another key did, so \(OtherKey.test); else check that nothing was changed after signing"
        case .hashedTwice: "the SHA-256 of header and payload was signed as a message; give the text itself to ES256"
        case .claimMissing(let name): "the claim '\(name)' is missing; add it"
        case .claimOfWrongKind(let name, let expected, let found):
            found == "null"
                ? "the claim '\(name)' is null; leave the claim out, or give \(expected)"
                : "the claim '\(name)' is \(found); give \(expected)"
        case .claimEmpty(let name): "the claim '\(name)' is empty; name it as App Store Connect does"
        case .audience(let found):
            "the claim 'aud' is \(quoted(found)); set it to 'promotional-offer' or 'introductory-offer-eligibility'"
        case .unknownIssuer(let found, let known):
            "the claim 'iss' is \(quoted(found)) and the issuers here are "
                + "\(listed(known.map(\.rawValue))); copy the issuer id from App Store Connect"
        case .expPresent: "there is a claim 'exp', which Apple does not take; leave it out, the lifetime follows 'iat'"
        case .issuedAtInMilliseconds(let value):
            "the claim 'iat' is '\(value)', which is milliseconds; give whole seconds since 1970"
        case .issuedAtInFuture(let issuedAt, let now):
            "the claim 'iat' is '\(issuedAt)' and it is '\(now)'; set the signing server's clock"
        case .claimDiffers(let name, let signed, let expected):
            "the claim '\(name)' is \(quoted(signed)) where \(quoted(expected)) is used; sign for what is bought"
        }
    }
}
