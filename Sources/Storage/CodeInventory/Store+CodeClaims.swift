public import CampaignCore

/// The batch that a code is taken from.
private struct OpenBatch {
    let id: Int64
    let total: Int64
    let next: Int64
    let claimed: Int64
    let voided: Int64
    let released: Int64
    let name: String
    let productId: ProductID
    let expiresDate: Instant

    init(_ row: inout Row) throws(StorageError) {
        id = try row.next()
        total = try row.next()
        next = try row.next()
        claimed = try row.next()
        voided = try row.next()
        released = try row.next()
        name = try row.next()
        productId = try row.next()
        expiresDate = try row.next()
    }

    /// Neither handed out nor void; an expired one counts too.
    var free: Int64 { total - claimed - voided }
}

extension Store {
    private static let openBatchColumns = SQL.Fragment(
        "id, total, next, claimed, voided, released, name, product_id, expires_date")

    /// Gives the customer the offer's code: the one that they have, else one that nobody has, nearest expiry first and
    /// none that expires within the margin; nil when there is none left.
    ///
    /// Check and take are one transaction, so a code has one customer whatever races. Errors: those of the database.
    public func claimCode(_ claim: CodeClaim, now: Instant) throws(StorageError) -> ClaimedCode? {
        try connection.transaction { () throws(StorageError) -> ClaimedCode? in
            guard let appId = try appId(claim.bundleId, claim.environment) else { return nil }
            for id in [claim.customer] + claim.otherIds {
                if let had = try claimedCode(of: id, claim.offer, appId) { return had }
            }
            let usableFrom = now.adding(milliseconds: claim.expiryMarginMilliseconds)
            while let batch = try openBatch(appId, claim.offer, after: usableFrom) {
                guard let position = try takePosition(of: batch) else { continue }
                try record(claim, appId, CodePosition(batch: batch.id, position: position), now)
                return ClaimedCode(
                    code: try code(at: CodePosition(batch: batch.id, position: position)), productId: batch.productId,
                    batch: batch.name, expiresDate: batch.expiresDate, isNew: true)
            }
            return nil
        }
    }

    /// The code that the customer has of an offer; nil when they have none.
    private func claimedCode(
        of customer: String, _ offer: OfferIdentifier, _ appId: Int64
    ) throws(StorageError) -> ClaimedCode? {
        let found = try connection.row(
            """
            SELECT b.id, c.position, b.product_id, b.name, b.expires_date
            FROM code_claim AS c JOIN code_batch AS b ON b.id = c.batch_id
            WHERE c.customer = \(customer) AND c.app_id = \(appId) AND c.offer = \(offer)
            """
        ) { row throws(StorageError) in
            (
                position: CodePosition(batch: try row.next(), position: try row.next()),
                productId: try row.next(ProductID.self), batch: try row.next(String.self),
                expiresDate: try row.next(Instant.self)
            )
        }
        guard let found else { return nil }
        return ClaimedCode(
            code: try code(at: found.position), productId: found.productId, batch: found.batch,
            expiresDate: found.expiresDate, isNew: false)
    }

    private func openBatch(
        _ appId: Int64, _ offer: OfferIdentifier, after usableFrom: Instant
    ) throws(StorageError) -> OpenBatch? {
        try connection.row(
            """
            SELECT \(raw: Self.openBatchColumns) FROM code_batch
            WHERE app_id = \(appId) AND offer = \(offer) AND is_open = 1 AND expires_date > \(usableFrom)
            ORDER BY expires_date, id LIMIT 1
            """
        ) { row throws(StorageError) in try OpenBatch(&row) }
    }

