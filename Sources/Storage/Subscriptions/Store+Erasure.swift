public import CampaignCore
import FoundationEssentials

/// What an erasure has removed.
public struct Erasure: Hashable, Sendable {
    public internal(set) var subscriptions = 0
    public internal(set) var payloads = 0
    public internal(set) var facts = 0
    /// Grants that stay as counted rows, without anything that leads to the customer.
    public internal(set) var grants = 0
    /// What campaigns gave, with all that their decisions used; the totals of the campaigns stay.
    public internal(set) var campaignGrants = 0
    /// Offer codes that stay handed out, with a digest in place of the customer's id.
    public internal(set) var codes = 0
    /// Whether the write-ahead log was cut, so that no earlier copy of a page is left in it; false while another
    /// connection reads, and then the next checkpoint does it.
    public internal(set) var isLogCut = false
}

extension Store {
    /// Removes what is known of one customer: of this subscription and of all in the same app that share an account
    /// token or a download with it; nil when nothing of it was ever recorded.
    ///
    /// Log entries, facts, links, arms and what campaigns gave go; of grants only counts stay: kind, offer, decision and dates. Offer codes stay
    /// handed out, to a digest of who has them: under the token, one of Apple's ids or `codeCustomer`. Removed bytes are
    /// overwritten with zeros. Copies that SQLite has left in the unused part of a page when it split one go with the
    /// next rewrite of that page, at the latest with `rewriteFile`; backups are not touched.
    ///
    /// A digest of each subscription's id stays. What was signed until `now` is refused by it, so a late delivery does
    /// not bring the customer back; what Apple signs afterwards is of a customer who still is one, and is kept again.
    ///
    /// - Parameter codeCustomer: the caller's own id under which the customer claimed codes, when there is one.
    ///
    /// Errors: `tooManyLinked` when tokens or downloads lead to more than 100 subscriptions, for then they are nobody's.
    public func eraseSubscriber(
        originalTransactionId: OriginalTransactionID, bundleId: BundleID, environment: AppStoreEnvironment,
        codeCustomer: String? = nil, now: Instant
    ) throws(StorageError) -> Erasure? {
        try connection.execute("PRAGMA secure_delete = ON")
        guard let appId = try appId(bundleId, environment) else { return nil }
        let customer = try connection.transaction { () throws(StorageError) -> ErasedCustomer? in
            guard var customer = try ErasedCustomer.find(originalTransactionId, appId: appId, self) else { return nil }
            customer.ownId = codeCustomer
            try erasePayloads(of: &customer)
            try eraseFacts(of: &customer)
            try eraseCampaigns(of: &customer)
            customer.erasure.codes = try eraseCodes(of: customer)
            for name in customer.names { try markErased(name, appId: appId, now: now) }
            return customer
        }
        guard var customer else { return nil }
        known.subscription = nil
        try eraseGrants(of: &customer, bundleId: bundleId, environment: environment, now: now)
        try eraseLedger(of: customer)
        customer.erasure.isLogCut = try cutLog()
        return customer.erasure
    }

