import CSQLite
import Glibc

/// How a copy of a database went.
public struct DatabaseCopyReport: Hashable, Sendable {
    /// Bytes of the new file.
    public let bytes: Int64
    /// How many steps it took, and how long the longest was, in nanoseconds.
    public let steps: Int
    public let longestStepNanoseconds: UInt64
}

/// Copies the database of one connection, as it is at one instant, into a new file of its own.
///
/// The copy needs no file beside it: it is written without a log, flushed to the disk, and checked by SQLite from its
/// first page to its last. While it is made others read and write the database; what they write meanwhile is not in it.
struct DatabaseCopy {
    /// A monotonic clock, to keep each step short.
    let nanoseconds: () -> UInt64
    /// Told the pages that are done and all there are, after each step.
    let progress: (_ done: Int, _ all: Int) -> Void

    /// Writes the new file at `path`, readable by its owner alone; it is removed again when anything fails.
    ///
    /// Errors: `exists`, what opening and writing may throw, and `damagedCopy` when the copy is not sound.
    func write(_ source: Connection, to path: String) throws(StorageError) -> DatabaseCopyReport {
        try Self.createFile(path)
        return try fill(path, from: source)
    }

    /// The same into an empty file that is there.
    func fill(_ path: String, from source: Connection) throws(StorageError) -> DatabaseCopyReport {
        do throws(StorageError) {
            let report = try copy(source, to: path)
            try flushFile(path)
            return report
        } catch {
            unlink(path)
            unlink(path + "-journal")
            throw error
        }
    }

    private static func createFile(_ path: String) throws(StorageError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { throw .exists(path: path) }
            throw .fileFault(path: path)
        }
        close(descriptor)
    }

    private func copy(_ source: Connection, to path: String) throws(StorageError) -> DatabaseCopyReport {
        let target = try CopyTarget(path)
        // Every step reads the same snapshot. Without it a commit of another process would start the copy anew, and
        // under steady writing it would never end.
        try source.begin()
        defer { try? source.rollback() }
        _ = try source.value("SELECT count(*) FROM sqlite_schema", Int64.self)
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.failure(sqlite3_errcode(target.handle))
        }
        var pages: Int32 = Limits.firstCopyStepPages
        var steps = 0
        var longest: UInt64 = 0
        var code = SQLITE_OK
        while code == SQLITE_OK {
            let began = nanoseconds()
            code = sqlite3_backup_step(backup, pages)
            let took = nanoseconds() - began
            steps += 1
            longest = max(longest, took)
            pages = Self.nextStep(after: pages, took: took)
            let all = Int(sqlite3_backup_pagecount(backup))
            progress(all - Int(sqlite3_backup_remaining(backup)), all)
        }
        let finished = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, finished == SQLITE_OK else { throw target.failure(code) }
        try target.makeSelfContained()
        if let fault = try target.firstFault() { throw .damagedCopy(path: path, fault: fault) }
        return DatabaseCopyReport(bytes: try target.bytes(), steps: steps, longestStepNanoseconds: longest)
    }

    /// Half as many pages after a step that came near the limit, twice as many after a short one.
    static func nextStep(after pages: Int32, took nanoseconds: UInt64) -> Int32 {
        if nanoseconds > Limits.copyStepNanoseconds / 2 { return max(1, pages / 2) }
        if nanoseconds < Limits.copyStepNanoseconds / 8 { return min(Limits.largestCopyStepPages, pages * 2) }
        return pages
    }
}

/// Waits until the bytes of the file at `path` and its name in its folder are on the disk.
func flushFile(_ path: String) throws(StorageError) {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    for (place, flags) in [(path, O_RDONLY), (folder, O_RDONLY | O_DIRECTORY)] {
        let descriptor = open(place, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw .fileFault(path: place) }
        let code = fsync(descriptor)
        let reason = errno
        close(descriptor)
        errno = reason
        guard code == 0 else { throw .fileFault(path: place) }
    }
}
