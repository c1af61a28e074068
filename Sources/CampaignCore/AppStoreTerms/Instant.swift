public import FoundationEssentials

/// A point in time as Apple sends it: whole milliseconds since 1970 UTC, coded as that integer.
public struct Instant: Hashable, Comparable, Codable, Sendable {
    public let millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// The millisecond that `date` falls in; dates outside 64 bits of milliseconds stop at its ends.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        millisecondsSince1970 = Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    public init(from decoder: any Decoder) throws {
        millisecondsSince1970 = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(millisecondsSince1970)
    }

    public var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }

    /// Whole seconds since 1970, as JWS claims such as `iat` count them.
    public var secondsSince1970: Int64 {
        let (seconds, milliseconds) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        return milliseconds < 0 ? seconds - 1 : seconds
    }

    public func adding(milliseconds: Int64) -> Instant {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Instant(millisecondsSince1970: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.millisecondsSince1970 < other.millisecondsSince1970
    }
}
