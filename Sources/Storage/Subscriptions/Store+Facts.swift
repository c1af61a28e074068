public import CampaignCore
import FoundationEssentials

/// Every version of what Apple signed about one subscription.
public struct SubscriptionFacts: Hashable, Sendable {
    /// Oldest purchase first, the versions of each in the order in which they were signed.
    ///
    /// A version that a client has proved again since is there twice, the second time with that later `signedDate`.
    public var transactions: [TransactionFact]
    /// In the order in which they were signed.
    public var renewals: [RenewalFact]
}

extension RenewalFact {
    fileprivate static let columns = SQL.Fragment(
        """
        f.signed_date, f.product_id, f.auto_renew_product_id, f.auto_renew_status, f.expiration_intent,
        f.is_in_billing_retry_period, f.grace_period_expires_date, f.price_increase_status, f.offer_type,
        f.offer_identifier, f.eligible_win_back_offer_ids, f.renewal_date, f.renewal_price, f.currency,
        f.recent_subscription_start_date, f.plan_change
        """)

    fileprivate init(_ row: inout Row, of subscription: OriginalTransactionID) throws(StorageError) {
        self.init(originalTransactionId: subscription, signedDate: try row.next())
        productId = try row.nextIfPresent()
        autoRenewProductId = try row.nextIfPresent()
        autoRenewStatus = try row.nextIfPresent()
        expirationIntent = try row.nextIfPresent()
        isInBillingRetryPeriod = try row.nextIfPresent()
        gracePeriodExpiresDate = try row.nextIfPresent()
        priceIncreaseStatus = try row.nextIfPresent()
        offerType = try row.nextIfPresent()
        offerIdentifier = try row.nextIfPresent()
        eligibleWinBackOfferIds = try row.nextIfPresent(OfferList.self)?.offers ?? []
        renewalDate = try row.nextIfPresent()
        renewalPrice = try row.nextIfPresent()
        currency = try row.nextIfPresent()
        recentSubscriptionStartDate = try row.nextIfPresent()
        planChange = try row.nextIfPresent()
    }
}

extension Store {
    /// All versions of the facts about one subscription, or those that Apple had signed by `signedBy`.
    public func facts(
        of subscription: SubscriptionRowID, signedBy: Instant? = nil
    ) throws(StorageError) -> SubscriptionFacts {
        guard let name = try name(of: subscription) else { return SubscriptionFacts(transactions: [], renewals: []) }
        return try facts(of: subscription, name, signedBy: signedBy, in: .present)
    }

    func name(of subscription: SubscriptionRowID) throws(StorageError) -> OriginalTransactionID? {
        refreshKnownRows()
        if let last = known.subscription, last.id == subscription, connection.isInTransaction {
            return last.originalTransactionId
        }
        return try connection.value("SELECT original_transaction_id FROM subscription WHERE id = \(subscription)")
    }

    func facts(
        of subscription: SubscriptionRowID, _ name: OriginalTransactionID, signedBy: Instant? = nil,
        in tables: FactTables
    ) throws(StorageError) -> SubscriptionFacts {
        let end = signedBy ?? Self.endOfTime
        return SubscriptionFacts(
            transactions: try transactions(of: subscription, name, signedBy: end, in: tables),
            renewals: try renewals(
                of: subscription, name, signed: Instant(millisecondsSince1970: .min)...end, in: tables))
    }

    /// What the facts make a subscription, without reading renewal infos of past periods; nil as for `refold`.
    func folded(
        _ subscription: SubscriptionRowID, _ name: OriginalTransactionID, in tables: FactTables
    ) throws(StorageError) -> Subscription? {
        let transactions = try transactions(of: subscription, name, signedBy: Self.endOfTime, in: tables)
        return try Subscription(transactions: transactions) { begin throws(StorageError) in
            try renewals(of: subscription, name, signed: begin...Self.endOfTime, in: tables)
        }
    }

    /// The same when `added` came in order: the subscription's row and its renewal infos are all that is read then; nil
    /// otherwise.
    func folded(
        _ subscription: SubscriptionRowID, _ name: OriginalTransactionID, after added: AddedTransaction?
    ) throws(StorageError) -> Subscription? {
        guard let added, let known = known.subscription, known.id == subscription, let period = known.period else {
            return nil
        }
        return try Subscription(known: period, then: added.fact, isFirstVersion: added.isFirstVersion) {
            begin throws(StorageError) in
            try renewals(of: subscription, name, signed: begin...Self.endOfTime, in: .present)
        }
    }

    private static let endOfTime = Instant(millisecondsSince1970: .max)

    private func transactions(
        of subscription: SubscriptionRowID, _ name: OriginalTransactionID, signedBy end: Instant,
        in tables: FactTables
    ) throws(StorageError) -> [TransactionFact] {
        var transactions: [TransactionFact] = []
        _ = try connection.rows(
            """
            SELECT \(raw: TransactionFact.columns) FROM \(raw: tables.transactions) AS f
            WHERE f.subscription_id = \(subscription) AND f.signed_date <= \(end)
            ORDER BY f.purchase_date, f.transaction_id, f.signed_date, f.content_hash, f.reported_status
            """
        ) { row throws(StorageError) in
            let head = try TransactionVersionHead(&row)
            let fact = try head.fact(&row, of: name, signedDate: head.signedDate)
            transactions.append(fact)
            if let confirmed = head.confirmedDate, confirmed <= end {
                transactions.append(fact.signed(at: confirmed))
            }
        }
        return transactions
    }

    private func renewals(
        of subscription: SubscriptionRowID, _ name: OriginalTransactionID, signed dates: ClosedRange<Instant>,
        in tables: FactTables
    ) throws(StorageError) -> [RenewalFact] {
        try connection.rows(
            """
            SELECT \(raw: RenewalFact.columns) FROM \(raw: tables.renewals) AS f
            WHERE f.subscription_id = \(subscription) AND f.signed_date >= \(dates.lowerBound)
            AND f.signed_date <= \(dates.upperBound)
            ORDER BY f.signed_date, f.content_hash
            """
        ) { row throws(StorageError) in try RenewalFact(&row, of: name) }
    }
}

extension TransactionFact {
    /// The same fact, signed at another instant.
    fileprivate func signed(at signedDate: Instant) -> TransactionFact {
        var fact = TransactionFact(
            originalTransactionId: originalTransactionId, transactionId: transactionId, productId: productId,
            subscriptionGroupIdentifier: subscriptionGroupIdentifier, type: type, purchaseDate: purchaseDate,
            expiresDate: expiresDate, revocationDate: revocationDate, isUpgraded: isUpgraded, offerType: offerType,
            offerIdentifier: offerIdentifier, appAccountToken: appAccountToken, inAppOwnershipType: inAppOwnershipType,
            appTransactionId: appTransactionId, signedDate: signedDate)
        // The status was reported with the notification of the first instant, and says nothing of the later one.
        fact.revocationType = revocationType
        fact.offerDiscountType = offerDiscountType
        fact.offerPeriod = offerPeriod
        fact.storefront = storefront
        fact.transactionReason = transactionReason
        fact.price = price
        fact.currency = currency
        return fact
    }
}
