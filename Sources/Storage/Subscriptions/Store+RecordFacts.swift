public import CampaignCore
import FoundationEssentials

/// What recording a fact came to.
public struct RecordedFact: Hashable, Sendable {
    /// The subscription that the fact itself names.
    public let subscription: SubscriptionRowID
    /// Whether it told anything; the subscription is to be folded again then.
    public let isNew: Bool
    /// Whether it is about a transaction of which nothing was known.
    public let isFirstVersion: Bool
    /// Other subscriptions that the same transaction was signed for, told once, when the fact comes that makes it two.
    ///
    /// Apple names one subscription for each transaction, so this is for a person to look at. Both keep the fact, each as
    /// it was signed: whoever came first holding it would make the state depend on the order of arrival.
    public let alsoClaimedBy: [OriginalTransactionID]

    static func known(_ subscription: SubscriptionRowID) -> RecordedFact {
        RecordedFact(subscription: subscription, isNew: false, isFirstVersion: false, alsoClaimedBy: [])
    }
}

extension Store {
    /// Keeps one version of what Apple signed about a transaction; nil when it was signed before its customer's erasure.
    ///
    /// `payload` is the log entry that carried it, nil for a fact that is in no log. A version that is known is not kept
    /// again, so any number of repeats in any order leave the same rows.
    @discardableResult
    public func recordTransaction(
        _ fact: TransactionFact, bundleId: BundleID, environment: AppStoreEnvironment, payload: PayloadID?
    ) throws(StorageError) -> RecordedFact? {
        try connection.transaction { () throws(StorageError) in
            let appId = try madeAppId(bundleId, environment)
            let subscription = try resolvedSubscription(
                fact.originalTransactionId, appId: appId, signedDate: fact.signedDate)
            guard let subscription else { return nil }
            return try record(fact, of: subscription, payload: payload)
        }
    }

    private func record(
        _ fact: TransactionFact, of subscription: ResolvedSubscription, payload: PayloadID?
    ) throws(StorageError) -> RecordedFact {
        let isNew = try insert(fact, of: subscription.id, payload: payload, into: .present)
        guard isNew else { return .known(subscription.id) }
        try link(fact, to: subscription)
        try recordRedemption(of: fact, by: subscription)
        try recordCampaignRedemption(of: fact, by: subscription)
        let isFirst = try linkTransaction(fact.transactionId, to: subscription)
        return RecordedFact(
            subscription: subscription.id, isNew: true, isFirstVersion: isFirst,
            alsoClaimedBy: isFirst ? try otherClaims(on: fact.transactionId, than: subscription) : [])
    }

    func insert(
        _ fact: TransactionFact, of subscription: SubscriptionRowID, payload: PayloadID?, confirmed: Instant? = nil,
        into tables: FactTables
    ) throws(StorageError) -> Bool {
        try connection.run(
            """
            INSERT INTO \(raw: tables.transactions) (
                subscription_id, purchase_date, transaction_id, signed_date, content_hash, reported_status, payload_id,
                confirmed_date, product_id, subscription_group_identifier, type, expires_date, revocation_date,
                is_upgraded, offer_type, offer_identifier, app_account_token, in_app_ownership_type, app_transaction_id,
                revocation_type, offer_discount_type, offer_period, storefront, transaction_reason, price, currency)
            VALUES (
                \(subscription), \(fact.purchaseDate), \(fact.transactionId), \(fact.signedDate), \(fact.contentHash),
                \(fact.reportedStatus ?? 0), \(payload), \(confirmed), \(fact.productId),
                \(fact.subscriptionGroupIdentifier), \(fact.type), \(fact.expiresDate), \(fact.revocationDate),
                \(fact.isUpgraded), \(fact.offerType), \(fact.offerIdentifier), \(fact.appAccountToken),
                \(fact.inAppOwnershipType), \(fact.appTransactionId), \(fact.revocationType), \(fact.offerDiscountType),
                \(fact.offerPeriod), \(fact.storefront), \(fact.transactionReason), \(fact.price), \(fact.currency))
            ON CONFLICT DO NOTHING
            """) > 0
    }

    /// Keeps one renewal info; nil when it was signed before its customer's erasure.
    @discardableResult
    public func recordRenewal(
        _ fact: RenewalFact, bundleId: BundleID, environment: AppStoreEnvironment, payload: PayloadID?
    ) throws(StorageError) -> RecordedFact? {
        try connection.transaction { () throws(StorageError) in
            let appId = try madeAppId(bundleId, environment)
            let subscription = try resolvedSubscription(
                fact.originalTransactionId, appId: appId, signedDate: fact.signedDate)
            guard let subscription else { return nil }
            let isNew = try insert(fact, of: subscription.id, payload: payload, into: .present)
            return RecordedFact(
                subscription: subscription.id, isNew: isNew, isFirstVersion: false, alsoClaimedBy: [])
        }
    }