    /// Takes a code of the batch that nobody has, a released one first; nil when there is none, and then the batch is
    /// closed. The counts of the batch are right afterwards.
    private func takePosition(of batch: OpenBatch) throws(StorageError) -> Int64? {
        if batch.released > 0 {
            let released = try connection.value(
                """
                SELECT position FROM offer_code
                WHERE batch_id = \(batch.id) AND state = 'released' ORDER BY position LIMIT 1
                """, Int64.self)
            guard let released else { throw .corruptRow(table: "code_batch", column: "released") }
            try connection.run(
                """
                UPDATE code_batch SET released = released - 1, claimed = claimed + 1 WHERE id = \(batch.id)
                """)
            try closeIfEmpty(batch.id, free: batch.free - 1)
            return released
        }
        // Codes that were voided before anyone had them lie ahead and are stepped over.
        var position = batch.next
        while batch.voided > 0, position < batch.total, try isTaken(CodePosition(batch: batch.id, position: position)) {
            position += 1
        }
        guard position < batch.total else {
            try connection.run("UPDATE code_batch SET next = total, is_open = 0 WHERE id = \(batch.id)")
            return nil
        }
        try connection.run(
            "UPDATE code_batch SET next = \(position + 1), claimed = claimed + 1 WHERE id = \(batch.id)")
        try closeIfEmpty(batch.id, free: batch.free - 1)
        return position
    }

    private func closeIfEmpty(_ batch: Int64, free: Int64) throws(StorageError) {
        if free == 0 { try connection.run("UPDATE code_batch SET is_open = 0 WHERE id = \(batch)") }
    }

    private func isTaken(_ code: CodePosition) throws(StorageError) -> Bool {
        try connection.value(
            "SELECT 1 FROM offer_code WHERE batch_id = \(code.batch) AND position = \(code.position)", Int64.self)
            != nil
    }

    /// Writes down who has the code; its keys refuse a second customer and a second code.
    private func record(
        _ claim: CodeClaim, _ appId: Int64, _ code: CodePosition, _ now: Instant
    ) throws(StorageError) {
        let changed = try connection.run(
            """
            INSERT INTO offer_code (batch_id, position, state, customer, claimed_date)
            VALUES (\(code.batch), \(code.position), 'claimed', \(claim.customer), \(now))
            ON CONFLICT (batch_id, position) DO UPDATE
            SET state = 'claimed', customer = excluded.customer, claimed_date = excluded.claimed_date
            WHERE offer_code.state = 'released'
            """)
        guard changed == 1 else { throw .corruptRow(table: "offer_code", column: "state") }
        try connection.run(
            """
            INSERT INTO code_claim (customer, app_id, offer, batch_id, position)
            VALUES (\(claim.customer), \(appId), \(claim.offer), \(code.batch), \(code.position))
            """)
        try connection.run(
            """
            INSERT INTO code_ledger (batch_id, position, movement, count, customer, moved_date)
            VALUES (\(code.batch), \(code.position), 'claimed', 1, \(claim.customer), \(now))
            """)
        try connection.run(
            """
            INSERT INTO code_claim_hour (batch_id, hour, claimed)
            VALUES (\(code.batch), \(now.millisecondsSince1970 / CodeDrain.hourMilliseconds), 1)
            ON CONFLICT (batch_id, hour) DO UPDATE SET claimed = claimed + 1
            """)
    }

    /// The code at a position.
    func code(at code: CodePosition) throws(StorageError) -> OfferCode {
        let id = CodeBlock.rowId(batch: code.batch, block: code.position / CodeLimits.codesInBlock)
        let bytes = try connection.row("SELECT codes FROM code_block WHERE id = \(id)") {
            row throws(StorageError) in try row.next(CodeText.self).bytes
        }
        guard let bytes, let line = Self.line(Int(code.position % CodeLimits.codesInBlock), of: bytes),
            let found = OfferCode(rawValue: String(decoding: line, as: UTF8.self))
        else { throw .corruptRow(table: "code_block", column: "codes") }
        return found
    }

    private static func line(_ number: Int, of text: [UInt8]) -> ArraySlice<UInt8>? {
        var rest = text[...]
        for _ in 0..<number {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            rest = rest[(end + 1)...]
        }
        return rest.prefix { $0 != UInt8(ascii: "\n") }
    }
}
