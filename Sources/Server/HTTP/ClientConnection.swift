import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// One open connection: who is at the other end, and until when we wait for it.
///
/// Its event loop moves it from phase to phase; the sweeper ends a phase that takes too long. Each does so under the
/// mutex, so a request is either complete or cut, never both.
final class ClientConnection: Sendable {
    private let descriptor: Int32
    /// The address at the other end, which may be a proxy's.
    let peer: IPAddress
    private let deadlines: ConnectionDeadlines
    private let state: Mutex<State>

    private struct State {
        var phase: Phase
        var deadline: Int64
    }

    private enum Phase {
        /// The first request, from opening to its last byte.
        case opened
        /// Nothing since the last answer, as far as we can see.
        case idle
        /// A later request, from its first line to its last byte.
        case receiving
        case waiting(WaitingExchange)
        case answering
        /// By the sweeper; or closed, and then `descriptor` may already be another's.
        case cut

        /// What to call its end by the sweeper.
        var cut: ConnectionCounts.Cut {
            switch self {
            case .opened, .receiving, .waiting: .request
            case .idle, .cut: .idle
            case .answering: .answer
            }
        }
    }

    /// What the sweeper found.
    enum Overdue {
        case cut(ConnectionCounts.Cut)
        /// The lane is late; the sweeper has claimed the exchange and has to answer it.
        case unanswered(WaitingExchange)
    }

    init(descriptor: Int32, peer: IPAddress, deadlines: ConnectionDeadlines, now: Int64) {
        self.descriptor = descriptor
        self.peer = peer
        self.deadlines = deadlines
        state = Mutex(State(phase: .opened, deadline: now + deadlines.requestMilliseconds))
    }

    /// The first line of a request is there.
    func requestBegan(now: Int64) {
        state.withLock { state in
            guard case .idle = state.phase else { return }
            state = State(phase: .receiving, deadline: now + deadlines.requestMilliseconds)
        }
    }

    /// More of a large body is there: its time begins anew with each piece, for only its size is bounded.
    func requestGoesOn(now: Int64) {
        state.withLock { state in
            switch state.phase {
            case .opened, .receiving: state.deadline = now + deadlines.requestMilliseconds
            case .idle, .waiting, .answering, .cut: break
            }
        }
    }

    /// A request is complete, or its answer is about to leave; false when the connection was cut before.
    func answerBegan(now: Int64) -> Bool {
        enter(.answering, until: now + deadlines.answerMilliseconds)
    }

    /// A complete request waits for the lane.
    func waitBegan(_ exchange: WaitingExchange, now: Int64) {
        _ = enter(.waiting(exchange), until: now + deadlines.laneMilliseconds)
    }

    /// The answer has left, or the request has ended without one.
    func requestEnded(now: Int64) {
        _ = enter(.idle, until: now + deadlines.idleMilliseconds)
    }

    /// The socket is about to be closed.
    func closed() {
        state.withLock { $0.phase = .cut }
    }

    /// Ends the phase when its time is over; what was `waiting` stays so when the lane has begun the request.
    func sweep(now: Int64) -> Overdue? {
        state.withLock { state in
            guard state.deadline <= now else { return nil }
            switch state.phase {
            case .cut:
                return nil
            case .waiting(let waiting):
                return waiting.exchange.giveUp() ? .unanswered(waiting) : nil
            case .opened, .idle, .receiving, .answering:
                let reason = state.phase.cut
                state.phase = .cut
                // Under the mutex that `closed` takes, so the socket is still this connection's.
                shutdown(descriptor, Int32(SHUT_RDWR))
                return .cut(reason)
            }
        }
    }

    private func enter(_ phase: Phase, until deadline: Int64) -> Bool {
        state.withLock { state in
            if case .cut = state.phase { return false }
            state = State(phase: phase, deadline: deadline)
            return true
        }
    }
}
