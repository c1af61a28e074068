public import CampaignCore

/// One subscription of the base with what decisions read of it.
public struct SubscriptionInPage: Hashable, Sendable {
    public let known: KnownSubscription
    /// The latest version of each of its transactions, newest purchase first, at most 500.
    public let transactions: [TransactionFact]
    /// The IANA time zone that the customer's app reported last.
    public let timeZone: String?
}

/// A few hundred subscriptions of one app in the order of their numbers.
public struct SubscriptionPage: Hashable, Sendable {
    /// Without those of which nothing about an auto-renewable subscription was signed.
    public let subscriptions: [SubscriptionInPage]
    /// What the next page comes after; nil when this one is the last.
    public let last: SubscriptionRowID?
}

extension Store {
    /// How many subscriptions of the app are known, those that tell nothing among them.
    public func subscriptionCount(bundleId: BundleID, environment: AppStoreEnvironment) throws(StorageError) -> Int {
        guard let appId = try appId(bundleId, environment) else { return 0 }
        return try connection.value("SELECT count(*) FROM subscription WHERE app_id = \(appId)") ?? 0
    }

    /// The next page of an app's subscriptions after `last`, in one view of the database.
    ///
    /// Whoever walks through the whole base keeps no view open meanwhile, so the service's log can be cut back.
    ///
    /// - Parameter signedBy: counts only what Apple had signed by then; nil counts everything.
    public func subscriptionPage(
        bundleId: BundleID, environment: AppStoreEnvironment, after last: SubscriptionRowID? = nil,
        signedBy: Instant? = nil
    ) throws(StorageError) -> SubscriptionPage {
        guard let appId = try appId(bundleId, environment) else {
            return SubscriptionPage(subscriptions: [], last: nil)
        }
        return try connection.transaction { () throws(StorageError) in
            let rows = try rows(of: appId, bundleId, environment, after: last)
            guard let first = rows.first?.known.id, let end = rows.last?.known.id else {
                return SubscriptionPage(subscriptions: [], last: nil)
            }
            let isLast = rows.count < Limits.subscriptionsInPage
            var latest = signedBy == nil ? try latestTransactions(of: appId, from: first, to: end) : [:]
            var subscriptions: [SubscriptionInPage] = []
            for row in rows {
                if let one = row.known.subscription, signedBy == nil {
                    let transactions = latest.removeValue(forKey: row.known.id)?.newestFirst(
                        limit: Limits.transactionsRead)
                    subscriptions.append(
                        SubscriptionInPage(
                            known: row.known.with(one), transactions: transactions ?? [], timeZone: row.timeZone))
                } else if let one = try folded(row.known, signedBy: signedBy) {
                    subscriptions.append(
                        SubscriptionInPage(
                            known: row.known.with(one.subscription), transactions: one.transactions,
                            timeZone: row.timeZone))
                }
            }
            return SubscriptionPage(subscriptions: subscriptions, last: isLast ? nil : end)
        }
    }

    private struct PageRow {
        let known: KnownSubscription
        let timeZone: String?
    }

    private func rows(
        of appId: Int64, _ bundleId: BundleID, _ environment: AppStoreEnvironment, after last: SubscriptionRowID?
    ) throws(StorageError) -> [PageRow] {
        let after = last ?? SubscriptionRowID(rawValue: .min)
        return try connection.rows(
            """
            SELECT s.id, s.original_transaction_id, s.time_zone, \(raw: Subscription.columns)
            FROM subscription AS s WHERE s.app_id = \(appId) AND s.id > \(after)
            ORDER BY s.id LIMIT \(Limits.subscriptionsInPage)
            """
        ) { row throws(StorageError) in
            let id: SubscriptionRowID = try row.next()
            let name: OriginalTransactionID = try row.next()
            let timeZone: String? = try row.nextIfPresent()
            return PageRow(
                known: KnownSubscription(
                    id: id, bundleId: bundleId, environment: environment, originalTransactionId: name,
                    subscription: try Subscription.read(&row, name)), timeZone: timeZone)
        }
    }

    /// Of every subscription whose number lies between the two; the facts lie in that order in the file.
    private func latestTransactions(
        of appId: Int64, from first: SubscriptionRowID, to end: SubscriptionRowID
    ) throws(StorageError) -> [SubscriptionRowID: LatestVersions] {
        var latest: [SubscriptionRowID: LatestVersions] = [:]
        var id: SubscriptionRowID?
        var name = OriginalTransactionID("")
        var versions = LatestVersions()
        _ = try connection.rows(
            """
            SELECT f.subscription_id, s.original_transaction_id, \(raw: TransactionFact.columns)
            FROM transaction_fact AS f JOIN subscription AS s ON s.id = f.subscription_id
            WHERE f.subscription_id >= \(first) AND f.subscription_id <= \(end) AND s.app_id = \(appId)
            ORDER BY f.subscription_id DESC, f.purchase_date DESC, f.transaction_id DESC, f.signed_date DESC,
                f.content_hash DESC, f.reported_status DESC
            """
        ) { row throws(StorageError) in
            let next: SubscriptionRowID = try row.next()
            let original: OriginalTransactionID = try row.next()
            if next != id {
                if let id { latest[id] = versions }
                (id, name, versions) = (next, original, LatestVersions())
            }
            try versions.take(&row, of: name)
        }
        if let id { latest[id] = versions }
        return latest
    }

    /// What the facts that were signed by an instant make the subscription, with the transactions of then.
    public func folded(
        _ known: KnownSubscription, signedBy: Instant?
    ) throws(StorageError) -> (subscription: Subscription, transactions: [TransactionFact])? {
        let facts = try facts(of: known.id, known.originalTransactionId, signedBy: signedBy, in: .present)
        guard let subscription = Subscription(transactions: facts.transactions, renewals: facts.renewals) else {
            return nil
        }
        var held: [TransactionID: TransactionFact] = [:]
        for fact in facts.transactions {
            held[fact.transactionId] = held[fact.transactionId]?.merged(with: fact) ?? fact
        }
        let newestFirst = held.values.sorted {
            ($0.purchaseDate, $0.transactionId) > ($1.purchaseDate, $1.transactionId)
        }
        return (subscription, Array(newestFirst.prefix(Limits.transactionsRead)))
    }
}

extension KnownSubscription {
    fileprivate func with(_ subscription: Subscription) -> KnownSubscription {
        KnownSubscription(
            id: id, bundleId: bundleId, environment: environment, originalTransactionId: originalTransactionId,
            subscription: subscription)
    }
}
