import CampaignCore
import Synchronization

/// How many connections there are and have been, and which of them we ended or refused.
final class ConnectionCounts: Sendable {
    private let accepted = Atomic<Int>(0)
    private let closed = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let cuts = Mutex<[Cut: Int]>([:])
    private let log: Log?
    private let now: @Sendable () -> Instant

    /// Why a connection was cut.
    enum Cut: String, CaseIterable {
        /// The request was not complete in time.
        case request
        /// No further request came; the usual end of a connection, which is not logged.
        case idle
        /// The client did not take its answer in time.
        case answer
        /// A body went on long after the limit.
        case body
    }

    /// Counts that are not logged when `log` is nil.
    init(log: Log? = nil, now: @escaping @Sendable () -> Instant = { Instant(millisecondsSince1970: 0) }) {
        self.log = log
        self.now = now
    }

    func opened() { accepted.add(1, ordering: .relaxed) }

    func ended() { closed.add(1, ordering: .relaxed) }

    /// A connection was closed unread, because its network has as many as one may have.
    func refuse() {
        refused.add(1, ordering: .relaxed)
        note("refusedConnection", "connectionsPerNetwork")
    }

    func cut(_ reason: Cut) {
        cuts.withLock { $0[reason, default: 0] += 1 }
        if reason != .idle { note("cutConnection", reason.rawValue) }
    }

    private func note(_ event: String, _ reason: String) {
        log?.write(.warning, event, pacedAs: reason, at: now(), [.init("reason", .string(reason))])
    }

    func write(to text: inout PrometheusText) {
        let closed = closed.load(ordering: .relaxed)
        let accepted = accepted.load(ordering: .relaxed)
        text.value("holdfast_connections_open", .gauge, "Connections at this moment.", max(0, accepted - closed))
        text.value("holdfast_connections_accepted_total", .counter, "Connections since the start.", accepted)
        text.value(
            "holdfast_connections_refused_total", .counter, "Connections closed unread: too many of one network.",
            refused.load(ordering: .relaxed))
        let cuts = cuts.withLock { $0 }
        text.samples(
            "holdfast_connections_cut_total", .counter, "Connections ended by us, by what took too long or too much.",
            Cut.allCases.map { .init(cuts[$0] ?? 0, [(name: "reason", value: $0.rawValue)]) })
    }
}
