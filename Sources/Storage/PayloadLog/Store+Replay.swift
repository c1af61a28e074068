import CampaignCore
import Glibc

extension Store {
    /// Builds the facts and every subscription anew from the log, beside the present ones, and puts them in their place.
    ///
    /// `read` says what an entry means; it is called outside transactions, and again in the last one for what arrived
    /// meanwhile. Others read and write all the time: each transaction takes a few hundred rows, and the one that
    /// swaps renames tables. Facts that no log entry carries any more stay as they are. Each subscription that comes
    /// out otherwise is given to `difference`. After a crash the present tables are as they were, or as they became.
    public func replay(
        reading read: (LoggedPayload, String) -> ReplayedPayload, difference: (ReplayDifference) -> Void
    ) throws(StorageError) -> ReplaySummary {
        precondition(!connection.isInTransaction, "a replay has transactions of its own")
        try removeReplayTables()
        try connection.transaction { () throws(StorageError) in
            try connection.execute(Schema.factTables(suffix: "_replay"))
        }
        var summary = ReplaySummary()
        var last: PayloadID?
        while try replayEntries(after: &last, &summary, read) == Limits.rowsReplayed {}
        try copyUnloggedFacts()
        var changed = try compare(&summary, difference)
        // What arrived while the subscriptions were compared; little of it is left for the transaction that swaps.
        var late: Set<SubscriptionRowID> = []
        while try replayEntries(after: &last, &summary, read, touching: &late) == Limits.rowsReplayed {}
        try connection.transaction { () throws(StorageError) in
            while try replayEntries(after: &last, &summary, read, touching: &late) == Limits.rowsReplayed {}
            try swapTables()
            changed += late.sorted()
            try refoldSome(&changed)
        }
        while !changed.isEmpty {
            try connection.transaction { () throws(StorageError) in try refoldSome(&changed) }
            giveWay()
        }
        try removeReplayTables()
        return summary
    }

