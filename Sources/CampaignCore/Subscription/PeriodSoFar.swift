public import FoundationEssentials

/// The current period of a subscription, and what else earlier facts pass on to a later one.
public struct PeriodSoFar: Hashable, Sendable {
    public let transactionId: TransactionID
    public let purchaseDate: Instant
    /// When Apple first signed the transaction.
    public let firstSignedDate: Instant
    /// Of all facts.
    public let newestSignedDate: Instant
    public let appAccountToken: UUID?
    public let appTransactionId: AppTransactionID?

    /// Takes the fields as they were stored.
    public init(
        transactionId: TransactionID, purchaseDate: Instant, firstSignedDate: Instant, newestSignedDate: Instant,
        appAccountToken: UUID?, appTransactionId: AppTransactionID?
    ) {
        self.transactionId = transactionId
        self.purchaseDate = purchaseDate
        self.firstSignedDate = firstSignedDate
        self.newestSignedDate = newestSignedDate
        self.appAccountToken = appAccountToken
        self.appTransactionId = appTransactionId
    }

    /// Takes the fields of a subscription that was folded.
    public init(_ subscription: Subscription) {
        self.init(
            transactionId: subscription.transactionId, purchaseDate: subscription.purchaseDate,
            firstSignedDate: subscription.firstSignedDate, newestSignedDate: subscription.newestSignedDate,
            appAccountToken: subscription.appAccountToken, appTransactionId: subscription.appTransactionId)
    }
}
