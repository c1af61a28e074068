/// The number that stands for one subscription in this database, for its whole life here.
public struct SubscriptionRowID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The number of one entry of the log of signed payloads; later arrivals have greater ones.
public struct PayloadID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension SubscriptionRowID: ColumnValue {}
extension PayloadID: ColumnValue {}
