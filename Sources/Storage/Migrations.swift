import CampaignCore

/// One step of the schema. Steps are only ever added: what has been released is never edited, moved or removed.
struct Migration: Sendable {
    /// Counts from 1 without gaps.
    let number: Int64
    let name: String
    /// SQL statements, run inside the transaction that upgrades.
    let script: String

    /// As messages show it, such as `1 keys, grants and transaction facts`.
    var title: String { "\(number) \(name)" }
}

/// Brings a database to the schema that this program knows.
struct Migrations {
    let known: [Migration]

    /// Runs what is missing, all of it in one transaction, and records it with the instant `now`.
    ///
    /// A database that is up to date is only read. Of two processes that come at once the second finds the work done.
    /// Errors: `newerSchema` for a migration that this program does not know; the database is left as it was.
    func apply(to connection: Connection, now: Instant) throws(StorageError) {
        guard try pending(on: connection).isEmpty == false else { return }
        try connection.transaction { () throws(StorageError) in
            // Asked again under the lock: another process may have been first.
            for migration in try pending(on: connection) {
                try connection.execute(migration.script)
                try connection.run(
                    """
                    INSERT INTO schema_migration (number, name, applied_date)
                    VALUES (\(migration.number), \(migration.name), \(now))
                    """)
            }
        }
    }

    /// The title of the newest migration that the database has; nil when it has none.
    ///
    /// Errors: `newerSchema` for a migration that this program does not know.
    func newestApplied(on connection: Connection) throws(StorageError) -> String? {
        try known.dropLast(pending(on: connection).count).last?.title
    }

    /// Refuses a database that lacks a migration, for a connection that cannot add it.
    func requireApplied(on connection: Connection) throws(StorageError) {
        let pending = try pending(on: connection)
        guard let last = pending.last else { return }
        let newest = known.dropLast(pending.count).last?.title ?? "none"
        throw .olderSchema(found: newest, known: last.title)
    }

    /// What the database lacks, in order.
    private func pending(on connection: Connection) throws(StorageError) -> [Migration] {
        let applied = try applied(on: connection)
        for (index, found) in applied.enumerated() {
            guard index < known.count, known[index].number == found.number, known[index].name == found.name else {
                throw .newerSchema(found: "\(found.number) \(found.name)", known: known.last?.title ?? "none")
            }
        }
        return Array(known.dropFirst(applied.count))
    }

    private func applied(on connection: Connection) throws(StorageError) -> [(number: Int64, name: String)] {
        let tables: Int64? = try connection.value("SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migration'")
        guard tables == 1 else { return [] }
        return try connection.rows("SELECT number, name FROM schema_migration ORDER BY number") {
            row throws(StorageError) in (try row.next(), try row.next())
        }
    }
}
