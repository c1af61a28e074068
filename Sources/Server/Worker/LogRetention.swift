import CampaignCore
import Storage
import Synchronization

/// Removes entries of the payload log that are older than the configuration keeps them; facts stay.
///
/// It has no thread of its own. `look` is called a few times a second and, when it is time, queues one short piece of
/// work on the lane, where it shares a commit with the requests that wait there; never more than one is queued. A round
/// ends with the piece that finds nothing, and the next one begins a day later.
final class LogRetention: Sendable {
    private let lane: DatabaseLane
    private let log: Log
    private let state: Mutex<State>
    private let removedEntries = Atomic<Int>(0)

    private struct State {
        var keptMilliseconds: Int64
        /// No piece is queued before it.
        var due: Instant
        var isQueued = false
        /// Entries that the present round has removed so far.
        var removed = 0
        /// When the last round found nothing any more.
        var finished: Instant?
    }

    init(lane: DatabaseLane, log: Log, keptMilliseconds: Int64, now: Instant) {
        self.lane = lane
        self.log = log
        let due = now.adding(milliseconds: Limits.retentionStartMilliseconds)
        state = Mutex(State(keptMilliseconds: keptMilliseconds, due: due))
    }

    /// Keeps entries for another time from now on, and looks soon whether some are older.
    func replace(keptMilliseconds: Int64, now: Instant) {
        state.withLock { state in
            guard state.keptMilliseconds != keptMilliseconds else { return }
            state.keptMilliseconds = keptMilliseconds
            state.due = now
        }
    }

    /// Queues a piece of work when it is time for one.
    func look(at now: Instant) {
        let kept: Int64? = state.withLock { state in
            guard !state.isQueued, state.due <= now else { return nil }
            state.isQueued = true
            return state.keptMilliseconds
        }
        guard let kept else { return }
        let before = now.adding(milliseconds: -kept)
        lane.submit { [self] context throws(StorageError) in
            let count = try context.store.pruneLog(before: before)
            context.afterCommit { [self] in removed(count, receivedBefore: before, at: now) }
            return Self.done
        } answer: { [self] response in
            if response.status != Self.done.status { failed(at: now) }
        }
    }

    private func removed(_ count: Int, receivedBefore before: Instant, at now: Instant) {
        if count > 0 { removedEntries.add(count, ordering: .relaxed) }
        let total: Int? = state.withLock { state in
            state.isQueued = false
            state.removed += count
            guard count == 0 else { return nil }
            defer { state.removed = 0 }
            state.due = now.adding(milliseconds: Limits.retentionRoundMilliseconds)
            state.finished = now
            return state.removed
        }
        guard let total, total > 0 else { return }
        log.write(
            .info, "retention", at: now,
            [.init("removedEntries", .integer(Int64(total))), .init("receivedBefore", .instant(before))])
    }

    /// The lane has logged why; what was removed before stays removed.
    private func failed(at now: Instant) {
        state.withLock { state in
            state.isQueued = false
            state.due = now.adding(milliseconds: Limits.retentionRetryMilliseconds)
        }
    }

    func write(to text: inout PrometheusText) {
        text.value(
            "holdfast_retention_removed_entries_total", .counter,
            "Entries of the payload log that were removed because of their age.",
            removedEntries.load(ordering: .relaxed))
        let finished = state.withLock { $0.finished }
        guard let finished else { return }
        text.seconds(
            "holdfast_retention_timestamp_seconds", "When no entry of the payload log was too old any more.",
            milliseconds: finished.millisecondsSince1970)
    }

    private static let done = Response.json([])
}
