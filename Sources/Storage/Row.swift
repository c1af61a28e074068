import CSQLite

/// The row a statement stands on, read from left to right in the order of its `SELECT`.
///
/// It cannot be copied, so it does not outlive the closure that is given it.
struct Row: ~Copyable {
    private let statement: OpaquePointer
    private var index: Int32 = 0

    init(of statement: OpaquePointer) {
        self.statement = statement
    }

    /// The next column; `corruptRow` when it is null or breaks the rule of `Value`.
    mutating func next<Value: ColumnValue>(_ type: Value.Type = Value.self) throws(StorageError) -> Value {
        let column = Column(statement: statement, index: index)
        guard let value = Value(column) else { throw column.corruptRow }
        index += 1
        return value
    }

    /// The next column, nil when it is null; `corruptRow` when it breaks the rule of `Value`.
    mutating func nextIfPresent<Value: ColumnValue>(_ type: Value.Type = Value.self) throws(StorageError) -> Value? {
        if Column(statement: statement, index: index).isNull {
            index += 1
            return nil
        }
        return try next(type)
    }
}

/// One column of the row that a statement stands on; what it gives is valid until the next step.
struct Column {
    fileprivate let statement: OpaquePointer
    fileprivate let index: Int32

    var isNull: Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

    var integer: Int64? {
        guard sqlite3_column_type(statement, index) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(statement, index)
    }

    /// Nil also for bytes that are not UTF-8.
    var text: String? {
        guard sqlite3_column_type(statement, index) == SQLITE_TEXT,
            let start = sqlite3_column_text(statement, index)
        else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
        // Identifiers are plain ASCII, which needs no validation.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The bytes of a text, copied and not looked at.
    var textBytes: [UInt8]? {
        guard sqlite3_column_type(statement, index) == SQLITE_TEXT,
            let start = sqlite3_column_text(statement, index)
        else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index))))
    }

    var blob: UnsafeRawBufferPointer? {
        guard sqlite3_column_type(statement, index) == SQLITE_BLOB else { return nil }
        // The pointer comes first: asking for it may change the length. An empty blob has none.
        let start = sqlite3_column_blob(statement, index)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
    }

    fileprivate var corruptRow: StorageError {
        let table = sqlite3_column_table_name(statement, index).map { String(cString: $0) }
        let name = sqlite3_column_name(statement, index).map { String(cString: $0) }
        return .corruptRow(table: table ?? "expression", column: name ?? "\(index)")
    }
}
