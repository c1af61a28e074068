import CampaignCore
import FoundationEssentials

extension PayloadSource: ColumnValue {}
extension PayloadOutcome: ColumnValue {}

extension LoggedPayload {
    init(_ row: inout Row) throws(StorageError) {
        self.init(
            id: try row.next(), bundleId: try row.next(), environment: try row.next(),
            subscriptionId: try row.nextIfPresent(), source: try row.next(), outcome: try row.next(),
            notificationUUID: try row.nextIfPresent(), notificationType: try row.nextIfPresent(),
            subtype: try row.nextIfPresent(), signedDate: try row.next(), receivedDate: try row.next(),
            detail: try row.nextIfPresent(), body: try row.next())
    }
}

// The log is only ever appended to; an entry's outcome may be told later, and erasure and retention remove entries.
extension Store {
    /// Logs a notification once, by its `notificationUUID`; nothing is folded.
    ///
    /// The subscription of one that is to be folded is made when it was never seen. When what it carries turns out to be known or cannot be
    /// folded, `setOutcome` says so afterwards.
    public func logNotification(_ entry: NotificationEntry) throws(StorageError) -> LoggedNotification {
        try connection.transaction { () throws(StorageError) in
            let appId = try madeAppId(entry.bundleId, entry.environment)
            var subscription: ResolvedSubscription?
            if let name = entry.originalTransactionId {
                if entry.outcome == .folded {
                    subscription = try resolvedSubscription(name, appId: appId, signedDate: entry.signedDate)
                    if subscription == nil { return .erased }
                } else {
                    // What folds nothing makes no subscription, and comes back after an erasure as little.
                    if try isErased(name, appId: appId, signedDate: entry.signedDate) { return .erased }
                    subscription = try foundSubscription(name, appId: appId)
                }
            }
            let body = try body(of: entry.payload)
            if let id = try append(entry, entry.outcome, appId: appId, subscription?.id, body: body) {
                return .logged(id)
            }
            return try secondUnderItsName(entry, appId: appId, subscription?.id, body: body)
        }
    }

    /// Nil when another entry has its `notificationUUID`.
    private func append(
        _ entry: NotificationEntry, _ outcome: PayloadOutcome, appId: Int64, _ subscription: SubscriptionRowID?,
        body: [UInt8]
    ) throws(StorageError) -> PayloadID? {
        let count = try connection.run(
            """
            INSERT INTO signed_payload (
                app_id, subscription_id, source, outcome, notification_uuid, notification_type, subtype, signed_date,
                received_date, detail, body)
            VALUES (
                \(appId), \(subscription), 'notification', \(outcome), \(entry.notificationUUID),
                \(entry.notificationType), \(entry.subtype), \(entry.signedDate), \(entry.receivedDate),
                \(entry.detail), \(body))
            ON CONFLICT (notification_uuid) WHERE notification_uuid IS NOT NULL AND outcome <> 'conflicting'
            DO NOTHING
            """)
        return count == 0 ? nil : PayloadID(rawValue: connection.insertedRow)
    }

    /// Tells a repeated notification from another one under the same name.
    private func secondUnderItsName(
        _ entry: NotificationEntry, appId: Int64, _ subscription: SubscriptionRowID?, body: [UInt8]
    ) throws(StorageError) -> LoggedNotification {
        let first: [UInt8]? = try connection.value(
            """
            SELECT body FROM signed_payload WHERE notification_uuid = \(entry.notificationUUID)
            AND notification_uuid IS NOT NULL AND outcome <> 'conflicting'
            """)
        let others = try connection.rows(
            """
            SELECT body FROM signed_payload WHERE outcome <> 'folded' AND subscription_id IS \(subscription)
            AND notification_uuid = \(entry.notificationUUID)
            """
        ) { row throws(StorageError) in try row.next([UInt8].self) }
        // What was signed once more says the same, and packed by another zlib the same text may differ, so what the
        // payloads say is compared.
        let said = codec.json(of: body)
        for known in [first].compactMap(\.self) + others where codec.json(of: known) == said {
            return .duplicate
        }
        guard let id = try append(entry, .conflicting, appId: appId, subscription, body: body) else {
            throw .corruptRow(table: "signed_payload", column: "notification_uuid")
        }
        return .conflicting(id)
    }

    /// Says what became of an entry, once its facts were recorded and folded.
    public func setOutcome(
        _ outcome: PayloadOutcome, of id: PayloadID, detail: String? = nil
    ) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            try connection.run(
                "UPDATE signed_payload SET outcome = \(outcome), detail = \(detail) WHERE id = \(id)")
        }
    }

    /// Logs a transaction that a client proved.
    func logTransaction(
        _ payload: PackedPayload, appId: Int64, of subscription: SubscriptionRowID, signedDate: Instant,
        receivedDate: Instant
    ) throws(StorageError) -> PayloadID {
        let body = try body(of: payload)
        try connection.run(
            """
            INSERT INTO signed_payload (app_id, subscription_id, source, outcome, signed_date, received_date, body)
            VALUES (\(appId), \(subscription), 'transaction', 'folded', \(signedDate), \(receivedDate), \(body))
            """)
        return PayloadID(rawValue: connection.insertedRow)
    }

    static let payloadColumns = SQL.Fragment(
        """
        p.id, app.bundle_id, app.environment, p.subscription_id, p.source, p.outcome, p.notification_uuid,
        p.notification_type, p.subtype, p.signed_date, p.received_date, p.detail, p.body
        """)

    private static let historyLimit = SQL.Fragment("LIMIT \(Limits.historyEntries)")

    /// What the log has of one subscription, oldest signed first; at most the 1,000 that arrived last.
    public func history(of subscription: SubscriptionRowID) throws(StorageError) -> [LoggedPayload] {
        let entries = try connection.rows(
            """
            SELECT \(raw: Self.payloadColumns) FROM signed_payload AS p JOIN app ON app.id = p.app_id
            WHERE p.id IN (
                SELECT payload_id FROM transaction_fact WHERE subscription_id = \(subscription)
                UNION SELECT payload_id FROM renewal_fact WHERE subscription_id = \(subscription)
                UNION SELECT id FROM signed_payload WHERE subscription_id = \(subscription) AND outcome <> 'folded')
            ORDER BY p.id DESC \(raw: Self.historyLimit)
            """
        ) { row throws(StorageError) in try LoggedPayload(&row) }
        return entries.sorted { ($0.signedDate, $0.id) < ($1.signedDate, $1.id) }
    }

    /// The entries after `id` in the order of their arrival, at most `limit`; nil begins with the first.
    public func payloads(after id: PayloadID?, limit: Int) throws(StorageError) -> [LoggedPayload] {
        try connection.rows(
            """
            SELECT \(raw: Self.payloadColumns) FROM signed_payload AS p JOIN app ON app.id = p.app_id
            WHERE p.id > \(id?.rawValue ?? 0) ORDER BY p.id LIMIT \(limit)
            """
        ) { row throws(StorageError) in try LoggedPayload(&row) }
    }
}
