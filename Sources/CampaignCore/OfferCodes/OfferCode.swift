import YAML

/// One offer code: what a customer types or opens a link with.
///
/// Codes are compared regardless of case, so they are kept in upper case. Source: App Store Connect Help, "Set up offer
/// codes": custom codes have up to 64 characters and none that is special; codes that Apple makes have 18.
public struct OfferCode: RawRepresentable, Hashable, Comparable, Sendable {
    /// In upper case.
    public let rawValue: String

    /// Takes letters and digits of ASCII, at least one and at most 64; nil for anything else.
    public init?(rawValue text: String) {
        var bytes = Array(text.utf8)
        guard Self.normalize(&bytes) else { return nil }
        rawValue = String(decoding: bytes, as: UTF8.self)
    }

    /// Puts `bytes` in upper case; false when they are no code.
    static func normalize(_ bytes: inout [UInt8]) -> Bool {
        guard (1...Limits.offerCodeBytes).contains(bytes.count) else { return false }
        for index in bytes.indices {
            guard let upper = upperCase(bytes[index]) else { return false }
            bytes[index] = upper
        }
        return true
    }

    /// The byte in upper case; nil for one that no code has.
    @inline(__always)
    static func upperCase(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte & 0xDF
        default: nil
        }
    }

    /// The first two characters and how many follow: for everybody but the one who claims or exports it.
    public var masked: String {
        String(rawValue.prefix(2)) + String(repeating: "•", count: max(0, rawValue.utf8.count - 2))
    }

    /// `text`, which is no code, in quotes for a message.
    ///
    /// It may be a code with one stray character, so of one with eight letters and digits only the first four
    /// characters are shown; `limit` is the most characters that are.
    public static func quotedMasked(_ text: String, limit: Int) -> String {
        guard text.count(where: { $0.isLetter || $0.isNumber }) >= Limits.maskedTextCharacters else {
            return quoted(text, limit: limit)
        }
        return quoted(text.prefix(4) + String(repeating: "•", count: text.count - 4), limit: limit)
    }

    /// The link that redeems it. Source: StoreKit, "Supporting offer codes in your app".
    public func redemptionURL(appAppleId: AppAppleID) -> String {
        "https://apps.apple.com/redeem?ctx=offercodes&id=\(appAppleId)&code=\(rawValue)"
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
