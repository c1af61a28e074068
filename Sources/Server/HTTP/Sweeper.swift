#if canImport(Glibc)
    import Glibc
#endif

/// A thread that looks at every open connection a few times a second and ends what takes too long.
///
/// The HTTP library's own timeout begins anew with every byte, so a client that sends one byte a second would stay for
/// ever; and a suspended connection has no timeout at all. `handle` and `wakeUp` are set in `init` and only read
/// afterwards; `stop` is called once.
final class Sweeper: @unchecked Sendable {
    private let wakeUp: (own: Int32, sweeper: Int32)
    private var handle = pthread_t()

    /// Starts the thread.
    ///
    /// `everyRound` is called a few times a second, for what else has to be looked at.
    init(
        _ table: ConnectionTable, _ counts: ConnectionCounts, everyRound: @escaping @Sendable () -> Void
    ) throws(ServerError) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .cannotStart("the thread that cuts slow connections")
        }
        wakeUp = (ends[0], ends[1])
        let body = Unmanaged.passRetained(
            SweeperBody(table: table, counts: counts, everyRound: everyRound, wakeUp: wakeUp.sweeper))
        guard pthread_create(&handle, nil, runSweeper, body.toOpaque()) == 0 else {
            body.release()
            close(wakeUp.own)
            close(wakeUp.sweeper)
            throw .cannotStart("the thread that cuts slow connections")
        }
    }

    /// Ends the thread; whatever it gave up has been answered by then.
    func stop() {
        close(wakeUp.own)
        pthread_join(handle, nil)
        close(wakeUp.sweeper)
    }
}

private final class SweeperBody: Sendable {
    private let table: ConnectionTable
    private let counts: ConnectionCounts
    private let everyRound: @Sendable () -> Void
    private let wakeUp: Int32

    init(
        table: ConnectionTable, counts: ConnectionCounts, everyRound: @escaping @Sendable () -> Void, wakeUp: Int32
    ) {
        self.table = table
        self.counts = counts
        self.everyRound = everyRound
        self.wakeUp = wakeUp
    }

    func run() {
        var wait = pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)
        var pause = Limits.sweepMilliseconds
        while true {
            let ready = poll(&wait, 1, pause)
            // A signal only makes one round come early.
            guard ready == 0 || (ready < 0 && errno == EINTR) else { return }
            everyRound()
            pause = sweep() ? Limits.sweepMilliseconds : Limits.crowdedSweepMilliseconds
        }
    }

    /// One round; false when it had to leave some for the next.
    ///
    /// Loops that had to close thousands of connections at once would keep everyone else waiting meanwhile.
    private func sweep() -> Bool {
        let now = uptimeMilliseconds()
        var cut = 0
        for connection in table.all {
            switch connection.sweep(now: now) {
            case nil: break
            case .cut(let reason):
                counts.cut(reason)
                cut += 1
            case .unanswered(let exchange): exchange.answer(Self.busy)
            }
            if cut == Limits.cutsInSweep { return false }
        }
        return true
    }

    private static let busy = Problem(.busy, "the database took too long to begin; nothing was done, try again")
        .response
}

private func runSweeper(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<SweeperBody>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
