import CampaignCore
import FoundationEssentials

/// Everything that names one customer of one app.
struct ErasedCustomer {
    let appId: Int64
    private(set) var subscriptions: [SubscriptionRowID] = []
    private(set) var names: [OriginalTransactionID] = []
    private(set) var tokens: Set<UUID> = []
    private(set) var downloads: Set<AppTransactionID> = []
    private(set) var transactions: Set<TransactionID> = []
    /// The caller's own id of the customer, under which codes may have been claimed.
    var ownId: String?
    var erasure = Erasure()

    /// Follows tokens and downloads from one subscription to the customer's others, until there are no more.
    static func find(
        _ name: OriginalTransactionID, appId: Int64, _ store: Store
    ) throws(StorageError) -> ErasedCustomer? {
        let first: SubscriptionRowID? = try store.connection.value(
            "SELECT id FROM subscription WHERE original_transaction_id = \(name) AND app_id = \(appId)")
        guard let first else { return nil }
        var customer = ErasedCustomer(appId: appId)
        var found = [first]
        while let id = found.popLast() {
            if customer.subscriptions.contains(id) { continue }
            guard customer.subscriptions.count < Limits.subscriptionsRead else {
                throw .tooManyLinked(limit: Limits.subscriptionsRead)
            }
            found += try customer.add(id, store)
        }
        return customer
    }

    private init(appId: Int64) {
        self.appId = appId
    }

    /// Takes what the facts of a subscription name, and gives the subscriptions that this leads to.
    private mutating func add(_ id: SubscriptionRowID, _ store: Store) throws(StorageError) -> [SubscriptionRowID] {
        subscriptions.append(id)
        names += try store.connection.rows("SELECT original_transaction_id FROM subscription WHERE id = \(id)") {
            row throws(StorageError) in try row.next()
        }
        var linked: [SubscriptionRowID] = []
        for fact in try store.facts(of: id).transactions {
            transactions.insert(fact.transactionId)
            if let token = fact.appAccountToken, tokens.insert(token).inserted {
                linked += try store.connection.rows(
                    """
                    SELECT subscription_id FROM subscription_token
                    WHERE app_account_token = \(token) AND app_id = \(appId)
                    """
                ) { row throws(StorageError) in try row.next() }
            }
            if let download = fact.appTransactionId, downloads.insert(download).inserted {
                linked += try store.connection.rows(
                    """
                    SELECT subscription_id FROM subscription_download
                    WHERE app_transaction_id = \(download) AND app_id = \(appId)
                    """
                ) { row throws(StorageError) in try row.next() }
            }
        }
        return linked
    }

    /// Whether a payload's JSON has one of the names in it.
    func isNamed(in json: [UInt8]?) -> Bool {
        guard let json else { return false }
        let text = String(decoding: json, as: UTF8.self).lowercased()
        return names.contains { text.contains("\"\($0.rawValue)\"") }
            || downloads.contains { text.contains("\"\($0.rawValue)\"") }
            || transactions.contains { text.contains("\"\($0.rawValue)\"") }
            || tokens.contains { text.contains($0.lowercaseString) }
    }
}
