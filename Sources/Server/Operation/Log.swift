public import CampaignCore

/// One JSON object a line on a file descriptor, written by a thread of its own so that a slow disk or reader holds nobody.
///
/// No secret goes in at any level, and no customer's identifier above `debug`: only codes, routes, request ids and our
/// own words.
public struct Log: Sendable {
    /// How much a line matters; the order is that of importance.
    public enum Level: String, CaseIterable, Comparable, Sendable {
        case debug
        case info
        case warning
        case error

        private var importance: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }

        public static func < (one: Self, other: Self) -> Bool { one.importance < other.importance }
    }

    /// Lines below it are not written.
    public let level: Level
    private let writer: LogWriter
    private let pace = LogPace()

    /// A log on `descriptor`; 2 is standard error. Copies share one writer, which ends with the last of them.
    public init(descriptor: Int32 = 2, level: Level = .info) {
        self.level = level
        writer = LogWriter(descriptor: descriptor)
    }

    /// Whether a line of `level` is written, for what is costly to put together.
    public func writes(_ level: Level) -> Bool { level >= self.level }

    /// Writes one line: time, level, event and `members`; never waits.
    public func write(_ level: Level, _ event: String, at now: Instant, _ members: [JSON.Member] = []) {
        guard writes(level) else { return }
        let line = JSON.object(
            [
                .init("time", .string(now.description)), .init("level", .string(level.rawValue)),
                .init("event", .string(event)),
            ] + members)
        writer.write(line.bytes + [UInt8(ascii: "\n")])
    }

    /// Writes one line that a stranger can cause at will, unless those of this event and `code` come too fast.
    ///
    /// What is left out is counted, and `tellLeftOut` says how much it was. `members` is only asked for when written.
    public func write(
        _ level: Level, _ event: String, pacedAs code: String, at now: Instant,
        _ members: @autoclosure () -> [JSON.Member]
    ) {
        guard writes(level), pace.allows(.init(level: level, event: event, code: code), now: now) else { return }
        write(level, event, at: now, members())
    }

    /// Writes how many lines were left out of each kind, when it is time; `isLast` tells all of them now.
    public func tellLeftOut(at now: Instant, isLast: Bool = false) {
        for (kind, count) in pace.takeLeftOut(now: now, isLast: isLast) {
            write(
                kind.level, "notLogged", at: now,
                [
                    .init("like", .string(kind.event)), .init("code", .string(kind.code)),
                    .init("count", .integer(Int64(count))),
                    .init("detail", .string("\(count) more like this were not logged")),
                ])
        }
    }

    /// Lines that were left out, because too many waited or the descriptor refused them.
    public var droppedLines: Int { writer.droppedLines }

    /// Waits until what was written before has left, a second at most.
    public func flush() { writer.flush() }
}
