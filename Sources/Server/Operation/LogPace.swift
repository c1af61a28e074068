import CampaignCore
import Synchronization

/// Bounds the lines that a stranger can cause at will, so that a flood of refusals does not fill the disk.
///
/// Of each kind some lines are written at once and then a steady few; the rest is counted and told in one line later.
/// Kinds are words of ours alone, so their number is bounded too.
final class LogPace: Sendable {
    private let kinds = Mutex<[Kind: Lines]>([:])

    /// Lines that are alike to a reader.
    struct Kind: Hashable {
        let level: Log.Level
        let event: String
        /// What tells them from others of the same event, such as a problem's code.
        let code: String
    }

    private struct Lines {
        var bucket: RateLimitBucket
        /// Those not written since the last that told of them.
        var leftOut = 0
        /// When the first of those came.
        var since: Instant
    }

    private static let limit = RateLimit(burst: Limits.logBurst, milliseconds: Limits.logMilliseconds)

    /// Whether one more line of `kind` is written; if not it is counted.
    func allows(_ kind: Kind, now: Instant) -> Bool {
        kinds.withLock { kinds in
            var lines = kinds[kind] ?? Lines(bucket: RateLimitBucket(now: now), since: now)
            defer { kinds[kind] = lines }
            guard lines.bucket.take(Self.limit, now: now) != nil else { return true }
            if lines.leftOut == 0 { lines.since = now }
            lines.leftOut += 1
            return false
        }
    }

    /// How many lines were left out of each kind, when it is time to tell; `isLast` tells all of them now.
    func takeLeftOut(now: Instant, isLast: Bool) -> [(kind: Kind, count: Int)] {
        kinds.withLock { kinds in
            var told: [(kind: Kind, count: Int)] = []
            for (kind, lines) in kinds where lines.leftOut > 0 {
                let age = now.millisecondsSince1970 - lines.since.millisecondsSince1970
                // A negative age is a clock that was set back.
                guard isLast || age < 0 || age >= Limits.logLeftOutMilliseconds else { continue }
                told.append((kind, lines.leftOut))
                kinds[kind]?.leftOut = 0
            }
            return told.sorted { $0.kind.code < $1.kind.code }
        }
    }
}
