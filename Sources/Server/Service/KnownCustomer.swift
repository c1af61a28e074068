import CampaignCore
import FoundationEssentials
import Storage

/// What the database knows of the customer that a request names.
struct KnownCustomer {
    /// The subscription that the request names outright or proves; nil when a token or a download is all it has.
    let subscription: OriginalTransactionID?
    /// Every known transaction that the request's fields lead to, newest purchase first.
    let transactions: [TransactionFact]
    /// Set when the request's fields lead to different customers.
    let refusals: [Refusal]

    /// The newest purchase, the first of them; recommended by Apple for V2, so that a signature fits one customer.
    var newest: TransactionFact? { transactions.first }
}

extension Service {
    /// Records what the request itself proves, then reads what is known by the names it gives.
    func knownCustomer(
        _ named: CustomerFields, _ proof: CustomerProof, of app: App, in environment: AppStoreEnvironment,
        now: Instant, _ store: Store
    ) throws(StorageError) -> KnownCustomer {
        // A proof without one of the fields that decisions read was refused before.
        if let transaction = proof.transaction, let jws = named.signedTransactionInfo,
            let fact = try? TransactionFact(transaction)
        {
            try store.recordProvenTransaction(
                fact, bundleId: app.bundleId, environment: environment, signed: jws, receivedDate: now)
        }

        let proven = proof.transaction?.originalTransactionId
        let download = proof.appTransaction?.appTransactionId
        let subscription = named.originalTransactionId ?? proven
        var transactions: [TransactionFact] = []
        if let subscription {
            transactions = try store.transactions(
                originalTransactionId: subscription, bundleId: app.bundleId, environment: environment)
        } else if let download {
            transactions = try store.transactions(
                appTransactionId: download, bundleId: app.bundleId, environment: environment)
        } else if let token = named.appAccountToken {
            transactions = try store.transactions(
                appAccountToken: token, bundleId: app.bundleId, environment: environment)
        }

        var refusals: [Refusal] = []
        if let claimed = named.originalTransactionId, let proven, claimed != proven {
            refusals.append(.customerFieldsDisagree(fields: ["originalTransactionId", "signedTransactionInfo"]))
        }
        if let download, subscription != nil, Self.tell(transactions, another: download) {
            let other = proven == nil ? "originalTransactionId" : "signedTransactionInfo"
            refusals.append(.customerFieldsDisagree(fields: [other, "signedAppTransactionInfo"]))
        }
        return KnownCustomer(subscription: subscription, transactions: transactions, refusals: refusals)
    }

    /// Whether the transactions name downloads, and none of them is `download`.
    private static func tell(_ transactions: [TransactionFact], another download: AppTransactionID) -> Bool {
        let downloads = Set(transactions.compactMap(\.appTransactionId))
        return !downloads.isEmpty && !downloads.contains(download)
    }
}

extension Store {
    /// The subscriptions that transactions belong to, each once, in the order of the transactions.
    func subscriptions(
        of transactions: [TransactionFact], _ bundleId: BundleID, _ environment: AppStoreEnvironment
    ) throws(StorageError) -> [KnownSubscription] {
        var names: [OriginalTransactionID] = []
        for transaction in transactions where !names.contains(transaction.originalTransactionId) {
            names.append(transaction.originalTransactionId)
        }
        var found: [KnownSubscription] = []
        for name in names {
            let one = try subscription(originalTransactionId: name, bundleId: bundleId, environment: environment)
            if let one { found.append(one) }
        }
        return found
    }
}
