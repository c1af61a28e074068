public import CampaignCore
import Glibc

/// Puts a backup in the place of a database that nobody has open.
public enum Restore {
    /// What was done.
    public struct Report: Hashable, Sendable {
        /// Where the old database is now; nil when there was none.
        public let keptAside: String?
        public let bytes: Int64
        /// The newest migration that the backup had.
        public let backupSchema: String
    }

    /// Replaces the database at `path` by a checked, upgraded copy of `file`; `file` itself is only read.
    ///
    /// The order is such that a crash leaves either the old database or the new one: copy beside the database, check,
    /// upgrade the copy, make sure that nobody has the database open, link the old file under the name `aside`, and put
    /// the copy in its place with one rename. What a killed restore leaves behind does not hinder the next one.
    ///
    /// Errors: `foreignDatabase` and `corrupt` for what is no sound backup, `newerSchema`, `inUse` while any process has
    /// the database open or restores it, `exists` for a used `aside` or a `file` that is where the copy is made; nothing was changed then.
    public static func replace(
        _ path: String, with file: String, aside: String, now: Instant, nanoseconds: @escaping () -> UInt64,
        progress: @escaping (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) throws(StorageError) -> Report {
        var status = stat()
        guard stat(file, &status) == 0 else { throw .fileFault(path: file) }
        // An empty file is one that SQLite would take for a new database.
        guard status.st_size > 0 else { throw .foreignDatabase(path: file) }
        // Told before the long copy; what is decided on is asked again under the lock.
        try ExclusiveDatabase.requireUnused(path)
        let copyPath = path + ".restoring"
        var leftOver = stat()
        if stat(copyPath, &leftOver) == 0, leftOver.st_ino == status.st_ino, leftOver.st_dev == status.st_dev {
            // The copy would be made in the place of what it is made from.
            throw .exists(path: copyPath)
        }
        let copy = try CopyFile(copyPath)
        do throws(StorageError) {
            let (report, schema) = try fill(copy, from: file, now: now, nanoseconds, progress)
            let keptAside = try exchange(path, for: copy, aside: aside)
            return Report(keptAside: keptAside, bytes: report.bytes, backupSchema: schema)
        } catch {
            copy.remove()
            throw error
        }
    }

    /// Makes `copy` a copy of `file` that is sound and has the schema of this program, in one file.
    private static func fill(
        _ copy: CopyFile, from file: String, now: Instant, _ nanoseconds: @escaping () -> UInt64,
        _ progress: @escaping (_ done: Int, _ all: Int) -> Void
    ) throws(StorageError) -> (DatabaseCopyReport, schema: String) {
        let source = try Connection(file, mode: .readOnly)
        guard let schema = try Schema.migrations.newestApplied(on: source) else { throw .foreignDatabase(path: file) }
        let report = try DatabaseCopy(nanoseconds: nanoseconds, progress: progress).fill(copy.path, from: source)
        // Closing the only connection takes the log into the file and removes it.
        _ = try Store(copy.path, mode: .readWrite, now: now)
        guard copy.isSelfContained else {
            throw .damagedCopy(path: copy.path, fault: "it still needs a log beside it")
        }
        try flushFile(copy.path)
        return (report, schema)
    }

    /// Where the old database went; nil when there was none.
    private static func exchange(_ path: String, for copy: CopyFile, aside: String) throws(StorageError) -> String? {
        var old = stat()
        let isThere = stat(path, &old) == 0
        let lock = isThere ? try ExclusiveDatabase(path) : nil
        defer { lock?.release() }
        if isThere {
            try keep(path, as: aside)
            // Who restores is often root, and the service is not.
            if chown(copy.path, old.st_uid, old.st_gid) != 0, geteuid() == 0 { throw .fileFault(path: copy.path) }
        }
        // A log of the old file beside the new one would be taken for the new one's own.
        for suffix in ["-wal", "-journal"] where access(path + suffix, F_OK) == 0 {
            if lock?.isSound != true { try keep(path + suffix, as: aside + suffix) }
            unlink(path + suffix)
        }
        unlink(path + "-shm")
        guard rename(copy.path, path) == 0 else { throw .fileFault(path: path) }
        try flushFile(path)
        return isThere ? aside : nil
    }

    private static func keep(_ path: String, as aside: String) throws(StorageError) {
        guard link(path, aside) == 0 else {
            if errno == EEXIST { throw .exists(path: aside) }
            throw .fileFault(path: aside)
        }
    }
}
