#if canImport(Glibc)
    import Glibc
#endif

/// Ends another thread's wait in `poll`: a descriptor that is readable from `call` to `clear`.
///
/// It is in a file of its own, because the HTTP library's header declares the constants of sockets once more.
final class WakeUp: Sendable {
    let descriptor: Int32
    private let caller: Int32

    /// Nil when the process has no descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        (descriptor, caller) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(caller)
    }

    /// To be called once for each wait; a second byte would only be read later.
    func call() {
        var byte: UInt8 = 0
        write(caller, &byte, 1)
    }

    /// To be called when `descriptor` is readable.
    func clear() {
        var byte: UInt8 = 0
        read(descriptor, &byte, 1)
    }
}
