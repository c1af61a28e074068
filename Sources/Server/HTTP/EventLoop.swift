import CMicrohttpd
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// One thread that lets the HTTP library work through what the sockets of one of its daemons have.
///
/// The library has threads of its own, but with them a request that waits for the lane costs six system calls: its
/// connection leaves the set of sockets and comes back, its loop is woken although it is awake, and its socket is read
/// once more in vain. Here the library asks for the answer again in each round of the loop, which costs next to nothing,
/// and the lane wakes the loop for many answers at once.
///
/// `daemon` and `thread` are set by `start`, before any other thread knows the loop, and the round's counts are its own.
final class EventLoop: @unchecked Sendable {
    /// The server lives longer than its loops' threads.
    unowned let server: HTTPServer
    private var daemon: OpaquePointer?
    private var thread: DedicatedThread?
    private let wakeUp: WakeUp
    private let inbox = Mutex(Inbox())
    /// What happened in this round of the loop.
    private var round = Round()

    private struct Round {
        /// Requests that still wait for their answers.
        var waiting = 0
        /// Whether a request moved on, so that the library may have more to do at once.
        var hasMoved = false
    }

    /// What other threads want of the loop.
    private struct Inbox {
        var answered: [(waiting: WaitingExchange, response: Response)] = []
        /// Whether something was wanted since the loop looked here.
        var hasNews = false
        /// Whether the loop waits for events and does not look here before it is woken.
        var isSleeping = false
        var wantsQuiet = false
        var wantsEnd = false

        /// Gives all of it to the loop; to end stays wanted.
        mutating func take() -> Inbox {
            let taken = self
            answered = []
            hasNews = false
            isSleeping = false
            return taken
        }
    }

    /// A loop without a daemon yet; nil when the process has no descriptor left.
    init?(of server: HTTPServer) {
        guard let wakeUp = WakeUp() else { return nil }
        self.wakeUp = wakeUp
        self.server = server
    }

    /// Starts the thread with a daemon of its own; false when the library could not make that.
    func start(_ makeDaemon: (_ context: UnsafeMutableRawPointer) -> OpaquePointer?) -> Bool {
        guard let daemon = makeDaemon(Unmanaged.passUnretained(self).toOpaque()) else { return false }
        self.daemon = daemon
        thread = DedicatedThread { [self] in run() }
        return true
    }

    /// Takes the answer of a request that waits, from any thread.
    func take(_ response: Response, for waiting: WaitingExchange) {
        change { $0.answered.append((waiting, response)) }
    }

    /// A request of this loop moves on, on the loop's thread.
    func moves() {
        round.hasMoved = true
    }

    /// A request of this loop has no answer yet, on the loop's thread.
    ///
    /// One that waits for long is suspended, so that a database that stands still does not keep the loop busy.
    func waits(_ exchange: Exchange, on connection: OpaquePointer) {
        exchange.roundsWaited += 1
        if exchange.roundsWaited > Limits.roundsAwake {
            exchange.isSuspended = true
            MHD_suspend_connection(connection)
        } else {
            round.waiting += 1
        }
    }

    /// Accepts no more connections.
    func quiesce() {
        change { $0.wantsQuiet = true }
    }

    /// Ends the thread, then closes every connection; nothing may be suspended any more.
    func stop() {
        change { $0.wantsEnd = true }
        thread?.join()
        // Whoever opened the listening socket closes it, so the daemon must not.
        MHD_quiesce_daemon(daemon)
        MHD_stop_daemon(daemon)
        daemon = nil
    }

    private func change(_ make: (inout Inbox) -> Void) {
        let wasSleeping = inbox.withLock { inbox in
            make(&inbox)
            inbox.hasNews = true
            defer { inbox.isSleeping = false }
            return inbox.isSleeping
        }
        if wasSleeping { wakeUp.call() }
    }

    /// For how long the library has nothing to do; nil for ever.
    private func pause(_ daemon: OpaquePointer) -> Int32? {
        var milliseconds: UInt64 = 0
        guard MHD_get_timeout(daemon, &milliseconds) == .YES, milliseconds == 0 else { return nil }
        // To the library a request that waits is work to do; whether it has other work it does not tell.
        return round.waiting > 0 && !round.hasMoved ? Limits.unsureMilliseconds : 0
    }

    /// Sleeps until a socket is ready or someone wants something, unless the library has more to do at once.
    private func sleep(_ ends: inout [pollfd], _ daemon: OpaquePointer) {
        let pause = pause(daemon)
        if pause == 0 { return }
        let isWanted = inbox.withLock { inbox in
            inbox.isSleeping = !inbox.hasNews
            return inbox.hasNews
        }
        if isWanted { return }
        ends[1].revents = 0
        // A signal only makes one round come early.
        poll(&ends, nfds_t(ends.count), pause ?? -1)
        if ends[1].revents != 0 { wakeUp.clear() }
    }

    private func run() {
        guard let daemon else { return }
        var ends = [holdfast_epoll_descriptor(daemon), wakeUp.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        var isQuiet = false
        while true {
            sleep(&ends, daemon)
            let wanted = inbox.withLock { $0.take() }
            for (waiting, response) in wanted.answered {
                waiting.exchange.stage = .answered(response)
                if waiting.exchange.isSuspended { MHD_resume_connection(waiting.connection) }
            }
            if wanted.wantsEnd { return }
            if wanted.wantsQuiet, !isQuiet {
                MHD_quiesce_daemon(daemon)
                isQuiet = true
            }
            round = Round()
            MHD_run(daemon)
        }
    }
}