    /// The pairs of fact tables that are there: more than the present one while a replay goes on, or after it was killed.
    func factTables() throws(StorageError) -> [FactTables] {
        let names = try connection.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'renewal_fact%'") {
            row throws(StorageError) in try row.next(String.self)
        }
        var tables = [FactTables.present]
        if names.contains("renewal_fact_replay") { tables.append(.replayed) }
        if names.contains("renewal_fact_old") { tables.append(.replaced) }
        return tables
    }

    private func replayEntries(
        after last: inout PayloadID?, _ summary: inout ReplaySummary,
        _ read: (LoggedPayload, String) -> ReplayedPayload
    ) throws(StorageError) -> Int {
        var ignored: Set<SubscriptionRowID> = []
        return try replayEntries(after: &last, &summary, read, touching: &ignored)
    }

    /// Replays the next entries, and counts them.
    private func replayEntries(
        after last: inout PayloadID?, _ summary: inout ReplaySummary,
        _ read: (LoggedPayload, String) -> ReplayedPayload, touching touched: inout Set<SubscriptionRowID>
    ) throws(StorageError) -> Int {
        let entries = try payloads(after: last, limit: Limits.rowsReplayed)
        var replayed: [(entry: LoggedPayload, ReplayedPayload)] = []
        for entry in entries where entry.outcome != .conflicting {
            replayed.append((entry, read(entry, try text(of: entry))))
        }
        // The lock is held for writing alone.
        let isOwn = !connection.isInTransaction
        try connection.transaction { () throws(StorageError) in
            for (entry, payload) in replayed { touched.formUnion(try keep(payload, of: entry)) }
        }
        if isOwn { giveWay() }
        summary.payloads += replayed.count
        last = entries.last?.id ?? last
        return entries.count
    }

    private func keep(
        _ payload: ReplayedPayload, of entry: LoggedPayload
    ) throws(StorageError) -> Set<SubscriptionRowID> {
        let appId = try madeAppId(entry.bundleId, entry.environment)
        var touched: Set<SubscriptionRowID> = []
        var isNew = false
        for fact in payload.transactions {
            let subscription = try resolvedSubscription(
                fact.originalTransactionId, appId: appId, signedDate: fact.signedDate)
            guard let subscription else { continue }
            touched.insert(subscription.id)
            guard try insert(fact, of: subscription.id, payload: entry.id, into: .replayed) else { continue }
            isNew = true
            // What the present row says of written links may be wrong, which is why one replays.
            let unlinked = subscription.withoutLinks
            try link(fact, to: unlinked)
            _ = try linkTransaction(fact.transactionId, to: unlinked)
        }
        for fact in payload.renewals {
            let subscription = try resolvedSubscription(
                fact.originalTransactionId, appId: appId, signedDate: fact.signedDate)
            guard let subscription else { continue }
            touched.insert(subscription.id)
            if try insert(fact, of: subscription.id, payload: entry.id, into: .replayed) { isNew = true }
        }
        // Only an entry with facts of its own is found through them.
        let isStale = payload.outcome == .folded && (!isNew || entry.outcome == .stale)
        let outcome = isStale ? .stale : payload.outcome
        if outcome != entry.outcome { try setOutcome(outcome, of: entry.id, detail: payload.detail) }
        return touched
    }

    /// Copies the facts whose log entry is gone or never was.
    private func copyUnloggedFacts() throws(StorageError) {
        var last = SubscriptionRowID(rawValue: 0)
        while let end = try endOfChunk(after: last) {
            try connection.transaction { () throws(StorageError) in
                try connection.run(
                    """
                    INSERT INTO transaction_fact_replay SELECT * FROM transaction_fact AS f
                    WHERE f.subscription_id > \(last) AND f.subscription_id <= \(end) AND (f.payload_id IS NULL
                    OR NOT EXISTS (SELECT 1 FROM signed_payload AS p WHERE p.id = f.payload_id))
                    ON CONFLICT DO NOTHING
                    """)
                try connection.run(
                    """
                    INSERT INTO renewal_fact_replay SELECT * FROM renewal_fact AS f
                    WHERE f.subscription_id > \(last) AND f.subscription_id <= \(end) AND (f.payload_id IS NULL
                    OR NOT EXISTS (SELECT 1 FROM signed_payload AS p WHERE p.id = f.payload_id))
                    ON CONFLICT DO NOTHING
                    """)
                // A confirmation is in no log: it stays with the version that it confirmed.
                try connection.run(
                    """
                    UPDATE transaction_fact_replay AS r SET confirmed_date = f.confirmed_date
                    FROM transaction_fact AS f
                    WHERE f.subscription_id > \(last) AND f.subscription_id <= \(end)
                    AND f.confirmed_date IS NOT NULL AND r.subscription_id = f.subscription_id
                    AND r.purchase_date = f.purchase_date AND r.transaction_id = f.transaction_id
                    AND r.signed_date = f.signed_date AND r.content_hash = f.content_hash
                    AND r.reported_status = f.reported_status
                    """)
            }
            giveWay()
            last = end
        }
    }

    /// Folds the new facts of every subscription, and gives those that come out otherwise than they are stored.
    private func compare(
        _ summary: inout ReplaySummary, _ difference: (ReplayDifference) -> Void
    ) throws(StorageError) -> [SubscriptionRowID] {
        var changed: [SubscriptionRowID] = []
        var last = SubscriptionRowID(rawValue: 0)
        while let end = try endOfChunk(after: last) {
            let stored = try connection.rows(
                """
                SELECT s.id, s.original_transaction_id, \(raw: Subscription.columns) FROM subscription AS s
                WHERE s.id > \(last) AND s.id <= \(end) ORDER BY s.id
                """
            ) { row throws(StorageError) in
                let id: SubscriptionRowID = try row.next()
                let name: OriginalTransactionID = try row.next()
                return (id: id, name: name, subscription: try Subscription.read(&row, name))
            }
            for one in stored {
                let facts = try facts(of: one.id, one.name, in: .replayed)
                let folded = Subscription(transactions: facts.transactions, renewals: facts.renewals)
                summary.subscriptions += 1
                guard folded != one.subscription else { continue }
                summary.differences += 1
                changed.append(one.id)
                difference(
                    ReplayDifference(
                        subscription: one.id, originalTransactionId: one.name, before: one.subscription, after: folded))
            }
            last = end
        }
        return changed
    }

    /// The last subscription of the next few; nil when there are no more.
    private func endOfChunk(after last: SubscriptionRowID) throws(StorageError) -> SubscriptionRowID? {
        try connection.value(
            """
            SELECT max(id) FROM (SELECT id FROM subscription WHERE id > \(last) ORDER BY id LIMIT \(Limits.rowsReplayed))
            HAVING count(*) > 0
            """)
    }

    private func swapTables() throws(StorageError) {
        for table in ["transaction_fact", "renewal_fact"] {
            try connection.execute(
                "ALTER TABLE \(table) RENAME TO \(table)_old; ALTER TABLE \(table)_replay RENAME TO \(table)")
        }
    }

    /// Folds the first few of `changed` from what is in place now.
    private func refoldSome(_ changed: inout [SubscriptionRowID]) throws(StorageError) {
        for id in changed.prefix(Limits.rowsReplayed) {
            if try refold(id) == nil { try clearSubscription(id) }
        }
        changed.removeFirst(min(changed.count, Limits.rowsReplayed))
    }

    /// Forgets what a subscription was, because its facts say nothing any more.
    private func clearSubscription(_ id: SubscriptionRowID) throws(StorageError) {
        try connection.run(
            """
            UPDATE subscription SET transaction_id = NULL, expires_date = NULL, save_window_opens_date = NULL,
                app_account_token = NULL, app_transaction_id = NULL
            WHERE id = \(id)
            """)
    }

    /// Removes the tables that a replay, this one or a killed one, has left, a few rows at a time.
    private func removeReplayTables() throws(StorageError) {
        for table in ["transaction_fact_replay", "renewal_fact_replay", "transaction_fact_old", "renewal_fact_old"] {
            let isThere: Int64? = try connection.value("SELECT count(*) FROM sqlite_schema WHERE name = \(table)")
            guard isThere == 1 else { continue }
            try emptyTable(table)
            try connection.transaction { () throws(StorageError) in try connection.execute("DROP TABLE \(table)") }
        }
    }

    private func emptyTable(_ table: String) throws(StorageError) {
        var last = SubscriptionRowID(rawValue: 0)
        while let end = try endOfChunk(after: last) {
            try connection.transaction { () throws(StorageError) in
                try connection.execute("DELETE FROM \(table) WHERE subscription_id <= \(end.rawValue)")
            }
            giveWay()
            last = end
        }
    }

    /// Lets a writer that waits for the lock have it: SQLite's waiting is a nap, not a queue.
    private func giveWay() {
        usleep(Limits.replayPauseMicroseconds)
    }
}
