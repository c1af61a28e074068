public import CampaignCore
public import FoundationEssentials

extension Store {
    /// The transactions of one subscription as they were last signed, newest purchase first, at most 500.
    public func transactions(
        originalTransactionId: OriginalTransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [TransactionFact] {
        guard let appId = try appId(bundleId, environment) else { return [] }
        var latest = LatestVersions()
        _ = try connection.rows(
            """
            SELECT \(raw: TransactionFact.columns) FROM transaction_fact AS f
            WHERE f.subscription_id = (
                SELECT id FROM subscription WHERE original_transaction_id = \(originalTransactionId)
                AND app_id = \(appId))
            \(raw: Self.newestPurchaseFirst)
            """
        ) { row throws(StorageError) in try latest.take(&row, of: originalTransactionId) }
        return latest.newestFirst(limit: Limits.transactionsRead)
    }

    /// The order of the key backwards, so that nothing is sorted.
    private static let newestPurchaseFirst = SQL.Fragment(
        """
        ORDER BY f.purchase_date DESC, f.transaction_id DESC, f.signed_date DESC, f.content_hash DESC,
        f.reported_status DESC LIMIT \(Limits.versionsRead)
        """)

    /// The transactions of every subscription that has one with this token, newest purchase first, at most 500.
    ///
    /// Apple leaves the token out of some renewals, so those of the same subscription belong to it all the same.
    public func transactions(
        appAccountToken: UUID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [TransactionFact] {
        guard let appId = try appId(bundleId, environment) else { return [] }
        return try transactions(
            of: connection.rows(
                """
                SELECT s.id, s.original_transaction_id FROM subscription_token AS l
                JOIN subscription AS s ON s.id = l.subscription_id
                WHERE l.app_account_token = \(appAccountToken) AND l.app_id = \(appId)
                \(raw: Self.subscriptionLimit)
                """, Self.name))
    }

    /// The transactions of every subscription bought with this download of the app, newest purchase first, at most 500.
    public func transactions(
        appTransactionId: AppTransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [TransactionFact] {
        guard let appId = try appId(bundleId, environment) else { return [] }
        return try transactions(
            of: connection.rows(
                """
                SELECT s.id, s.original_transaction_id FROM subscription_download AS l
                JOIN subscription AS s ON s.id = l.subscription_id
                WHERE l.app_transaction_id = \(appTransactionId) AND l.app_id = \(appId)
                \(raw: Self.subscriptionLimit)
                """, Self.name))
    }

    /// The transactions of the subscription that `transactionId` belongs to, newest purchase first, at most 500.
    ///
    /// Those of each one, should Apple have signed it for more than one.
    public func transactions(
        transactionId: TransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [TransactionFact] {
        guard let appId = try appId(bundleId, environment) else { return [] }
        return try transactions(
            of: connection.rows(
                """
                SELECT s.id, s.original_transaction_id FROM subscription_transaction AS l
                JOIN subscription AS s ON s.id = l.subscription_id
                WHERE l.transaction_id = \(transactionId) AND l.app_id = \(appId)
                \(raw: Self.subscriptionLimit)
                """, Self.name))
    }

    private typealias Name = (id: SubscriptionRowID, original: OriginalTransactionID)

    private static func name(_ row: inout Row) throws(StorageError) -> Name {
        (try row.next(), try row.next())
    }

    private static let subscriptionLimit = SQL.Fragment("LIMIT \(Limits.subscriptionsRead)")

    private func transactions(of subscriptions: [Name]) throws(StorageError) -> [TransactionFact] {
        var latest = LatestVersions()
        for subscription in subscriptions {
            _ = try connection.rows(
                """
                SELECT \(raw: TransactionFact.columns) FROM transaction_fact AS f
                WHERE f.subscription_id = \(subscription.id)
                \(raw: Self.newestPurchaseFirst)
                """
            ) { row throws(StorageError) in try latest.take(&row, of: subscription.original) }
        }
        return latest.newestFirst(limit: Limits.transactionsRead)
    }
}
