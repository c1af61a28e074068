import Synchronization

/// Tells an import on another thread to give up.
public final class CodeImportStop: Sendable {
    private let isWanted = Atomic(false)

    public init() {}

    public func stop() {
        isWanted.store(true, ordering: .relaxed)
    }

    /// Errors: `stopped`, once that was asked for.
    public func check() throws(StorageError) {
        if isWanted.load(ordering: .relaxed) { throw .stopped }
    }
}
