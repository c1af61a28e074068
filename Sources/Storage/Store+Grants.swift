public import CampaignCore
public import FoundationEssentials

extension Grant.Decision: ColumnValue {}

extension Grant {
    fileprivate init(_ row: inout Row) throws(StorageError) {
        requestId = try row.next()
        kind = try row.next()
        bodyDigest = try row.next()
        keyName = try row.nextIfPresent()
        bundleId = try row.next()
        environment = try row.next()
        productId = try row.nextIfPresent()
        offerIdentifier = try row.nextIfPresent()
        originalTransactionId = try row.nextIfPresent()
        appAccountToken = try row.nextIfPresent()
        decision = try row.next()
        nonce = try row.nextIfPresent()
        timestamp = try row.nextIfPresent()
        keyId = try row.nextIfPresent()
        issuedDate = try row.next()
        expiresDate = try row.next()
        answer = try row.next()
    }
}

// Grants are history: no statement updates or deletes one.
extension Store {
    private static let grantColumns = SQL.Fragment(
        """
        request_id, kind, body_digest, key_name, bundle_id, environment, product_id, offer_identifier,
        original_transaction_id, app_account_token, decision, nonce, timestamp, key_id, issued_date, expires_date, answer
        """)

    /// Adds `grant`; the same `requestId` may come again after its first grant has expired.
    @discardableResult
    public func insertGrant(_ grant: Grant) throws(StorageError) -> OfferGrantRowID {
        try connection.transaction { () throws(StorageError) in
            try connection.run(
                """
                INSERT INTO offer_grant (\(raw: Self.grantColumns))
                VALUES (
                    \(grant.requestId), \(grant.kind), \(grant.bodyDigest), \(grant.keyName), \(grant.bundleId),
                    \(grant.environment), \(grant.productId), \(grant.offerIdentifier),
                    \(grant.originalTransactionId), \(grant.appAccountToken), \(grant.decision), \(grant.nonce),
                    \(grant.timestamp), \(grant.keyId), \(grant.issuedDate), \(grant.expiresDate), \(grant.answer))
                """)
            return OfferGrantRowID(rawValue: connection.insertedRow)
        }
    }

    private static let grantsRead = SQL.Fragment("ORDER BY id DESC LIMIT \(Limits.grantsRead)")

    /// The grants of one subscription, newest first; at most the 500 last ones.
    public func grants(
        originalTransactionId: OriginalTransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [Grant] {
        try connection.rows(
            """
            SELECT \(raw: Self.grantColumns) FROM offer_grant
            WHERE original_transaction_id = \(originalTransactionId) AND original_transaction_id IS NOT NULL
            AND bundle_id = \(bundleId) AND environment = \(environment)
            \(raw: Self.grantsRead)
            """
        ) { row throws(StorageError) in try Grant(&row) }
    }

    /// The newest grant of `requestId`, expired or not; nil when the id was never seen.
    public func newestGrant(requestId: UUID) throws(StorageError) -> Grant? {
        try connection.row(
            """
            SELECT \(raw: Self.grantColumns) FROM offer_grant WHERE request_id = \(requestId) ORDER BY id DESC LIMIT 1
            """
        ) { row throws(StorageError) in try Grant(&row) }
    }
}
