import Dispatch
import Synchronization

/// Runs `body` over slices of `items` on every core; what it gives is in the order of the items.
///
/// Each slice stays on one thread, so a signer or a codec can be made for it.
func onEveryCore<Item: Sendable, Outcome: Sendable>(
    _ items: [Item], sliceBy size: Int, _ body: @Sendable (ArraySlice<Item>) throws -> [Outcome]
) throws(CommandError) -> [Outcome] {
    let slices = (items.count + size - 1) / size
    let results = Mutex([Result<[Outcome], any Error>?](repeating: nil, count: slices))
    DispatchQueue.concurrentPerform(iterations: slices) { slice in
        let some = items[slice * size..<min((slice + 1) * size, items.count)]
        let result = Result { try body(some) }
        results.withLock { $0[slice] = result }
    }
    do {
        var outcomes: [Outcome] = []
        for case let result? in results.withLock({ $0 }) { outcomes += try result.get() }
        return outcomes
    } catch {
        throw .failed(error)
    }
}
