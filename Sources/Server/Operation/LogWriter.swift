import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The thread that writes a log's lines, and the queue before it.
///
/// Lines of one thread keep their order, and each line leaves whole. When more wait than the queue holds, new ones are
/// dropped and counted: a log that cannot be written must not stop the service.
final class LogWriter: Sendable {
    private let lines = WorkQueue<[UInt8]>(limit: Limits.logQueue)
    private let counts = LogCounts()

    init(descriptor: Int32) {
        let box = Unmanaged.passRetained(LogThread(lines: lines, counts: counts, descriptor: descriptor))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, runLogThread, box.toOpaque()) == 0 else {
            // Without its thread a log drops and counts every line.
            box.release()
            lines.close()
            return
        }
        pthread_detach(thread)
    }

    deinit { lines.close() }

    var droppedLines: Int { counts.dropped.load(ordering: .relaxed) }

    func write(_ line: [UInt8]) {
        if lines.push(line) {
            counts.queued.add(1, ordering: .relaxed)
        } else {
            counts.dropped.add(1, ordering: .relaxed)
        }
    }

    func flush() {
        let queued = counts.queued.load(ordering: .relaxed)
        for _ in 0..<Limits.logFlushRounds where counts.handled.load(ordering: .acquiring) < queued {
            usleep(Limits.logFlushRoundMicroseconds)
        }
    }
}

/// What the writer and its thread both count.
private final class LogCounts: Sendable {
    let queued = Atomic<Int>(0)
    let handled = Atomic<Int>(0)
    let dropped = Atomic<Int>(0)
}

/// What the thread needs; it ends when the queue is closed and empty.
private final class LogThread: Sendable {
    private let lines: WorkQueue<[UInt8]>
    private let counts: LogCounts
    private let descriptor: Int32

    init(lines: WorkQueue<[UInt8]>, counts: LogCounts, descriptor: Int32) {
        self.lines = lines
        self.counts = counts
        self.descriptor = descriptor
    }

    func run() {
        while true {
            let batch = lines.take(most: Limits.logBatch)
            guard !batch.isEmpty else { return }
            if !write(Array(batch.joined())) { counts.dropped.add(batch.count, ordering: .relaxed) }
            counts.handled.add(batch.count, ordering: .releasing)
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written >= 0 {
                    rest = rest.dropFirst(written)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}

private func runLogThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<LogThread>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
