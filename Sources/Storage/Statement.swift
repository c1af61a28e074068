import CSQLite
import FoundationEssentials

/// One prepared statement of one connection.
final class Statement {
    let handle: OpaquePointer
    /// Whether its rows are being read, so that it cannot be bound anew.
    var isInUse = false
    /// The count of look-ups when it was last asked for; the smallest one is dropped first.
    var lastUse: UInt64 = 0

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Binds every parameter; the count was fixed by the same interpolation that wrote the text.
    func bind(_ values: [SQL.Value]) -> Int32 {
        var index: Int32 = 0
        for value in values {
            index += 1
            let code = bind(value, at: index)
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    private func bind(_ value: SQL.Value, at index: Int32) -> Int32 {
        switch value {
        case .null:
            sqlite3_bind_null(handle, index)
        case .integer(let integer):
            sqlite3_bind_int64(handle, index, integer)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text64(
                        handle, index, characters.baseAddress, UInt64(characters.count), copied, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes):
            bytes.withUnsafeBytes { bindBlob($0, at: index) }
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) { bindBlob($0, at: index) }
        }
    }

    private func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        // SQLite takes a blob without an address for null.
        if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
        return sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), copied)
    }

    /// Ready for the next use; copies of bound values are freed here, not kept until then.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        isInUse = false
    }
}

/// SQLite's `SQLITE_TRANSIENT`, a cast that is not imported: the bytes are copied before the call returns.
private var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
