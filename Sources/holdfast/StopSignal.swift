@preconcurrency import Glibc

/// The signals that end a server in good order.
enum StopSignal {
    /// Keeps them from ending the process by themselves; threads made later inherit that.
    ///
    /// So is SIGHUP, which asks other servers to read their configuration again and must not end this one.
    static func block() {
        var signals = all
        sigaddset(&signals, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits until one of them comes.
    static func wait() {
        var signals = all
        var signal: Int32 = 0
        while sigwait(&signals, &signal) == EINTR {}
    }

    private static var all: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }
}
