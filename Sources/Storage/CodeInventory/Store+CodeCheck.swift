import CampaignCore

extension Store {
    /// The faults in the books of every batch, none when they are right.
    ///
    /// The counts of a batch, the rows of its codes, its claims, its ledger and its blocks are five records of the same
    /// thing. They are compared in one snapshot, so that it can be done while codes are handed out. Needs a connection
    /// of its own. Errors: those of the database.
    public func codeFaults() throws(StorageError) -> [String] {
        try connection.begin()
        defer { try? connection.rollback() }
        let batches = try connection.rows(
            """
            SELECT id, name, total, next, claimed, voided, released, is_open, state FROM code_batch
            WHERE state <> 'loading' ORDER BY id
            """
        ) { row throws(StorageError) in
            BookedBatch(
                id: try row.next(), name: try row.next(), total: try row.next(), next: try row.next(),
                claimed: try row.next(), voided: try row.next(), released: try row.next(), isOpen: try row.next(),
                isVoid: try row.next(String.self) == "void")
        }
        // One pass over the ledger for all of them.
        var ledger: [Int64: [String: Int64]] = [:]
        for (batch, movement, count) in try connection.rows(
            "SELECT batch_id, movement, sum(count) FROM code_ledger GROUP BY batch_id, movement",
            { row throws(StorageError) in
                (try row.next(Int64.self), try row.next(String.self), try row.next(Int64.self))
            })
        {
            ledger[batch, default: [:]][movement] = count
        }
        var faults: [String] = []
        for batch in batches {
            for (what, booked, found) in try records(of: batch, moved: ledger[batch.id] ?? [:]) where booked != found {
                faults.append("batch '\(batch.name)': \(what) \(found), and its own count is \(booked)")
            }
            faults += try blockFaults(of: batch)
        }
        return faults
    }

    private struct BookedBatch {
        let id: Int64
        let name: String
        let total: Int64
        let next: Int64
        let claimed: Int64
        let voided: Int64
        let released: Int64
        let isOpen: Bool
        let isVoid: Bool
    }

    /// What the other records say, beside the batch's own counts.
    private func records(
        of batch: BookedBatch, moved: [String: Int64]
    ) throws(StorageError) -> [(String, Int64, Int64)] {
        var states: [String: Int64] = [:]
        for (state, count) in try connection.rows(
            "SELECT state, count(*) FROM offer_code WHERE batch_id = \(batch.id) GROUP BY state",
            { row throws(StorageError) in (try row.next(String.self), try row.next(Int64.self)) })
        {
            states[state] = count
        }
        let ahead = try connection.value(
            """
            SELECT count(*) FROM offer_code
            WHERE batch_id = \(batch.id) AND position >= \(batch.next) AND state = 'void'
            """, Int64.self)
        let claims = try connection.value(
            """
            SELECT count(*) FROM offer_code AS o
            JOIN code_batch AS b ON b.id = o.batch_id
            JOIN code_claim AS c ON c.customer = o.customer AND c.app_id = b.app_id AND c.offer = b.offer
                AND c.batch_id = o.batch_id AND c.position = o.position
            WHERE o.batch_id = \(batch.id) AND o.state = 'claimed'
            """, Int64.self)
        let byHour = try connection.value(
            "SELECT coalesce(sum(claimed), 0) FROM code_claim_hour WHERE batch_id = \(batch.id)", Int64.self)
        let gone = (moved["released"] ?? 0) + (moved["voidedClaimed"] ?? 0)
        let free = batch.total - batch.claimed - batch.voided
        var records = [
            ("the ledger loaded", batch.total, moved["loaded"] ?? 0),
            ("the ledger says claimed", batch.claimed, (moved["claimed"] ?? 0) - gone),
            ("the ledger says void", batch.voided, (moved["voided"] ?? 0) + (moved["voidedClaimed"] ?? 0)),
            ("the ledger says claimed, and with those given back the hours say", moved["claimed"] ?? 0, byHour ?? 0),
            ("rows say claimed", batch.claimed, states["claimed"] ?? 0),
            ("claims lead to", batch.claimed, claims ?? 0),
            ("rows say released", batch.released, states["released"] ?? 0),
            ("can be claimed", batch.isOpen ? 1 : 0, free > 0 ? 1 : 0),
        ]
        if !batch.isVoid {
            records.append(("rows say void", batch.voided, states["void"] ?? 0))
            records.append(
                ("left behind the cursor and released", free, batch.total - batch.next - (ahead ?? 0) + batch.released))
        }
        return records
    }

    /// Whether the blocks have as many codes as the batch says, each greater than the one before.
    private func blockFaults(of batch: BookedBatch) throws(StorageError) -> [String] {
        var count: Int64 = 0
        var last: [UInt8] = []
        var faults: [String] = []
        for block in 0..<CodeBlock.count(total: batch.total) {
            let id = CodeBlock.rowId(batch: batch.id, block: block)
            let bytes = try connection.row("SELECT codes FROM code_block WHERE id = \(id)") {
                row throws(StorageError) in try row.next(CodeText.self).bytes
            }
            guard let bytes else {
                faults.append("batch '\(batch.name)': its block \(block) is missing")
                continue
            }
            var start = 0
            while start <= bytes.count {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                let isAscending = last.withUnsafeBufferPointer { last in
                    bytes.withUnsafeBufferPointer { bytes in
                        guard let one = last.baseAddress, let other = bytes.baseAddress else { return true }
                        return compareCodes(one, last.count, other + start, end - start) < 0
                    }
                }
                if !isAscending { faults.append("batch '\(batch.name)': its block \(block) is out of order") }
                last = Array(bytes[start..<end])
                count += 1
                start = end + 1
            }
        }
        if count != batch.total {
            faults.append("batch '\(batch.name)': its blocks have \(count) codes, and its own count is \(batch.total)")
        }
        return faults
    }
}
