public import CampaignCore

/// What Holdfast remembers, over one connection; every statement is written once, in the extension of its topic.
///
/// A function that writes does so in the open transaction, or in one of its own when none is open. Like its connection
/// a store belongs to one thread at a time.
public final class Store {
    public let connection: Connection
    var known = KnownRows()
    /// Made when it is first needed: a connection that only signs or reads keys needs none.
    lazy var codec = PayloadCodec()

    /// Opens the database at `path` for writing and upgrades it; `now` is recorded with each migration that runs.
    ///
    /// Errors: those of `Connection`, and `newerSchema`.
    public init(_ path: String, mode: Connection.Mode = .readWriteCreate, now: Instant) throws(StorageError) {
        precondition(mode != .readOnly, "a store that only reads is opened with init(reading:)")
        connection = try Connection(path, mode: mode)
        try Schema.migrations.apply(to: connection, now: now)
    }

    /// Opens the database at `path` for reading alone.
    ///
    /// Errors: those of `Connection`, `newerSchema`, and `olderSchema` when it has not been upgraded yet.
    public init(reading path: String) throws(StorageError) {
        connection = try Connection(path, mode: .readOnly)
        try Schema.migrations.requireApplied(on: connection)
    }
}
