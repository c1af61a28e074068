#if canImport(Glibc)
    import Glibc
#endif

/// A POSIX thread that runs one closure; `join` may be called from any thread, once.
final class DedicatedThread: @unchecked Sendable {
    // Sendable because `handle` is written before the thread can be seen by others, and `isJoined` by one caller.
    private var handle = pthread_t()
    private var isJoined: Bool

    init(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(ThreadBody(body))
        isJoined = pthread_create(&handle, nil, runThreadBody, box.toOpaque()) != 0
        if isJoined { box.release() }
    }

    func join() {
        guard !isJoined else { return }
        isJoined = true
        pthread_join(handle, nil)
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func runThreadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
