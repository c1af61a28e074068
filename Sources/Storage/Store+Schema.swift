public import CampaignCore

/// What an upgrade found and did.
public struct SchemaUpgrade: Hashable, Sendable {
    /// The newest migration before; nil for a database that was new.
    public let from: String?
    /// The newest migration now.
    public let to: String

    public var isUpToDate: Bool { from == to }
}

extension Store {
    /// Opens the database at `path`, makes or upgrades it, and says from where to where.
    ///
    /// Errors: as for opening a store.
    public static func upgrade(_ path: String, now: Instant) throws(StorageError) -> SchemaUpgrade {
        let connection = try Connection(path, mode: .readWriteCreate)
        let before = try Schema.migrations.newestApplied(on: connection)
        try Schema.migrations.apply(to: connection, now: now)
        return SchemaUpgrade(from: before, to: try Schema.migrations.newestApplied(on: connection) ?? "none")
    }
}
