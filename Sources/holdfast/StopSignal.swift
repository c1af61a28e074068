@preconcurrency import Glibc

/// The signals that a server answers to: two end it in good order, one has it read its configuration again.
enum StopSignal {
    /// What an operator asked for.
    enum Wish {
        case stop
        case reload
    }

    /// Keeps them from ending the process by themselves; threads made later inherit that.
    static func block() {
        var signals = set([SIGTERM, SIGINT, SIGHUP])
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Whether somebody has asked to stop while that was blocked.
    static var isWished: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1
    }

    /// Keeps a SIGHUP that comes while the service starts from ending it; it is answered once the service runs.
    static func blockReload() {
        var signals = set([SIGHUP])
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next wish; nil when none came in time.
    static func next(withinSeconds seconds: Int) -> Wish? {
        var signals = set([SIGTERM, SIGINT, SIGHUP])
        var time = timespec(tv_sec: seconds, tv_nsec: 0)
        while true {
            let signal = sigtimedwait(&signals, nil, &time)
            if signal > 0 { return signal == SIGHUP ? .reload : .stop }
            if errno != EINTR { return nil }
        }
    }

    private static func set(_ numbers: [Int32]) -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        return signals
    }
}
