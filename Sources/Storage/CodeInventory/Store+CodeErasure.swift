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
            let codes = try connection.rows(
                """
                SELECT batch_id, position FROM code_claim WHERE customer = \(id) AND app_id = \(customer.appId)
                """
            ) { row throws(StorageError) in CodePosition(batch: try row.next(), position: try row.next()) }
            for code in codes {
                let digest = Self.erasedCodeCustomer(id, code)
                try connection.run(
                    """
                    UPDATE offer_code SET customer = \(digest)
                    WHERE batch_id = \(code.batch) AND position = \(code.position)
                    """)
                erased += try connection.run(
                    """
                    UPDATE code_claim SET customer = \(digest) WHERE customer = \(id)
                    AND batch_id = \(code.batch) AND position = \(code.position)
                    """)
            }
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
                SELECT id, batch_id, position, customer FROM code_ledger WHERE id > \(last) ORDER BY id
                LIMIT \(Limits.grantsLookedAt)
                """
            ) { row throws(StorageError) in
                LedgerNames(
                    id: try row.next(), batch: try row.next(), position: try row.nextIfPresent(),
                    customer: try row.nextIfPresent())
            }
            guard let end = entries.last?.id else { return }
            last = end
            let own = entries.filter { batches.contains($0.batch) && $0.customer.map(ids.contains) ?? false }
            if own.isEmpty { continue }
            try connection.transaction { () throws(StorageError) in
                for entry in own {
                    let code = CodePosition(batch: entry.batch, position: entry.position ?? -1)
                    let digest = Self.erasedCodeCustomer(entry.customer ?? "", code)
                    try connection.run("UPDATE code_ledger SET customer = \(digest) WHERE id = \(entry.id)")
                }
            }
        }
    }

    private struct LedgerNames {
        let id: Int64
        let batch: Int64
        let position: Int64?
        let customer: String?
    }

    /// What stays of the id of an erased customer beside a code; another one beside each, so that codes of one customer
    /// do not belong together any more.
    private static func erasedCodeCustomer(_ id: String, _ code: CodePosition) -> String {
        let digest = SHA256.digest(Array("erased customer \(code.batch) \(code.position) \(id)".utf8))
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
