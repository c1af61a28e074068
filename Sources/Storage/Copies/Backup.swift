import Glibc

/// Makes a copy of a database that is in use.
public enum Backup {
    /// Copies the database at `path` to the new file `file`, in steps of at most 50 ms, and checks the copy.
    ///
    /// The database is only read: one of an older program is not upgraded, so that it can be backed up before it is.
    /// `file` gets its name when it is whole and sound; until then it is `file.partial`.
    ///
    /// - Parameters:
    ///   - nanoseconds: a monotonic clock.
    ///   - progress: told the pages that are done and all there are.
    ///
    /// Errors: `exists` when `file` or a left-over of it is there, those of `Connection`, and `damagedCopy`.
    public static func write(
        _ path: String, to file: String, nanoseconds: @escaping () -> UInt64,
        progress: @escaping (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) throws(StorageError) -> DatabaseCopyReport {
        var status = stat()
        // A link to nowhere is in the way too.
        if lstat(file, &status) == 0 { throw .exists(path: file) }
        let partial = file + ".partial"
        let source = try Connection(path, mode: .readOnly)
        let report = try DatabaseCopy(nanoseconds: nanoseconds, progress: progress).write(source, to: partial)
        // A link never replaces what has come there meanwhile.
        guard link(partial, file) == 0 else {
            let fault = errno == EEXIST ? StorageError.exists(path: file) : .fileFault(path: file)
            unlink(partial)
            throw fault
        }
        unlink(partial)
        try flushFile(file)
        return report
    }
}