    func insert(
        _ fact: RenewalFact, of subscription: SubscriptionRowID, payload: PayloadID?, into tables: FactTables
    ) throws(StorageError) -> Bool {
        try connection.run(
            """
            INSERT INTO \(raw: tables.renewals) (
                subscription_id, signed_date, content_hash, payload_id, product_id, auto_renew_product_id,
                auto_renew_status, expiration_intent, is_in_billing_retry_period, grace_period_expires_date,
                price_increase_status, offer_type, offer_identifier, eligible_win_back_offer_ids, renewal_date,
                renewal_price, currency, recent_subscription_start_date, plan_change)
            VALUES (
                \(subscription), \(fact.signedDate), \(fact.contentHash), \(payload), \(fact.productId),
                \(fact.autoRenewProductId), \(fact.autoRenewStatus), \(fact.expirationIntent),
                \(fact.isInBillingRetryPeriod), \(fact.gracePeriodExpiresDate), \(fact.priceIncreaseStatus),
                \(fact.offerType), \(fact.offerIdentifier), \(OfferList(fact.eligibleWinBackOfferIds)),
                \(fact.renewalDate), \(fact.renewalPrice), \(fact.currency), \(fact.recentSubscriptionStartDate),
                \(fact.planChange))
            ON CONFLICT DO NOTHING
            """) > 0
    }

    /// Logs, keeps and folds a transaction that a client proved, when it tells anything; nil as for `recordTransaction`.
    ///
    /// A device signs the same transaction again and again. When the newest version that Apple signed before tells as
    /// much already, only that version's `confirmed_date` moves on: Apple has said so then, too. So at most one row and
    /// one log entry are kept for each thing that Apple said. What holds now does not depend on the order of arrival,
    /// because the latest confirmation of each version is kept. A past instant inside a stretch that was confirmed may be
    /// told by a version which was signed inside it and arrived later.
    @discardableResult
    public func recordProvenTransaction(
        _ fact: TransactionFact, bundleId: BundleID, environment: AppStoreEnvironment, signed jws: String,
        receivedDate: Instant
    ) throws(StorageError) -> RecordedFact? {
        try connection.transaction { () throws(StorageError) in
            let appId = try madeAppId(bundleId, environment)
            let subscription = try resolvedSubscription(
                fact.originalTransactionId, appId: appId, signedDate: fact.signedDate)
            guard let subscription else { return nil }
            if let known = try newestVersion(of: fact, in: subscription), fact.tellsNoMore(than: known.fact) {
                try confirm(known.fact, hash: known.hash, of: subscription.id, at: fact.signedDate)
                return .known(subscription.id)
            }
            let payload = try logTransaction(
                codec.pack(jws), appId: appId, of: subscription.id, signedDate: fact.signedDate,
                receivedDate: receivedDate)
            let recorded = try record(fact, of: subscription, payload: payload)
            _ = try refold(subscription.id, after: AddedTransaction(fact, recorded))
            return recorded
        }
    }

    /// The version of the fact's transaction that was signed last, but not after the fact was.
    private func newestVersion(
        of fact: TransactionFact, in subscription: ResolvedSubscription
    ) throws(StorageError) -> (fact: TransactionFact, hash: Int64)? {
        try connection.row(
            """
            SELECT f.content_hash, \(raw: TransactionFact.columns) FROM transaction_fact AS f
            WHERE f.subscription_id = \(subscription.id) AND f.purchase_date = \(fact.purchaseDate)
            AND f.transaction_id = \(fact.transactionId) AND f.signed_date <= \(fact.signedDate)
            ORDER BY f.signed_date DESC, f.content_hash DESC, f.reported_status DESC LIMIT 1
            """
        ) { row throws(StorageError) in
            let hash: Int64 = try row.next()
            let head = try TransactionVersionHead(&row)
            let known = try head.fact(&row, of: fact.originalTransactionId, signedDate: head.signedDate)
            return (known, hash)
        }
    }

    private func confirm(
        _ fact: TransactionFact, hash: Int64, of subscription: SubscriptionRowID, at signedDate: Instant
    ) throws(StorageError) {
        guard fact.signedDate < signedDate else { return }
        let moved = try connection.run(
            """
            UPDATE transaction_fact SET confirmed_date = \(signedDate)
            WHERE subscription_id = \(subscription) AND purchase_date = \(fact.purchaseDate)
            AND transaction_id = \(fact.transactionId) AND signed_date = \(fact.signedDate) AND content_hash = \(hash)
            AND reported_status = \(fact.reportedStatus ?? 0) AND coalesce(confirmed_date, 0) < \(signedDate)
            """)
        // All that a fold would find otherwise: a confirmation repeats what the newest version told.
        guard moved > 0 else { return }
        known.subscription?.period = nil
        try connection.run(
            """
            UPDATE subscription SET newest_signed_date = \(signedDate)
            WHERE id = \(subscription) AND newest_signed_date < \(signedDate)
            """)
    }
}
