import CSQLite
import Glibc

/// A database file that no other process can open as long as this is held, with its log taken into it.
///
/// Every connection to a database with a write-ahead log holds a shared lock on the file from its first statement until
/// it closes, whether it is busy or not. So leaving that mode, which needs the only lock, tells whether a server, a
/// command or a shell has the file open, and afterwards everything is in the one file.
final class ExclusiveDatabase {
    private var handle: OpaquePointer?
    /// For a file that SQLite cannot read: the bytes of the file that SQLite locks, locked by ourselves.
    private var descriptor: Int32 = -1

    /// Errors: `inUse`.
    init(_ path: String) throws(StorageError) {
        // SQLite would throw away the log of what it does not know as a database.
        guard Self.hasHeader(path) else {
            descriptor = try Self.lock(path)
            return
        }
        switch Self.takeOver(path) {
        case .success(let opened): handle = opened
        case .failure(.busy): throw .inUse(path: path)
        // Sound, and its log may hold what the file does not: not to be treated as damaged.
        case .failure(.full): throw .full(path: path)
        // A damaged database is the very reason to restore one.
        case .failure: descriptor = try Self.lock(path)
        }
    }

    deinit { release() }

    /// Whether SQLite could read it; then nothing beside it belongs to it any more.
    var isSound: Bool { handle != nil }

    /// Lets others open the file again.
    func release() {
        sqlite3_close_v2(handle)
        handle = nil
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Refuses a database that any process has open; one that is not there is not in use.
    static func requireUnused(_ path: String) throws(StorageError) {
        guard access(path, F_OK) == 0 else { return }
        let descriptor = try lock(path)
        close(descriptor)
    }

    private static func hasHeader(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let expected = Array("SQLite format 3".utf8) + [0]
        var found = [UInt8](repeating: 0, count: expected.count)
        return read(descriptor, &found, found.count) == found.count && found == expected
    }

    private static func takeOver(_ path: String) -> Result<OpaquePointer, StorageError> {
        var opened: OpaquePointer?
        var code = sqlite3_open_v2(
            path.hasPrefix("/") ? path : "./" + path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        if code == SQLITE_OK {
            code = sqlite3_exec(
                opened, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE", nil, nil, nil)
        }
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            switch code & 0xff {
            case SQLITE_BUSY: return .failure(.busy(path: path))
            case SQLITE_FULL: return .failure(.full(path: path))
            default: return .failure(.corrupt(path: path))
            }
        }
        return .success(opened)
    }

    /// SQLite's lock bytes begin at 1 GiB: a pending byte, a reserved byte and 510 shared ones ("File Locking And
    /// Concurrency"). An open file description lock excludes the locks of every other process.
    private static let firstLockByte: Int64 = 0x4000_0000
    private static let lockBytes: Int64 = 512

    private static func lock(_ path: String) throws(StorageError) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .fileFault(path: path) }
        guard FileLock.take(descriptor, from: firstLockByte, count: lockBytes) else {
            close(descriptor)
            throw .inUse(path: path)
        }
        return descriptor
    }
}
