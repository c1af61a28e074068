import CampaignCore
import FoundationEssentials

extension TransactionFact {
    /// What a row of the table says, but for the instants at which Apple signed it.
    static let columns = SQL.Fragment(
        """
        f.transaction_id, f.app_account_token, f.signed_date, f.confirmed_date, f.purchase_date, f.reported_status,
        f.product_id, f.subscription_group_identifier, f.type, f.expires_date, f.revocation_date, f.is_upgraded,
        f.offer_type, f.offer_identifier, f.in_app_ownership_type, f.app_transaction_id, f.revocation_type,
        f.offer_discount_type, f.offer_period, f.storefront, f.transaction_reason, f.price, f.currency
        """)
}

/// The columns that come first, by which a reader knows whether it needs the others.
struct TransactionVersionHead {
    let transactionId: TransactionID
    let appAccountToken: UUID?
    let signedDate: Instant
    let confirmedDate: Instant?

    init(_ row: inout Row) throws(StorageError) {
        transactionId = try row.next()
        appAccountToken = try row.nextIfPresent()
        signedDate = try row.next()
        confirmedDate = try row.nextIfPresent()
    }

    /// When Apple last said so, as far as is known.
    var lastSignedDate: Instant { confirmedDate ?? signedDate }

    /// The rest of the row, as a fact that was signed at `signedDate`.
    func fact(
        _ row: inout Row, of subscription: OriginalTransactionID, signedDate: Instant
    ) throws(StorageError) -> TransactionFact {
        let purchaseDate: Instant = try row.next()
        let reportedStatus: Int = try row.next()
        var fact = TransactionFact(
            originalTransactionId: subscription, transactionId: transactionId, productId: try row.next(),
            subscriptionGroupIdentifier: try row.nextIfPresent(), type: try row.next(), purchaseDate: purchaseDate,
            expiresDate: try row.nextIfPresent(), revocationDate: try row.nextIfPresent(),
            isUpgraded: try row.next(), offerType: try row.nextIfPresent(),
            offerIdentifier: try row.nextIfPresent(), appAccountToken: appAccountToken,
            inAppOwnershipType: try row.nextIfPresent(), appTransactionId: try row.nextIfPresent(),
            signedDate: signedDate)
        // Zero stands for none, because a key cannot be null.
        fact.reportedStatus = reportedStatus == 0 ? nil : reportedStatus
        fact.revocationType = try row.nextIfPresent()
        fact.offerDiscountType = try row.nextIfPresent()
        fact.offerPeriod = try row.nextIfPresent()
        fact.storefront = try row.nextIfPresent()
        fact.transactionReason = try row.nextIfPresent()
        fact.price = try row.nextIfPresent()
        fact.currency = try row.nextIfPresent()
        return fact
    }
}
