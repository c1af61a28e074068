import CSQLite
public import CampaignCore
import FoundationEssentials
import Glibc

/// How large a database is, in bytes.
public struct DatabaseSize: Hashable, Sendable {
    public let file: Int64
    /// Inside `file` but unused; new rows go there first.
    public let free: Int64
    /// The write-ahead log beside it.
    public let writeAheadLog: Int64
}

extension Store {
    /// Reads and writes one row, so that a full disk or a lock is noticed before a customer asks; for readiness.
    ///
    /// Errors: whatever keeps the database from being read or written; `isTemporary` ones among them.
    public func check(now: Instant) throws(StorageError) {
        // One row may still fit where a batch of requests does not.
        guard freeBytes >= Limits.freeBytesForWrites else { throw .full(path: connection.path) }
        try connection.transaction { () throws(StorageError) in
            let checked: Instant? = try connection.value(
                """
                INSERT INTO health_check (id, checked_date) VALUES (1, \(now))
                ON CONFLICT (id) DO UPDATE SET checked_date = excluded.checked_date
                RETURNING checked_date
                """)
            if checked != now { throw .corruptRow(table: "health_check", column: "checked_date") }
        }
    }

    /// What is free for the file on its volume; unknown counts as enough.
    private var freeBytes: Int64 {
        var volume = statvfs()
        guard statvfs(connection.path, &volume) == 0 else { return .max }
        return Int64(volume.f_bavail) * Int64(volume.f_frsize)
    }

    /// The faults that SQLite finds in the file, none when it is sound; reads all of it, so it is for `doctor`.
    public func quickCheck() throws(StorageError) -> [String] {
        let faults: [String]
        do throws(StorageError) {
            faults = try connection.rows("PRAGMA quick_check(\(raw: Self.faultsListed))") {
                row throws(StorageError) in try row.next()
            }
        } catch .corrupt(let path) {
            return ["database '\(path)' cannot be read to its end"]
        }
        return faults == ["ok"] ? [] : faults
    }

    private static let faultsListed = SQL.Fragment("\(Limits.integrityFaultsListed)")

    /// The size of the file and of its log as they are now.
    public func size() throws(StorageError) -> DatabaseSize {
        let pageSize = try connection.value("PRAGMA page_size", Int64.self) ?? 0
        let pages = try connection.value("PRAGMA page_count", Int64.self) ?? 0
        let freePages = try connection.value("PRAGMA freelist_count", Int64.self) ?? 0
        var status = stat()
        // No log beside the file means that everything is in the file.
        let hasLog = stat(connection.path + "-wal", &status) == 0
        return DatabaseSize(
            file: pages * pageSize, free: freePages * pageSize, writeAheadLog: hasLog ? Int64(status.st_size) : 0)
    }
}
