public import CampaignCore
public import FoundationEssentials

/// The only place that reads the clock or makes a UUID; everything inward takes values.
public struct Environment: Sendable {
    public var now: @Sendable () -> Instant
    public var makeUUID: @Sendable () -> UUID

    public init(now: @escaping @Sendable () -> Instant, makeUUID: @escaping @Sendable () -> UUID) {
        self.now = now
        self.makeUUID = makeUUID
    }

    /// The system's clock, moved by `milliseconds`, and random UUIDs.
    public static func system(shiftedBy milliseconds: Int64 = 0) -> Environment {
        Environment(now: { Instant(Date()).adding(milliseconds: milliseconds) }, makeUUID: { UUID() })
    }
}
