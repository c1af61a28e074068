#if canImport(Glibc)
    import Glibc
#endif

/// A bounded first-in, first-out queue between threads: many push, one takes what is there.
///
/// Every field is only touched with `mutex` held.
final class WorkQueue<Element>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let filled: UnsafeMutablePointer<pthread_cond_t>
    private var elements: [Element] = []
    private var isClosed = false
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        mutex = .allocate(capacity: 1)
        filled = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(filled, nil)
    }

    deinit {
        pthread_cond_destroy(filled)
        pthread_mutex_destroy(mutex)
        filled.deallocate()
        mutex.deallocate()
    }

    /// Whether there was room; false also once the queue is closed.
    func push(_ element: Element) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isClosed, elements.count < limit else { return false }
        elements.append(element)
        if elements.count == 1 { pthread_cond_signal(filled) }
        return true
    }

    /// Waits for elements and takes at most `most` of them, oldest first; empty only when closed and drained.
    func take(most: Int) -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while elements.isEmpty, !isClosed { pthread_cond_wait(filled, mutex) }
        return first(most)
    }

    /// Takes at most `most` of those that are there already, oldest first.
    func takeWaiting(most: Int) -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return first(most)
    }

    private func first(_ most: Int) -> [Element] {
        guard elements.count > most else {
            defer { elements = [] }
            return elements
        }
        defer { elements.removeFirst(most) }
        return Array(elements.prefix(most))
    }

    /// How many wait at this moment, for metrics.
    var count: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return elements.count
    }

    /// No more pushes; what is there is still taken.
    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_broadcast(filled)
        pthread_mutex_unlock(mutex)
    }
}
