import CampaignCore

/// What a store knows by heart of rows that are never changed or deleted.
///
/// A row that was inserted may be undone with its transaction, so all is forgotten after any rollback.
struct KnownRows {
    /// Few, so that comparing them costs less than hashing a name.
    var apps: [(bundleId: BundleID, environment: AppStoreEnvironment, id: Int64)] = []
    /// Newest last.
    var headers: [(header: [UInt8], id: Int64)] = []
    /// Of the batch that codes are given from: two hundred codes, of which one claim after the other takes the next.
    var block: CodeBlock.Lines?
    /// The subscription that was resolved last, in this very transaction.
    var subscription: ResolvedSubscription?
    var rollbacks = 0
    var transactions = 0
}

extension Store {
    /// Forgets what a rollback or another transaction has made doubtful.
    func refreshKnownRows() {
        if known.rollbacks != connection.rollbackCount {
            known = KnownRows()
            known.rollbacks = connection.rollbackCount
        }
        if known.transactions != connection.transactionCount {
            known.subscription = nil
            known.transactions = connection.transactionCount
        }
    }

    /// The number of an app in one environment; nil when nothing of it was ever recorded.
    func appId(_ bundleId: BundleID, _ environment: AppStoreEnvironment) throws(StorageError) -> Int64? {
        refreshKnownRows()
        let known = self.known.apps.first { $0.bundleId == bundleId && $0.environment == environment }
        if let known { return known.id }
        let id: Int64? = try connection.value(
            "SELECT id FROM app WHERE bundle_id = \(bundleId) AND environment = \(environment)")
        if let id { self.known.apps.append((bundleId, environment, id)) }
        return id
    }

    /// As `appId`, and makes the row when there is none; inside a transaction.
    func madeAppId(_ bundleId: BundleID, _ environment: AppStoreEnvironment) throws(StorageError) -> Int64 {
        if let id = try appId(bundleId, environment) { return id }
        try connection.run("INSERT INTO app (bundle_id, environment) VALUES (\(bundleId), \(environment))")
        guard let id = try appId(bundleId, environment) else { throw .corruptRow(table: "app", column: "id") }
        return id
    }
}
