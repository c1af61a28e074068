import CSQLite

extension Connection {
    /// Opens a transaction: one that holds the write lock from the start, or a snapshot on a read-only connection.
    ///
    /// A writer that starts by reading would be refused when it wants to write after someone else has. A snapshot is
    /// that of the first statement that reads. Errors: `busy` after the busy timeout, `replaced`.
    public func begin() throws(StorageError) {
        precondition(!isInTransaction, "a transaction is already open")
        // Writing to a file that has no name any more succeeds, and is gone with the process.
        if mode != .readOnly, hasMoved { throw .replaced(path: path) }
        if mode == .readOnly { try run("BEGIN") } else { try run("BEGIN IMMEDIATE") }
        isInTransaction = true
        transactionCount += 1
    }

    /// Whether the path leads to another file than the open one, or to none; one system call.
    private var hasMoved: Bool {
        var moved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }

    /// Makes the transaction durable; after an error none of it is kept and no transaction is open.
    ///
    /// After `inputOutput` a crash may still bring it back, so what was not answered must be safe to ask again.
    public func commit() throws(StorageError) {
        precondition(isInTransaction, "no transaction is open")
        do throws(StorageError) {
            try run("COMMIT")
            isInTransaction = false
        } catch {
            // The first error is the one to tell; a failing rollback adds nothing to it.
            try? rollback()
            throw error
        }
    }

    /// Undoes the transaction, also one that SQLite has undone already.
    public func rollback() throws(StorageError) {
        precondition(isInTransaction, "no transaction is open")
        isInTransaction = false
        rollbackCount += 1
        lost = nil
        if sqlite3_get_autocommit(handle) == 0 { try run("ROLLBACK") }
    }

    /// Runs `body` so that it can be undone alone inside the open transaction.
    ///
    /// What `body` throws is returned as the failure, and what it wrote is undone. An error that is thrown means that
    /// the transaction as a whole cannot go on: `transactionLost` when SQLite undid it.
    public func withSavepoint<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(StorageError) -> Result<Value, Failure> {
        precondition(isInTransaction, "no transaction is open")
        try run("SAVEPOINT one_request")
        let result: Result<Value, Failure>
        do throws(Failure) {
            result = .success(try body())
        } catch {
            result = .failure(error)
        }
        if case .failure = result {
            rollbackCount += 1
            try run("ROLLBACK TO one_request")
        }
        try run("RELEASE one_request")
        return result
    }

    /// Runs `body` in a transaction of its own and commits, or inside the one that is open.
    @discardableResult
    public func transaction<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        if isInTransaction { return try body() }
        try begin()
        let value: Value
        do throws(StorageError) {
            value = try body()
        } catch {
            try? rollback()
            throw error
        }
        try commit()
        return value
    }

    /// A number that differs from an earlier one when another connection has committed in between; costs no read.
    public func dataVersion() throws(StorageError) -> Int64 {
        guard let version: Int64 = try value("PRAGMA data_version") else {
            throw .other(code: SQLITE_MISUSE, message: "no data_version")
        }
        return version
    }
}
