import CSQLite

extension Connection {
    /// Every row of `sql`, decoded in order.
    func rows<Value>(
        _ sql: SQL, _ decode: (inout Row) throws(StorageError) -> Value
    ) throws(StorageError) -> [Value] {
        var values: [Value] = []
        try step(sql) { row throws(StorageError) in
            values.append(try decode(&row))
        }
        return values
    }

    /// The first row of `sql`, nil when there is none; the statement runs to its end all the same.
    func row<Value>(
        _ sql: SQL, _ decode: (inout Row) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        var value: Value?
        try step(sql) { row throws(StorageError) in
            if value == nil { value = try decode(&row) }
        }
        return value
    }

    /// The only column of the first row.
    func value<Value: ColumnValue>(_ sql: SQL, _ type: Value.Type = Value.self) throws(StorageError) -> Value? {
        try row(sql) { row throws(StorageError) in try row.next(type) }
    }

    /// Runs `sql` and counts the rows that it inserted, updated or deleted.
    @discardableResult
    func run(_ sql: SQL) throws(StorageError) -> Int {
        try step(sql) { _ in }
        return Int(sqlite3_changes64(handle))
    }

    /// The number of the row that the last `INSERT` of this connection made; cheaper than `RETURNING`, for which SQLite
    /// makes a table.
    var insertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs a script of the program's own, statement by statement, up to the first error.
    func execute(_ script: String) throws(StorageError) {
        if let lost { throw .transactionLost(because: lost) }
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        if code != SQLITE_OK { throw failure(code) }
    }

    private func step(_ sql: SQL, _ visit: (inout Row) throws(StorageError) -> Void) throws(StorageError) {
        if let lost { throw .transactionLost(because: lost) }
        let statement = try prepared(sql.key)
        statement.isInUse = true
        defer { statement.reset() }
        var code = statement.bind(sql.values)
        guard code == SQLITE_OK else { throw failure(code) }
        while true {
            code = sqlite3_step(statement.handle)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            var row = Row(of: statement.handle)
            try visit(&row)
        }
    }

    private func prepared(_ key: SQL.Key) throws(StorageError) -> Statement {
        if let statement = statements.statement(for: key) { return statement }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, key.text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw failure(code) }
        let statement = Statement(prepared)
        statements.insert(statement, for: key)
        return statement
    }

    /// The error that `code` stands for; a transaction that SQLite undid because of it is marked as lost.
    func failure(_ code: Int32) -> StorageError {
        let cause = StorageError(code: code, connection: self)
        guard isInTransaction, sqlite3_get_autocommit(handle) != 0 else { return cause }
        lost = cause
        return .transactionLost(because: cause)
    }
}

extension StorageError {
    /// Reads SQLite's result code; its primary code is the lowest byte.
    fileprivate init(code: Int32, connection: Connection) {
        let path = connection.path
        let message = String(cString: sqlite3_errmsg(connection.handle))
        self =
            switch code & 0xff {
            case SQLITE_BUSY: .busy(path: path)
            case SQLITE_FULL: .full(path: path)
            case SQLITE_READONLY, SQLITE_PERM: .readOnly(path: path)
            case SQLITE_IOERR: .inputOutput(path: path, code: code)
            case SQLITE_CORRUPT: .corrupt(path: path)
            case SQLITE_NOTADB: .foreignDatabase(path: path)
            case SQLITE_CANTOPEN: .cannotOpen(path: path, reason: message)
            default: .other(code: code, message: message)
            }
    }
}
