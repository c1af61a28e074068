import CSQLite
import FoundationEssentials
import Glibc

/// One connection to a SQLite database file.
///
/// It belongs to one thread at a time and is not `Sendable`: SQLite is opened without its own mutex. A write-ahead log
/// lets readers go on while one connection writes, and a commit is on the disk (synchronous FULL) when it returns.
public final class Connection {
    public enum Mode: Sendable {
        case readWriteCreate
        case readWrite
        case readOnly
    }

    /// As it was given, for messages.
    public let path: String
    public let mode: Mode
    let handle: OpaquePointer
    var statements = StatementCache()
    /// Whether `begin` was called and neither `commit` nor `rollback` since.
    public internal(set) var isInTransaction = false
    /// How often anything was undone: what was learnt of rows before may be false.
    var rollbackCount = 0
    /// How many transactions have begun.
    var transactionCount = 0
    /// The error with which SQLite undid the open transaction; until `rollback` every statement is refused, because
    /// it would otherwise be committed on its own.
    var lost: StorageError?

    /// Opens the file at `path`, a plain path even where it looks like a URI; a new one gets mode 0600.
    ///
    /// Errors: `cannotOpen`, `readOnly`, `busy`, `foreignDatabase` for a file that is not Holdfast's, which is left as it
    /// was, and `corrupt`.
    public init(_ path: String, mode: Mode) throws(StorageError) {
        self.path = path
        self.mode = mode
        handle = try Self.open(path, mode)
        try configure()
    }

    deinit {
        // Runs also when `configure` throws. The file closes when the last statement has gone too, and a transaction
        // still open is undone.
        sqlite3_close_v2(handle)
    }

    private static func open(_ path: String, _ mode: Mode) throws(StorageError) -> OpaquePointer {
        guard !path.isEmpty else { throw .cannotOpen(path: path, reason: "the path is empty") }
        guard !path.utf8.contains(0) else { throw .cannotOpen(path: path, reason: "the path has a NUL character") }
        // Names such as ":memory:" and "file:x?mode=memory" mean something else to SQLite unless a folder comes first.
        let plainPath = path.hasPrefix("/") ? path : "./" + path
        if mode == .readWriteCreate { try create(plainPath, named: path) }
        let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            plainPath, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            let systemError = opened.map { sqlite3_system_errno($0) } ?? 0
            sqlite3_close_v2(opened)
            throw cannotOpen(path, code: code, systemError: systemError)
        }
        return opened
    }

    /// Makes an empty file that only its owner can read, unless something is there.
    ///
    /// `mknod` opens nothing: closing a descriptor would drop the locks that another connection of this process holds.
    private static func create(_ plainPath: String, named path: String) throws(StorageError) {
        guard mknod(plainPath, S_IFREG | 0o600, 0) != 0 else { return }
        switch errno {
        case EEXIST: return
        case EROFS: throw .readOnly(path: path)
        case ENOSPC, EDQUOT: throw .full(path: path)
        default: throw .cannotOpen(path: path, reason: reason(errno))
        }
    }

    private static func cannotOpen(_ path: String, code: Int32, systemError: Int32) -> StorageError {
        let sqliteReason = String(cString: sqlite3_errstr(code))
        return .cannotOpen(path: path, reason: systemError == 0 ? sqliteReason : reason(systemError))
    }

    /// The system's words for an error number, begun in lower case.
    private static func reason(_ systemError: Int32) -> String {
        let text = strerror(systemError).map { String(cString: $0) } ?? "error \(systemError)"
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Sets what holds for this connection, then makes sure that the file is ours, then changes the file.
    private func configure() throws(StorageError) {
        sqlite3_busy_timeout(handle, Limits.busyTimeoutMilliseconds)
        let kibibytes = mode == .readOnly ? Limits.readerCacheKibibytes : Limits.writerCacheKibibytes
        try execute(
            """
            PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL;
            PRAGMA cache_size = -\(kibibytes); PRAGMA journal_size_limit = \(Limits.walBytesKept);
            PRAGMA wal_autocheckpoint = \(Limits.walPagesBeforeCheckpoint)
            """)
        // Asked to write what may only be read, SQLite opens it for reading and says nothing.
        let isWritable = sqlite3_db_readonly(handle, "main") == 0
        guard mode == .readOnly || isWritable else { throw .readOnly(path: path) }
        try refuseForeignDatabase()
        if mode != .readOnly { try switchToWAL() }
    }

    private func refuseForeignDatabase() throws(StorageError) {
        do throws(StorageError) {
            // One statement, so one snapshot: between two, another process may make a new file ours.
            let found = try row(
                "SELECT (SELECT application_id FROM pragma_application_id), EXISTS (SELECT 1 FROM sqlite_schema)"
            ) { row throws(StorageError) in (owner: try row.next() as Int64, hasTables: try row.next() as Int64) }
            if found?.owner == Schema.applicationId { return }
            // A file that has no table yet is ours to take.
            guard found?.owner == 0, found?.hasTables == 0 else { throw .foreignDatabase(path: path) }
        } catch .corrupt where sqlite3_errcode(handle) & 0xff == SQLITE_NOTADB {
            throw .foreignDatabase(path: path)
        }
    }

    /// Two processes that switch a new file at once do not always wait for each other, so it is tried again.
    private func switchToWAL() throws(StorageError) {
        var waited: Int32 = 0
        while true {
            do throws(StorageError) {
                let mode = try value("PRAGMA journal_mode = WAL", String.self)
                guard mode == "wal" else {
                    throw .cannotOpen(path: path, reason: "its volume allows no write-ahead log")
                }
                return
            } catch .busy where waited < Limits.busyTimeoutMilliseconds {
                usleep(UInt32(Limits.walRetryPauseMilliseconds) * 1000)
                waited += Limits.walRetryPauseMilliseconds
            }
        }
    }
}
