import CampaignCore
import FoundationEssentials
import Storage

/// Made-up subscribers, each with one purchase and one renewal info, written without a log.
///
/// Every key grows with their number, so that all tables are written at their end.
struct StoredSubscribers {
    let count: Int
    let now: Instant

    private static let productId = ProductID("reader.monthly")
    private static let group = SubscriptionGroupIdentifier("21500001")

    func write(to store: Store) throws(StorageError) {
        for first in stride(from: 0, to: count, by: Limits.subscribersStoredTogether) {
            try store.connection.transaction { () throws(StorageError) in
                for index in first..<min(first + Limits.subscribersStoredTogether, count) {
                    try write(index, to: store)
                }
            }
        }
    }

    private func write(_ index: Int, to store: Store) throws(StorageError) {
        let (transaction, renewal) = facts(index)
        let recorded = try store.recordTransaction(
            transaction, bundleId: DemoFolder.bundleId, environment: .production, payload: nil)
        try store.recordRenewal(renewal, bundleId: DemoFolder.bundleId, environment: .production, payload: nil)
        guard let recorded, let folded = Subscription(transactions: [transaction], renewals: [renewal]) else { return }
        try store.putSubscription(folded, as: recorded.subscription)
    }

    /// An active subscription that ends within the month; every tenth one was cancelled.
    func facts(_ index: Int) -> (TransactionFact, RenewalFact) {
        let name = String(2_000_000_000_000_000 + index)
        let ends = now.adding(milliseconds: Limits.dayMilliseconds + Int64(index % 29) * Limits.dayMilliseconds)
        let begins = ends.adding(milliseconds: -30 * Limits.dayMilliseconds)
        let transaction = TransactionFact(
            originalTransactionId: OriginalTransactionID(name), transactionId: TransactionID(name),
            productId: Self.productId, subscriptionGroupIdentifier: Self.group, type: .autoRenewableSubscription,
            purchaseDate: begins, expiresDate: ends, appAccountToken: token(index), inAppOwnershipType: .purchased,
            appTransactionId: AppTransactionID(String(700_000_000_000_000_000 + index)), signedDate: begins)
        var renewal = RenewalFact(originalTransactionId: OriginalTransactionID(name), signedDate: begins)
        renewal.productId = Self.productId
        renewal.autoRenewProductId = Self.productId
        renewal.autoRenewStatus = index % 10 == 0 ? AutoRenewStatus.off : AutoRenewStatus.on
        renewal.renewalDate = ends
        return (transaction, renewal)
    }

    private func token(_ index: Int) -> UUID {
        var bytes: uuid_t = (0x68, 0x66, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)
        let number = UInt32(index)
        (bytes.2, bytes.3) = (UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16))
        (bytes.4, bytes.5) = (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
        return UUID(uuid: bytes)
    }
}
