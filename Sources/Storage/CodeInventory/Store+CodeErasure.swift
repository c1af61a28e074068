import CampaignCore
import Crypto

extension Store {
    /// Takes a customer out of the claims, the codes and the redemptions; the ledger follows with `eraseLedger`.
    ///
    /// Codes stay handed out and every count stays. In place of an id stands its digest, which is the same in all
    /// tables, so that the books still prove each other. Inside a transaction; gives how many codes the customer had.
    func eraseCodes(of customer: ErasedCustomer) throws(StorageError) -> Int {
        for id in customer.subscriptions {
            try connection.run("UPDATE code_redemption SET subscription_id = NULL WHERE subscription_id = \(id)")
        }
        var erased = 0
        for id in customer.codeCustomers {
            let digest = Self.erasedCodeCustomer(id, appId: customer.appId)
            try connection.run(
                """
                UPDATE offer_code SET customer = \(digest)
                WHERE customer = \(id) AND (batch_id, position) IN (
                    SELECT batch_id, position FROM code_claim WHERE customer = \(id) AND app_id = \(customer.appId))
                """)
            erased += try connection.run(
                """
                UPDATE code_claim SET customer = \(digest) WHERE customer = \(id) AND app_id = \(customer.appId)
                """)
        }
        return erased
    }

    /// Takes a customer out of the ledger, in short transactions, since all of it has to be looked at.
    func eraseLedger(of customer: ErasedCustomer) throws(StorageError) {
        let ids = Set(customer.codeCustomers)
        let batches = Set(
            try connection.rows("SELECT id FROM code_batch WHERE app_id = \(customer.appId)") {
                row throws(StorageError) in try row.next(Int64.self)
            })
        guard !ids.isEmpty, !batches.isEmpty else { return }
        var last: Int64 = 0
        while true {
            let entries = try connection.rows(
                """
                SELECT id, batch_id, customer FROM code_ledger WHERE id > \(last) ORDER BY id
                LIMIT \(Limits.grantsLookedAt)
                """
            ) { row throws(StorageError) in
                (
                    id: try row.next(Int64.self), batch: try row.next(Int64.self),
                    customer: try row.nextIfPresent(String.self)
                )
            }
            guard let end = entries.last?.id else { return }
            last = end
            let own = entries.filter { batches.contains($0.batch) && $0.customer.map(ids.contains) ?? false }
            if own.isEmpty { continue }
            try connection.transaction { () throws(StorageError) in
                for entry in own {
                    let digest = Self.erasedCodeCustomer(entry.customer ?? "", appId: customer.appId)
                    try connection.run("UPDATE code_ledger SET customer = \(digest) WHERE id = \(entry.id)")
                }
            }
        }
    }

    /// What stays of the id of an erased customer.
    static func erasedCodeCustomer(_ id: String, appId: Int64) -> String {
        let digest = SHA256.digest(Array("erased customer \(appId) \(id)".utf8))
        return "erased:" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension ErasedCustomer {
    /// Every id under which the customer may have claimed codes.
    var codeCustomers: [String] {
        CodeCustomer.possibleIds(tokens: Array(tokens), downloads: Array(downloads), subscriptions: names)
            + [ownId].compactMap(\.self)
    }
}
