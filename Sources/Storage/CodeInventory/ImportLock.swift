import Glibc

/// Tells an import that runs from one that was killed: while it runs it holds a lock on the byte of its batch's number
/// in the file `DATABASE-imports`, and the lock ends with the process however it ends.
final class ImportLock {
    private let descriptor: Int32
    private let path: String

    /// Errors: what the system says.
    init(beside database: String) throws(StorageError) {
        path = database + "-imports"
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .fileFault(path: path) }
    }

    deinit { close(descriptor) }

    /// Whether nobody else holds the lock of that batch; it does not wait.
    func take(batch: Int64) -> Bool { FileLock.take(descriptor, from: batch, count: 1) }
}

extension Store {
    /// Removes what imports that were killed have left, in short transactions; one that runs is left alone.
    public func wipeAbandonedImports() throws(StorageError) {
        let loading = try connection.rows("SELECT id FROM code_batch WHERE state = 'loading'") {
            row throws(StorageError) in try row.next(Int64.self)
        }
        for batch in loading {
            let lock = try ImportLock(beside: connection.path)
            if lock.take(batch: batch) { try wipe(batch: batch) }
        }
    }

    /// Removes a batch that is loading, its row last, so that being stopped here leaves it to the next one.
    func wipe(batch: Int64) throws(StorageError) {
        let ids = CodeBlock.rowIds(batch: batch)
        while true {
            let isLoading = try connection.value(
                "SELECT count(*) FROM code_batch WHERE id = \(batch) AND state = 'loading'", Int64.self)
            guard isLoading == 1 else { return }
            let wiped = try connection.transaction { () throws(StorageError) in
                try connection.run(
                    """
                    DELETE FROM code_block WHERE id IN (
                        SELECT id FROM code_block WHERE id BETWEEN \(ids.lowerBound) AND \(ids.upperBound)
                        ORDER BY id LIMIT \(CodeLimits.blocksWiped))
                    """)
            }
            if wiped < CodeLimits.blocksWiped { break }
            usleep(CodeLimits.loadingPauseMicroseconds)
        }
        try connection.transaction { () throws(StorageError) in
            try connection.run("DELETE FROM code_batch WHERE id = \(batch) AND state = 'loading'")
        }
    }
}
