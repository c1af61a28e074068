public import CampaignCore
public import FoundationEssentials

/// How much the log of signed payloads holds.
public struct PayloadLogSize: Hashable, Sendable {
    public let entries: Int
    /// Of the packed payloads; the rest of a row takes about as much again.
    public let bodyBytes: Int64
    /// When the entry that has been there the longest arrived; nil for an empty log.
    public let oldestReceivedDate: Instant?
}

extension Store {
    /// Whether `text` is in the log as the notification `uuid`, letter for letter.
    ///
    /// What is there was verified before it was logged, so nobody needs to verify it again.
    public func isLogged(_ text: String, as uuid: UUID) throws(StorageError) -> Bool {
        let body: [UInt8]? = try connection.value(
            """
            SELECT body FROM signed_payload WHERE notification_uuid = \(uuid)
            AND notification_uuid IS NOT NULL AND outcome <> 'conflicting'
            """)
        guard let body else { return false }
        return try self.text(ofBody: body) == text
    }

    /// Counts the log; that reads all of it, without its payloads.
    public func payloadLogSize() throws(StorageError) -> PayloadLogSize {
        let sizes = try connection.rows(
            "SELECT count(*), coalesce(sum(length(body)), 0), min(received_date) FROM signed_payload"
        ) { row throws(StorageError) in
            PayloadLogSize(
                entries: try row.next(), bodyBytes: try row.next(), oldestReceivedDate: try row.nextIfPresent())
        }
        guard let size = sizes.first else { throw .corruptRow(table: "signed_payload", column: "body") }
        return size
    }
}
