public import CampaignCore
import Crypto
public import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#endif

/// The only place that reads the clock or makes a UUID; everything inward takes values.
public struct Environment: Sendable {
    public var now: @Sendable () -> Instant
    public var makeUUID: @Sendable () -> UUID
    /// A clock that is never set, for durations alone.
    public var monotonicNanoseconds: @Sendable () -> UInt64

    public init(
        now: @escaping @Sendable () -> Instant, makeUUID: @escaping @Sendable () -> UUID,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64 = { Environment.systemMonotonicNanoseconds() }
    ) {
        self.now = now
        self.makeUUID = makeUUID
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// The system's clock, moved by `milliseconds`, and random UUIDs.
    public static func system(shiftedBy milliseconds: Int64 = 0) -> Environment {
        let uuids = RandomUUIDs()
        return Environment(now: { Instant(Date()).adding(milliseconds: milliseconds) }, makeUUID: { uuids.make() })
    }

    /// Nanoseconds since the machine started.
    public static func systemMonotonicNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