    /// The subscriptions that `eraseSubscriber` would remove, that of the name first; empty when it was never seen.
    ///
    /// Errors: as for `eraseSubscriber`.
    public func subscriptionsErased(
        originalTransactionId: OriginalTransactionID, bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [SubscriptionRowID] {
        guard let appId = try appId(bundleId, environment) else { return [] }
        return try ErasedCustomer.find(originalTransactionId, appId: appId, self)?.subscriptions ?? []
    }

    private func erasePayloads(of customer: inout ErasedCustomer) throws(StorageError) {
        for id in customer.subscriptions {
            customer.erasure.payloads += try connection.run(
                """
                DELETE FROM signed_payload WHERE id IN (
                    SELECT payload_id FROM transaction_fact WHERE subscription_id = \(id)
                    UNION SELECT payload_id FROM renewal_fact WHERE subscription_id = \(id)
                    UNION SELECT id FROM signed_payload WHERE subscription_id = \(id) AND outcome <> 'folded')
                """)
        }
        // Entries of no subscription are few; one may name the customer's download.
        let aside = try connection.rows(
            "SELECT id, body FROM signed_payload WHERE subscription_id IS NULL AND outcome <> 'folded'"
        ) { row throws(StorageError) in (id: try row.next(PayloadID.self), body: try row.next([UInt8].self)) }
        for entry in aside where customer.isNamed(in: codec.json(of: entry.body)) {
            customer.erasure.payloads += try connection.run("DELETE FROM signed_payload WHERE id = \(entry.id)")
        }
    }

    private func eraseFacts(of customer: inout ErasedCustomer) throws(StorageError) {
        let tables = try factTables()
        for id in customer.subscriptions {
            for (index, tables) in tables.enumerated() {
                let transactions = try connection.run(
                    "DELETE FROM \(raw: tables.transactions) WHERE subscription_id = \(id)")
                let renewals = try connection.run("DELETE FROM \(raw: tables.renewals) WHERE subscription_id = \(id)")
                if index == 0 { customer.erasure.facts += transactions + renewals }
            }
            // These keys begin with the names, so the rows are reached through them.
            for token in customer.tokens {
                try connection.run(
                    """
                    DELETE FROM subscription_token WHERE app_account_token = \(token) AND app_id = \(customer.appId)
                    AND subscription_id = \(id)
                    """)
            }
            for download in customer.downloads {
                try connection.run(
                    """
                    DELETE FROM subscription_download WHERE app_transaction_id = \(download)
                    AND app_id = \(customer.appId) AND subscription_id = \(id)
                    """)
            }
            for transaction in customer.transactions {
                try connection.run(
                    """
                    DELETE FROM subscription_transaction WHERE transaction_id = \(transaction)
                    AND app_id = \(customer.appId) AND subscription_id = \(id)
                    """)
            }
            customer.erasure.subscriptions += try connection.run("DELETE FROM subscription WHERE id = \(id)")
        }
    }

    private func markErased(_ name: OriginalTransactionID, appId: Int64, now: Instant) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO erased_subscription (digest, erased_date)
            VALUES (\(Self.erasureDigest(name, appId: appId)), \(now))
            ON CONFLICT (digest) DO UPDATE SET erased_date = max(erased_date, excluded.erased_date)
            """)
    }

    /// Takes the customer out of the grants, in short transactions, since all of them have to be looked at.
    ///
    /// The answer goes, because it repeats the token, and so does the digest of the request, which named the customer. An
    /// emptied grant has expired, so its request would be decided anew.
    private func eraseGrants(
        of customer: inout ErasedCustomer, bundleId: BundleID, environment: AppStoreEnvironment, now: Instant
    ) throws(StorageError) {
        var last: Int64 = 0
        while true {
            let grants = try connection.rows(
                """
                SELECT id, bundle_id, environment, original_transaction_id, app_account_token FROM offer_grant
                WHERE id > \(last) ORDER BY id LIMIT \(Limits.grantsLookedAt)
                """
            ) { row throws(StorageError) in
                GrantNames(
                    id: try row.next(), bundleId: try row.next(), environment: try row.next(),
                    subscription: try row.nextIfPresent(), token: try row.nextIfPresent())
            }
            guard let end = grants.last?.id else { return }
            last = end
            let own = grants.filter { grant in
                grant.bundleId == bundleId && grant.environment == environment
                    && (grant.subscription.map(customer.names.contains) ?? false
                        || grant.token.map(customer.tokens.contains) ?? false)
            }
            if own.isEmpty { continue }
            try connection.transaction { () throws(StorageError) in
                for grant in own {
                    try connection.run(
                        """
                        UPDATE offer_grant SET original_transaction_id = NULL, app_account_token = NULL, nonce = NULL,
                            answer = x'', body_digest = zeroblob(32), expires_date = min(expires_date, \(now))
                        WHERE id = \(grant.id)
                        """)
                }
            }
            customer.erasure.grants += own.count
        }
    }

    /// Moves the write-ahead log into the file and empties it; false when another connection holds it.
    func cutLog() throws(StorageError) -> Bool {
        try connection.value("PRAGMA wal_checkpoint(TRUNCATE)", Int64.self) == 0
    }

    /// Writes the whole file anew, which leaves nothing of what was removed; no one else can write meanwhile.
    public func rewriteFile() throws(StorageError) {
        precondition(!connection.isInTransaction, "a file cannot be rewritten inside a transaction")
        try connection.execute("VACUUM")
        _ = try cutLog()
    }
}

private struct GrantNames {
    let id: Int64
    let bundleId: BundleID
    let environment: AppStoreEnvironment
    let subscription: OriginalTransactionID?
    let token: UUID?
}
