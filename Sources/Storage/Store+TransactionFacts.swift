public import CampaignCore
public import FoundationEssentials

extension TransactionFact {
    fileprivate init(_ row: inout Row) throws(StorageError) {
        self.init(
            originalTransactionId: try row.next(), transactionId: try row.next(), productId: try row.next(),
            subscriptionGroupIdentifier: try row.nextIfPresent(), type: try row.next(),
            purchaseDate: try row.next(), expiresDate: try row.nextIfPresent(),
            revocationDate: try row.nextIfPresent(), isUpgraded: try row.nextIfPresent() ?? false,
            offerType: try row.nextIfPresent(), offerIdentifier: try row.nextIfPresent(),
            appAccountToken: try row.nextIfPresent(), inAppOwnershipType: try row.nextIfPresent(),
            appTransactionId: try row.nextIfPresent(), signedDate: try row.next())
    }
}

extension Store {
    /// Keeps what Apple signed about one transaction; true when that told anything new.
    ///
    /// `transaction` must have been verified. Every field is kept, also those that no decision reads yet. The rule for two
    /// facts about one transaction is that of `TransactionFactUpsert`.
    /// Errors: `incompleteTransaction` when a field is absent that every transaction has.
    @discardableResult
    public func recordTransaction(_ transaction: JWSTransactionDecodedPayload) throws(StorageError) -> Bool {
        try requireFields(of: transaction)
        let tokenSignedDate = transaction.appAccountToken == nil ? nil : transaction.signedDate
        return try connection.transaction { () throws(StorageError) in
            try connection.run(
                """
                INSERT INTO transaction_fact (\(raw: TransactionFactUpsert.columns))
                VALUES (
                    \(transaction.transactionId), \(transaction.bundleId), \(transaction.environment),
                    \(transaction.signedDate), \(transaction.revocationDate), \(transaction.isUpgraded),
                    \(transaction.purchaseDate), \(transaction.originalPurchaseDate), \(transaction.expiresDate),
                    \(transaction.quantity), \(transaction.revocationReason), \(transaction.revocationPercentage),
                    \(transaction.offerType), \(transaction.price),
                    \(transaction.originalTransactionId), \(transaction.productId), \(transaction.type),
                    \(transaction.webOrderLineItemId), \(transaction.subscriptionGroupIdentifier),
                    \(transaction.inAppOwnershipType), \(transaction.revocationType), \(transaction.offerIdentifier),
                    \(transaction.offerDiscountType), \(transaction.offerPeriod), \(transaction.storefront),
                    \(transaction.storefrontId), \(transaction.transactionReason), \(transaction.currency),
                    \(transaction.appTransactionId), \(transaction.appAccountToken), \(tokenSignedDate))
                \(raw: TransactionFactUpsert.onConflict)
                """) > 0
        }
    }

    private func requireFields(of transaction: JWSTransactionDecodedPayload) throws(StorageError) {
        let isAbsent = [
            ("transactionId", transaction.transactionId == nil), ("bundleId", transaction.bundleId == nil),
            ("environment", transaction.environment == nil),
            ("originalTransactionId", transaction.originalTransactionId == nil),
            ("productId", transaction.productId == nil), ("type", transaction.type == nil),
            ("purchaseDate", transaction.purchaseDate == nil), ("signedDate", transaction.signedDate == nil),
        ]
        if let absent = isAbsent.first(where: \.1) { throw .incompleteTransaction(field: absent.0) }
    }

    private static let factColumns = SQL.Fragment(
        """
        original_transaction_id, transaction_id, product_id, subscription_group_identifier, type, purchase_date,
        expires_date, revocation_date, is_upgraded, offer_type, offer_identifier, app_account_token,
        in_app_ownership_type, app_transaction_id, signed_date
        """)

    private static let newestFirst = SQL.Fragment(
        "ORDER BY purchase_date DESC, transaction_id DESC LIMIT \(Limits.transactionsRead)")

    /// The order of the index, so that nothing is sorted.
    private static let newestPurchaseFirst = SQL.Fragment(
        "ORDER BY purchase_date DESC LIMIT \(Limits.transactionsRead)")

    private static let subscriptionLimit = SQL.Fragment("LIMIT \(Limits.subscriptionsRead)")

    /// The transactions of one subscription, newest purchase first, at most 500.
    public func transactions(
        originalTransactionId: OriginalTransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [TransactionFact] {
        var facts = try connection.rows(
            """
            SELECT \(raw: Self.factColumns) FROM transaction_fact
            WHERE original_transaction_id = \(originalTransactionId) AND bundle_id = \(bundleId)
            AND environment = \(environment)
            \(raw: Self.newestPurchaseFirst)
            """
        ) { row throws(StorageError) in try TransactionFact(&row) }
        // Two purchases of one millisecond are rare, and cheaper to put in order here than by a sort of SQLite's.
        if zip(facts, facts.dropFirst()).contains(where: { $0.purchaseDate == $1.purchaseDate }) {
            facts.sort { ($0.purchaseDate, $0.transactionId) > ($1.purchaseDate, $1.transactionId) }
        }
        return facts
    }

    /// The transactions of every subscription that has one with this token, newest purchase first, at most 500.
    ///
    /// Apple leaves the token out of some renewals, so those of the same subscription belong to it all the same.
    public func transactions(
        appAccountToken: UUID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [TransactionFact] {
        try connection.rows(
            """
            SELECT \(raw: Self.factColumns) FROM transaction_fact
            WHERE original_transaction_id IN (
                SELECT DISTINCT original_transaction_id FROM transaction_fact
                WHERE app_account_token = \(appAccountToken) AND bundle_id = \(bundleId) AND environment = \(environment)
                \(raw: Self.subscriptionLimit))
            AND bundle_id = \(bundleId) AND environment = \(environment)
            \(raw: Self.newestFirst)
            """
        ) { row throws(StorageError) in try TransactionFact(&row) }
    }

    /// The transactions of every subscription bought with this download of the app, newest purchase first, at most 500.
    public func transactions(
        appTransactionId: AppTransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [TransactionFact] {
        try connection.rows(
            """
            SELECT \(raw: Self.factColumns) FROM transaction_fact
            WHERE original_transaction_id IN (
                SELECT DISTINCT original_transaction_id FROM transaction_fact
                WHERE app_transaction_id = \(appTransactionId) AND bundle_id = \(bundleId)
                AND environment = \(environment)
                \(raw: Self.subscriptionLimit))
            AND bundle_id = \(bundleId) AND environment = \(environment)
            \(raw: Self.newestFirst)
            """
        ) { row throws(StorageError) in try TransactionFact(&row) }
    }

    /// The transactions of the subscription that `transactionId` belongs to, newest purchase first, at most 500.
    public func transactions(
        transactionId: TransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [TransactionFact] {
        try connection.rows(
            """
            SELECT \(raw: Self.factColumns) FROM transaction_fact
            WHERE original_transaction_id = (
                SELECT original_transaction_id FROM transaction_fact
                WHERE transaction_id = \(transactionId) AND bundle_id = \(bundleId) AND environment = \(environment))
            AND bundle_id = \(bundleId) AND environment = \(environment)
            \(raw: Self.newestFirst)
            """
        ) { row throws(StorageError) in try TransactionFact(&row) }
    }
}
