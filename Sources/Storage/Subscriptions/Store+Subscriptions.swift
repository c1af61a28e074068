public import CampaignCore
public import FoundationEssentials

extension Store {
    /// Folds all facts of a subscription and keeps what they make it; to be called in the commit that added one.
    ///
    /// Nil, and nothing kept, while no fact is about an auto-renewable subscription. With `transaction`, the only one that
    /// was added, no other is read when it comes in order.
    @discardableResult
    public func refold(
        _ id: SubscriptionRowID, after transaction: AddedTransaction? = nil
    ) throws(StorageError) -> Subscription? {
        try connection.transaction { () throws(StorageError) in
            guard let name = try name(of: id) else { return nil }
            var subscription = try folded(id, name, after: transaction)
            if subscription == nil { subscription = try folded(id, name, in: .present) }
            guard let subscription else { return nil }
            try putSubscription(subscription, as: id)
            return subscription
        }
    }

    /// Keeps what the facts of a subscription make it.
    public func putSubscription(_ folded: Subscription, as id: SubscriptionRowID) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            try connection.run(
                """
                UPDATE subscription SET
                    transaction_id = \(folded.transactionId), product_id = \(folded.productId),
                    subscription_group_identifier = \(folded.subscriptionGroupIdentifier),
                    in_app_ownership_type = \(folded.inAppOwnershipType), purchase_date = \(folded.purchaseDate),
                    expires_date = \(folded.expiresDate), revocation_date = \(folded.revocationDate),
                    offer_type = \(folded.offerType), offer_identifier = \(folded.offerIdentifier),
                    storefront = \(folded.storefront), auto_renew_status = \(folded.autoRenewStatus),
                    auto_renew_product_id = \(folded.autoRenewProductId), plan_change = \(folded.planChange),
                    expiration_intent = \(folded.expirationIntent),
                    is_in_billing_retry_period = \(folded.isInBillingRetryPeriod),
                    grace_period_expires_date = \(folded.gracePeriodExpiresDate),
                    price_increase_status = \(folded.priceIncreaseStatus),
                    eligible_win_back_offer_ids = \(OfferList(folded.eligibleWinBackOfferIds)),
                    renewal_offer_type = \(folded.renewalOfferType),
                    renewal_offer_identifier = \(folded.renewalOfferIdentifier),
                    renewal_price = \(folded.renewalPrice), currency = \(folded.currency),
                    save_window_opens_date = \(folded.saveWindowOpensDate),
                    app_account_token = \(folded.appAccountToken), app_transaction_id = \(folded.appTransactionId),
                    first_signed_date = \(folded.firstSignedDate), newest_signed_date = \(folded.newestSignedDate)
                WHERE id = \(id)
                """)
            if known.subscription?.id == id { known.subscription?.period = PeriodSoFar(folded) }
        }
    }

    private static let knownColumns = SQL.Fragment("s.id, app.bundle_id, app.environment, s.original_transaction_id")
    private static let subscriptionLimit = SQL.Fragment("LIMIT \(Limits.subscriptionsRead)")

    /// One subscription of one app; nil when no fact about it was ever recorded.
    public func subscription(
        originalTransactionId: OriginalTransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> KnownSubscription? {
        guard let appId = try appId(bundleId, environment) else { return nil }
        return try foldedOnes(
            connection.rows(
                """
                SELECT \(raw: Self.knownColumns), \(raw: Subscription.columns)
                FROM subscription AS s JOIN app ON app.id = s.app_id
                WHERE s.original_transaction_id = \(originalTransactionId) AND s.app_id = \(appId)
                """, Self.known)
        ).first
    }

    /// The subscriptions of that id in every app and environment: Apple gives an id to one of them alone.
    public func subscriptions(
        originalTransactionId: OriginalTransactionID
    ) throws(StorageError) -> [KnownSubscription] {
        try foldedOnes(
            connection.rows(
                """
                SELECT \(raw: Self.knownColumns), \(raw: Subscription.columns)
                FROM subscription AS s JOIN app ON app.id = s.app_id
                WHERE s.original_transaction_id = \(originalTransactionId)
                ORDER BY s.app_id \(raw: Self.subscriptionLimit)
                """, Self.known))
    }

    /// The subscriptions that a transaction with this token belongs to, at most 100.
    public func subscriptions(
        appAccountToken: UUID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [KnownSubscription] {
        guard let appId = try appId(bundleId, environment) else { return [] }
        return try foldedOnes(
            connection.rows(
                """
                SELECT \(raw: Self.knownColumns), \(raw: Subscription.columns)
                FROM subscription_token AS l JOIN subscription AS s ON s.id = l.subscription_id
                JOIN app ON app.id = s.app_id
                WHERE l.app_account_token = \(appAccountToken) AND l.app_id = \(appId)
                ORDER BY s.id \(raw: Self.subscriptionLimit)
                """, Self.known))
    }

    /// The subscriptions bought with this download of the app, at most 100.
    public func subscriptions(
        appTransactionId: AppTransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [KnownSubscription] {
        guard let appId = try appId(bundleId, environment) else { return [] }
        return try foldedOnes(
            connection.rows(
                """
                SELECT \(raw: Self.knownColumns), \(raw: Subscription.columns)
                FROM subscription_download AS l JOIN subscription AS s ON s.id = l.subscription_id
                JOIN app ON app.id = s.app_id
                WHERE l.app_transaction_id = \(appTransactionId) AND l.app_id = \(appId)
                ORDER BY s.id \(raw: Self.subscriptionLimit)
                """, Self.known))
    }

    private static func known(_ row: inout Row) throws(StorageError) -> KnownSubscription {
        let id: SubscriptionRowID = try row.next()
        let bundleId: BundleID = try row.next()
        let environment: AppStoreEnvironment = try row.next()
        let name: OriginalTransactionID = try row.next()
        return KnownSubscription(
            id: id, bundleId: bundleId, environment: environment, originalTransactionId: name,
            subscription: try Subscription.read(&row, name))
    }

    /// Folds those that an older schema has left unfolded; nothing is written, because readers come here too.
    private func foldedOnes(_ found: [KnownSubscription]) throws(StorageError) -> [KnownSubscription] {
        var folded: [KnownSubscription] = []
        for one in found {
            guard one.subscription == nil else {
                folded.append(one)
                continue
            }
            let facts = try facts(of: one.id, one.originalTransactionId, in: .present)
            folded.append(
                KnownSubscription(
                    id: one.id, bundleId: one.bundleId, environment: one.environment,
                    originalTransactionId: one.originalTransactionId,
                    subscription: Subscription(transactions: facts.transactions, renewals: facts.renewals)))
        }
        return folded
    }
}
