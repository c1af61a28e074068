/// A string that names one kind of thing, so that a product cannot be passed where an offer belongs.
///
/// It is coded as the bare string.
public struct Tagged<Tag>: RawRepresentable, Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.rawValue < other.rawValue
    }

    public var description: String { rawValue }
}
