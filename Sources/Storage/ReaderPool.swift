import Synchronization

/// Read-only stores of one database for whichever thread asks, such as an event loop that authenticates a request.
///
/// A thread never waits for another: when no store is free it opens one, and a few are kept for the next.
public final class ReaderPool: Sendable {
    /// A store on its way between threads.
    ///
    /// Sendable because it is in the list or with one thread, never both: it is taken out under the lock.
    private struct Idle: @unchecked Sendable {
        let store: Store
    }

    public let path: String
    private let idle = Mutex<[Idle]>([])

    /// Opens nothing yet; the database must have been upgraded by the first use.
    public init(path: String) {
        self.path = path
    }

    /// Runs `body` with a store that no other thread has meanwhile; it must not keep it.
    ///
    /// Errors: those of `Store(reading:)`, and what `body` throws.
    public func withReader<Value>(_ body: (Store) throws(StorageError) -> Value) throws(StorageError) -> Value {
        let reader = idle.withLock { $0.popLast() }
        let store = if let reader { reader.store } else { try Store(reading: path) }
        defer { putBack(store) }
        return try body(store)
    }

    private func putBack(_ store: Store) {
        // A snapshot that was left open would hold back the log, and show old rows to the next.
        if store.connection.isInTransaction { try? store.connection.rollback() }
        let reader = Idle(store: store)
        idle.withLock { list in
            if list.count < Limits.idleReaders { list.append(reader) }
        }
    }
}
