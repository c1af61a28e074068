import CSQLite
import Glibc

/// The connection that writes a copy: nobody else knows the file yet, so it takes no log and no waits for the disk.
final class CopyTarget {
    let handle: OpaquePointer
    private let path: String

    init(_ path: String) throws(StorageError) {
        self.path = path
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            path.hasPrefix("/") ? path : "./" + path, &opened,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw .cannotOpen(path: path, reason: String(cString: sqlite3_errstr(code)))
        }
        handle = opened
        try execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Takes the mark of a write-ahead log, which came along with the first page, out of the file.
    func makeSelfContained() throws(StorageError) {
        guard try text("PRAGMA journal_mode = DELETE") == "delete" else {
            throw .damagedCopy(path: path, fault: "it still needs a log beside it")
        }
    }

    /// What SQLite finds wrong in the whole file; nil when it is sound.
    func firstFault() throws(StorageError) -> String? {
        let answer = try text("PRAGMA integrity_check(1)")
        return answer == "ok" ? nil : answer ?? "it cannot be read"
    }

    func bytes() throws(StorageError) -> Int64 {
        Int64(try text("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? "") ?? 0
    }

    /// What SQLite's result code means for this file.
    func failure(_ code: Int32) -> StorageError {
        switch code & 0xff {
        case SQLITE_FULL: .full(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
        case SQLITE_IOERR: .inputOutput(path: path, code: code)
        case SQLITE_READONLY, SQLITE_PERM: .readOnly(path: path)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            .damagedCopy(path: path, fault: String(cString: sqlite3_errmsg(handle)))
        default: .other(code: code, message: String(cString: sqlite3_errmsg(handle)))
        }
    }

    private func execute(_ script: String) throws(StorageError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The first column of the first row.
    private func text(_ statement: String) throws(StorageError) -> String? {
        var prepared: OpaquePointer?
        var code = sqlite3_prepare_v2(handle, statement, -1, &prepared, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        defer { sqlite3_finalize(prepared) }
        code = sqlite3_step(prepared)
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw failure(code) }
        return sqlite3_column_text(prepared, 0).map { String(cString: $0) }
    }
}
