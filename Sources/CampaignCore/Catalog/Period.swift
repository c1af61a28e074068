/// How long a subscription period or an offer's step lasts: one number of one unit, such as `P1M` or `P3D`.
///
/// StoreKit and the App Store Server API write durations as ISO 8601 with a single unit; nothing longer is read.
public struct Period: Hashable, Sendable, CustomStringConvertible {
    /// The unit by its ISO 8601 letter.
    public enum Unit: Character, Hashable, Sendable, CaseIterable {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"
    }

    /// At least 1.
    public let value: Int
    public let unit: Unit

    /// Reads `P1W`, `P3D` and the like; nil for anything that would not print back as the same text.
    public init?(_ text: String) {
        var rest = Substring(text)
        guard rest.popFirst() == "P", let letter = rest.popLast(), let unit = Unit(rawValue: letter),
            let first = rest.utf8.first, first != UInt8(ascii: "0"), rest.utf8.count <= Limits.periodDigits,
            rest.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let value = Int(rest)
        else { return nil }
        self.value = value
        self.unit = unit
    }

    /// The same ISO 8601 text that was read.
    public var description: String { "P\(value)\(unit.rawValue)" }
}
