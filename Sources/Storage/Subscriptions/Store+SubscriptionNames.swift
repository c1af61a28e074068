import CampaignCore
import Crypto
import FoundationEssentials

/// A subscription's row as facts about it need it.
struct ResolvedSubscription {
    let appId: Int64
    let originalTransactionId: OriginalTransactionID
    let id: SubscriptionRowID
    /// Of the links that are known to be written, the one to the token and the one to the download seen last.
    var token: UUID?
    var download: AppTransactionID?
    /// Of the current period, when it was folded: it is linked.
    var transaction: TransactionID?
    /// What was signed until then is not to come back.
    let erasedDate: Instant?
    /// What all its facts make it, as far as later ones need it; nil when it was not folded, or not since the last fact.
    var period: PeriodSoFar?

    /// The same, with every link still to be written.
    var withoutLinks: ResolvedSubscription {
        ResolvedSubscription(
            appId: appId, originalTransactionId: originalTransactionId, id: id, erasedDate: erasedDate)
    }
}

extension Store {
    /// The row of a subscription, made when there is none; nil when `signedDate` is not after its erasure.
    ///
    /// Inside a transaction.
    func resolvedSubscription(
        _ name: OriginalTransactionID, appId: Int64, signedDate: Instant
    ) throws(StorageError) -> ResolvedSubscription? {
        refreshKnownRows()
        var resolved: ResolvedSubscription
        if let last = known.subscription, last.appId == appId, last.originalTransactionId == name {
            resolved = last
        } else if let found = try foundSubscription(name, appId: appId) {
            resolved = found
        } else {
            let erased = try erasedDate(of: name, appId: appId)
            if let erased, signedDate <= erased { return nil }
            try connection.run(
                """
                INSERT INTO subscription (app_id, original_transaction_id, erased_date)
                VALUES (\(appId), \(name), \(erased))
                """)
            resolved = ResolvedSubscription(
                appId: appId, originalTransactionId: name, id: SubscriptionRowID(rawValue: connection.insertedRow),
                erasedDate: erased)
        }
        if let erased = resolved.erasedDate, signedDate <= erased { return nil }
        known.subscription = resolved
        return resolved
    }

    /// Whether what was signed at `signedDate` is not to come back, because the customer was erased later.
    func isErased(_ name: OriginalTransactionID, appId: Int64, signedDate: Instant) throws(StorageError) -> Bool {
        try erasedDate(of: name, appId: appId).map { signedDate <= $0 } ?? false
    }

    private func erasedDate(of name: OriginalTransactionID, appId: Int64) throws(StorageError) -> Instant? {
        try connection.value(
            "SELECT erased_date FROM erased_subscription WHERE digest = \(Self.erasureDigest(name, appId: appId))")
    }

    func foundSubscription(
        _ name: OriginalTransactionID, appId: Int64
    ) throws(StorageError) -> ResolvedSubscription? {
        try connection.row(
            """
            SELECT id, erased_date, app_account_token, app_transaction_id, transaction_id, purchase_date,
                first_signed_date, newest_signed_date
            FROM subscription WHERE original_transaction_id = \(name) AND app_id = \(appId)
            """
        ) { row throws(StorageError) in
            var found = ResolvedSubscription(
                appId: appId, originalTransactionId: name, id: try row.next(), erasedDate: try row.nextIfPresent())
            found.token = try row.nextIfPresent()
            found.download = try row.nextIfPresent()
            found.transaction = try row.nextIfPresent()
            if let transaction = found.transaction {
                found.period = PeriodSoFar(
                    transactionId: transaction, purchaseDate: try row.next(), firstSignedDate: try row.next(),
                    newestSignedDate: try row.next(), appAccountToken: found.token, appTransactionId: found.download)
            }
            return found
        }
    }

    /// What stays of an erased subscription: enough to know it again, and none of its characters.
    static func erasureDigest(_ name: OriginalTransactionID, appId: Int64) -> [UInt8] {
        SHA256.digest(Array("erased subscription \(appId) \(name.rawValue)".utf8))
    }

    /// Writes the links from a fact's names to its subscription, those that are not written yet.
    func link(_ fact: TransactionFact, to subscription: ResolvedSubscription) throws(StorageError) {
        var linked = subscription
        if let token = fact.appAccountToken, token != linked.token {
            try connection.run(
                """
                INSERT INTO subscription_token (app_account_token, app_id, subscription_id)
                VALUES (\(token), \(linked.appId), \(linked.id)) ON CONFLICT DO NOTHING
                """)
            linked.token = token
        }
        if let download = fact.appTransactionId, download != linked.download {
            try connection.run(
                """
                INSERT INTO subscription_download (app_transaction_id, app_id, subscription_id)
                VALUES (\(download), \(linked.appId), \(linked.id)) ON CONFLICT DO NOTHING
                """)
            linked.download = download
        }
        known.subscription = linked
    }

    /// Links a transaction to its subscription; false when it was linked before.
    func linkTransaction(
        _ transactionId: TransactionID, to subscription: ResolvedSubscription
    ) throws(StorageError) -> Bool {
        if transactionId == subscription.transaction { return false }
        return try connection.run(
            """
            INSERT INTO subscription_transaction (transaction_id, app_id, subscription_id)
            VALUES (\(transactionId), \(subscription.appId), \(subscription.id)) ON CONFLICT DO NOTHING
            """) > 0
    }

    /// Which other subscriptions a transaction was signed for.
    func otherClaims(
        on transactionId: TransactionID, than subscription: ResolvedSubscription
    ) throws(StorageError) -> [OriginalTransactionID] {
        try connection.rows(
            """
            SELECT s.original_transaction_id FROM subscription_transaction AS t
            JOIN subscription AS s ON s.id = t.subscription_id
            WHERE t.transaction_id = \(transactionId) AND t.app_id = \(subscription.appId)
            AND t.subscription_id <> \(subscription.id)
            """
        ) { row throws(StorageError) in try row.next() }
    }
}
