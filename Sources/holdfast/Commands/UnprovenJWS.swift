import CampaignCore
import Crypto

/// What a compact JWS says of itself, read leniently and before anything is proven.
struct UnprovenJWS {
    let header: JSON?
    let payload: JSON?

    init(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        header = parts.first.flatMap(Self.json)
        payload = parts.count > 1 ? Self.json(parts[1]) : nil
    }

    /// Whether a server signed it for StoreKit, with a key that it names, rather than the App Store with certificates.
    var isForStoreKit: Bool {
        guard header?["x5c"] == nil else { return false }
        return header?["kid"] != nil || payload?["aud"] != nil
    }

    /// The payload with the payloads inside it in place of their JWS.
    var opened: JSON? { payload.map(Self.opened) }

    private static func opened(_ json: JSON) -> JSON {
        guard case .object(let members) = json else { return json }
        return .object(
            members.map { member in
                guard case .string(let text) = member.value, member.key.hasPrefix("signed"),
                    let inner = UnprovenJWS(text).payload
                else { return .init(member.key, opened(member.value)) }
                return .init(member.key, inner)
            })
    }

    private static func json(_ part: Substring) -> JSON? {
        Base64URL.decode(part).flatMap(JSON.read)
    }
}
