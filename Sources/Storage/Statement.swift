import CSQLite
import FoundationEssentials

/// One prepared statement of one connection.
final class Statement {
    let handle: OpaquePointer
    /// Whether its rows are being read, so that it cannot be bound anew.
    var isInUse = false
    /// The count of look-ups when it was last asked for; the smallest one is dropped first.
    var lastUse: UInt64 = 0

    /// The texts and blobs that are bound, one after the other: SQLite would allocate memory for each.
    private var bound = UnsafeMutableRawBufferPointer.allocate(byteCount: Limits.boundBytes, alignment: 1)

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
        bound.deallocate()
    }

    /// Binds every parameter; the count was fixed by the same interpolation that wrote the text.
    func bind(_ values: [SQL.Value]) -> Int32 {
        let byteCount = values.reduce(0) { $0 + $1.byteCount }
        if byteCount > bound.count {
            bound.deallocate()
            bound = .allocate(byteCount: byteCount, alignment: 1)
        }
        var rest = UnsafeMutableRawBufferPointer(rebasing: bound[...])
        for index in values.indices {
            let code = bind(values[index], at: Int32(index + 1), &rest)
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    private func bind(_ value: SQL.Value, at index: Int32, _ rest: inout UnsafeMutableRawBufferPointer) -> Int32 {
        switch value {
        case .null:
            return sqlite3_bind_null(handle, index)
        case .integer(let integer):
            return sqlite3_bind_int64(handle, index, integer)
        case .text(var text):
            let bytes = text.withUTF8 { Self.copy(UnsafeRawBufferPointer($0), &rest) }
            return sqlite3_bind_text64(
                handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil,
                UInt8(SQLITE_UTF8))
        case .blob(let blob):
            return bindBlob(blob.withUnsafeBytes { Self.copy($0, &rest) }, at: index)
        case .uuid(let uuid):
            return bindBlob(withUnsafeBytes(of: uuid.uuid) { Self.copy($0, &rest) }, at: index)
        }
    }

    /// Without a destructor SQLite takes no copy: `bound` stays as it is until `reset`.
    private func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
    }

    /// Copies `bytes` to the start of `rest`, which then begins after them; what is given has an address also when it is
    /// empty, because SQLite takes a value without one for null.
    private static func copy(
        _ bytes: UnsafeRawBufferPointer, _ rest: inout UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer(start: rest.baseAddress, count: bytes.count)
        copy.copyMemory(from: bytes)
        rest = UnsafeMutableRawBufferPointer(
            start: rest.baseAddress.map { $0 + bytes.count }, count: rest.count - bytes.count)
        return UnsafeRawBufferPointer(copy)
    }

    /// Ready for the next use; the memory of unusually large values is given back.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        if bound.count > Limits.boundBytesKept {
            bound.deallocate()
            bound = .allocate(byteCount: Limits.boundBytes, alignment: 1)
        }
        isInUse = false
    }
}

extension SQL.Value {
    /// What its copy takes.
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer: 0
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        case .uuid: MemoryLayout<uuid_t>.size
        }
    }
}
