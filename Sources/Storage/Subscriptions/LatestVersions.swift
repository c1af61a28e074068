import CampaignCore
import FoundationEssentials

/// Takes the versions of transactions, newest purchase first, and keeps of each transaction what holds.
///
/// The version that Apple signed last holds; of two of one millisecond the one that takes more away does. The token
/// that Apple signed last holds: null never erases a known one.
struct LatestVersions {
    private(set) var facts: [TransactionFact] = []
    /// When the token of the last of `facts` was signed.
    private var tokenDate: Instant?
    private var isOutOfOrder = false

    /// Takes the version that `row` stands on, and reads no more of it than it needs.
    mutating func take(_ row: inout Row, of subscription: OriginalTransactionID) throws(StorageError) {
        let head = try TransactionVersionHead(&row)
        guard let last = facts.last, last.transactionId == head.transactionId,
            last.originalTransactionId == subscription
        else {
            let fact = try head.fact(&row, of: subscription, signedDate: head.lastSignedDate)
            if let last = facts.last, last.purchaseDate <= fact.purchaseDate { isOutOfOrder = true }
            facts.append(fact)
            tokenDate = fact.appAccountToken == nil ? nil : head.lastSignedDate
            return
        }
        let isOlder = head.lastSignedDate < last.signedDate
        // Most versions of a transaction are older and tell no other token: nothing of them is read.
        if isOlder, head.appAccountToken == nil || tokenDate.map({ head.lastSignedDate <= $0 }) ?? false { return }
        let fact = try head.fact(&row, of: subscription, signedDate: head.lastSignedDate)
        facts[facts.count - 1] = fact.merged(with: last)
        if head.appAccountToken != nil { tokenDate = max(tokenDate ?? head.lastSignedDate, head.lastSignedDate) }
    }

    /// The transactions, newest purchase first.
    ///
    /// Two versions of one transaction may tell different purchase dates, and lie apart then.
    func newestFirst(limit: Int) -> [TransactionFact] {
        var sorted = facts
        if isOutOfOrder { sorted.sort { ($0.purchaseDate, $0.transactionId) > ($1.purchaseDate, $1.transactionId) } }
        if Set(sorted.map(\.transactionId)).count < sorted.count {
            var held: [TransactionFact.Name: TransactionFact] = [:]
            for fact in sorted { held[fact.name] = held[fact.name]?.merged(with: fact) ?? fact }
            sorted = held.values.sorted {
                ($0.purchaseDate, $0.transactionId, $0.originalTransactionId)
                    > ($1.purchaseDate, $1.transactionId, $1.originalTransactionId)
            }
        }
        return Array(sorted.prefix(limit))
    }
}

extension TransactionFact {
    fileprivate struct Name: Hashable {
        let subscription: OriginalTransactionID
        let transaction: TransactionID
    }

    fileprivate var name: Name { Name(subscription: originalTransactionId, transaction: transactionId) }
}
