import CampaignCore
import FoundationEssentials

extension Subscription {
    static let columns = SQL.Fragment(
        """
        s.transaction_id, s.product_id, s.purchase_date, s.expires_date, s.first_signed_date, s.newest_signed_date,
        s.subscription_group_identifier, s.in_app_ownership_type, s.revocation_date, s.offer_type, s.offer_identifier,
        s.storefront, s.auto_renew_status, s.auto_renew_product_id, s.plan_change, s.expiration_intent,
        s.is_in_billing_retry_period, s.grace_period_expires_date, s.price_increase_status,
        s.eligible_win_back_offer_ids, s.renewal_offer_type, s.renewal_offer_identifier, s.renewal_price, s.currency,
        s.save_window_opens_date, s.app_account_token, s.app_transaction_id
        """)

    /// Nil for a row that was not folded yet.
    static func read(_ row: inout Row, _ name: OriginalTransactionID) throws(StorageError) -> Subscription? {
        guard let transactionId: TransactionID = try row.nextIfPresent() else { return nil }
        var subscription = Subscription(
            originalTransactionId: name, transactionId: transactionId, productId: try row.next(),
            purchaseDate: try row.next(), expiresDate: try row.next(), firstSignedDate: try row.next(),
            newestSignedDate: try row.next())
        subscription.subscriptionGroupIdentifier = try row.nextIfPresent()
        subscription.inAppOwnershipType = try row.nextIfPresent()
        subscription.revocationDate = try row.nextIfPresent()
        subscription.offerType = try row.nextIfPresent()
        subscription.offerIdentifier = try row.nextIfPresent()
        subscription.storefront = try row.nextIfPresent()
        subscription.autoRenewStatus = try row.nextIfPresent()
        subscription.autoRenewProductId = try row.nextIfPresent()
        subscription.planChange = try row.nextIfPresent()
        subscription.expirationIntent = try row.nextIfPresent()
        subscription.isInBillingRetryPeriod = try row.nextIfPresent()
        subscription.gracePeriodExpiresDate = try row.nextIfPresent()
        subscription.priceIncreaseStatus = try row.nextIfPresent()
        subscription.eligibleWinBackOfferIds = try row.nextIfPresent(OfferList.self)?.offers ?? []
        subscription.renewalOfferType = try row.nextIfPresent()
        subscription.renewalOfferIdentifier = try row.nextIfPresent()
        subscription.renewalPrice = try row.nextIfPresent()
        subscription.currency = try row.nextIfPresent()
        subscription.saveWindowOpensDate = try row.nextIfPresent()
        subscription.appAccountToken = try row.nextIfPresent()
        subscription.appTransactionId = try row.nextIfPresent()
        return subscription
    }
}
