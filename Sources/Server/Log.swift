public import CampaignCore

#if canImport(Glibc)
    import Glibc
#endif

/// One JSON object a line on a file descriptor, written in one call so that lines of several threads never mix.
///
/// No secret and no customer's identifier goes in: only codes, routes, request ids and our own words.
public struct Log: Sendable {
    /// How much a line matters.
    public enum Level: String, Sendable {
        case info
        case warning
        case error
    }

    private let descriptor: Int32

    /// A log on `descriptor`; 2 is standard error.
    public init(descriptor: Int32 = 2) {
        self.descriptor = descriptor
    }

    /// Writes one line: time, level, event and `members`.
    public func write(_ level: Level, _ event: String, at now: Instant, _ members: [JSON.Member] = []) {
        let line = JSON.object(
            [
                .init("time", .string(now.description)), .init("level", .string(level.rawValue)),
                .init("event", .string(event)),
            ] + members)
        let bytes = line.bytes + [UInt8(ascii: "\n")]
        // A log that cannot be written must not stop the service.
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
