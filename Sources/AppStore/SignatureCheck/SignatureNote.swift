public import CampaignCore

/// Something about a signature that is not wrong and still good to know.
public enum SignatureNote: Hashable, Sendable {
    /// The `iat` of a compact JWS is more than a day ago.
    case issuedLongAgo(Instant)

    /// A stable name, as of a fault.
    public var code: String {
        switch self {
        case .issuedLongAgo: "issuedLongAgo"
        }
    }
}

extension SignatureNote: CustomStringConvertible {
    public var description: String {
        switch self {
        case .issuedLongAgo(let issuedAt):
            "the claim 'iat' is '\(issuedAt)', more than 24 hours ago; Apple publishes no lifetime, "
                + "so sign a new JWS for each purchase"
        }
    }
}

extension SignatureCheck {
    /// What is good to know of a compact JWS that we sign for StoreKit.
    public func notes(onCompactJWS text: String) -> [SignatureNote] {
        guard let number = SignedRequestReader(text).claims?["iat"]?.integer, SignatureClock.isInSeconds(number) else {
            return []
        }
        let issuedAt = Instant(millisecondsSince1970: number * 1000)
        // The lifetime of V1, for want of a published one of V2.
        let usualEnd = issuedAt.adding(milliseconds: PromotionalOffer.validityMilliseconds)
        return usualEnd < now ? [.issuedLongAgo(issuedAt)] : []
    }
}
