extension Subscription {
    /// Takes the fields that every subscription has, as they were stored; all others are absent until they are set.
    public init(
        originalTransactionId: OriginalTransactionID, transactionId: TransactionID, productId: ProductID,
        purchaseDate: Instant, expiresDate: Instant, firstSignedDate: Instant, newestSignedDate: Instant
    ) {
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
        self.productId = productId
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.firstSignedDate = firstSignedDate
        self.newestSignedDate = newestSignedDate
        eligibleWinBackOfferIds = []
    }
}
