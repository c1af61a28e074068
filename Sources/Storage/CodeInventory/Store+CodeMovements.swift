public import CampaignCore

/// What releasing or voiding came to.
public enum CodeMovement: Hashable, Sendable {
    /// So many codes moved.
    case moved(Int64)
    /// The app's inventory has no such code or batch.
    case unknown
    /// Only a claimed code can be released.
    case notClaimed
    /// It was void before.
    case alreadyVoid
}

extension Store {
    /// Takes a code from the customer who has it and puts it back into its pool.
    ///
    /// Its next customer may be another one, so it is for codes that were never sent. Errors: those of the database.
    public func releaseCode(
        _ code: OfferCode, bundleId: BundleID, environment: AppStoreEnvironment, reason: String, now: Instant
    ) throws(StorageError) -> CodeMovement {
        try connection.transaction { () throws(StorageError) -> CodeMovement in
            guard let found = try position(of: code, bundleId, environment) else { return .unknown }
            guard let customer = try claimant(of: found) else { return .notClaimed }
            try connection.run(
                """
                UPDATE offer_code SET state = 'released', customer = NULL, claimed_date = NULL
                WHERE batch_id = \(found.batch) AND position = \(found.position)
                """)
            try deleteClaim(of: customer, found)
            // A void batch has no pool to go back to.
            let isReady = try connection.value(
                "SELECT count(*) FROM code_batch WHERE id = \(found.batch) AND state = 'ready'", Int64.self)
            guard isReady == 1 else {
                try connection.run(
                    """
                    UPDATE offer_code SET state = 'void'
                    WHERE batch_id = \(found.batch) AND position = \(found.position)
                    """)
                try connection.run(
                    """
                    UPDATE code_batch SET claimed = claimed - 1, voided = voided + 1 WHERE id = \(found.batch)
                    """)
                try ledger(found.batch, found.position, "voidedClaimed", 1, customer: customer, reason, now)
                return .moved(1)
            }
            try connection.run(
                """
                UPDATE code_batch SET claimed = claimed - 1, released = released + 1, is_open = 1
                WHERE id = \(found.batch)
                """)
            try ledger(found.batch, found.position, "released", 1, customer: customer, reason, now)
            return .moved(1)
        }
    }

    /// Takes a code out of the inventory for good, whoever has it; that customer may claim another one.
    public func voidCode(
        _ code: OfferCode, bundleId: BundleID, environment: AppStoreEnvironment, reason: String, now: Instant
    ) throws(StorageError) -> CodeMovement {
        try connection.transaction { () throws(StorageError) -> CodeMovement in
            guard let found = try position(of: code, bundleId, environment) else { return .unknown }
            let customer = try claimant(of: found)
            let isVoid = try connection.value(
                """
                SELECT count(*) FROM code_batch AS b
                LEFT JOIN offer_code AS o ON o.batch_id = b.id AND o.position = \(found.position)
                WHERE b.id = \(found.batch)
                AND (o.state = 'void' OR (b.state = 'void' AND coalesce(o.state, '') <> 'claimed'))
                """, Int64.self)
            if isVoid == 1 { return .alreadyVoid }
            let wasReleased = try connection.value(
                """
                SELECT count(*) FROM offer_code
                WHERE batch_id = \(found.batch) AND position = \(found.position) AND state = 'released'
                """, Int64.self)
            try connection.run(
                """
                INSERT INTO offer_code (batch_id, position, state) VALUES (\(found.batch), \(found.position), 'void')
                ON CONFLICT (batch_id, position) DO UPDATE SET state = 'void', customer = NULL, claimed_date = NULL
                """)
            if let customer { try deleteClaim(of: customer, found) }
            try connection.run(
                """
                UPDATE code_batch SET voided = voided + 1, claimed = claimed - \(customer == nil ? 0 : 1),
                    released = released - \(wasReleased ?? 0)
                WHERE id = \(found.batch)
                """)
            try connection.run(
                "UPDATE code_batch SET is_open = 0 WHERE id = \(found.batch) AND total = claimed + voided")
            let movement = customer == nil ? "voided" : "voidedClaimed"
            try ledger(found.batch, found.position, movement, 1, customer: customer, reason, now)
            return .moved(1)
        }
    }

    /// Takes every code of a batch that nobody has out of the inventory; codes that customers have stay theirs.
    public func voidBatch(
        _ name: String, bundleId: BundleID, environment: AppStoreEnvironment, reason: String, now: Instant
    ) throws(StorageError) -> CodeMovement {
        try connection.transaction { () throws(StorageError) -> CodeMovement in
            let found = try connection.row(
                """
                SELECT b.id, b.total - b.claimed - b.voided, b.state FROM code_batch AS b
                JOIN app ON app.id = b.app_id
                WHERE app.bundle_id = \(bundleId) AND app.environment = \(environment) AND b.name = \(name)
                AND b.state <> 'loading'
                """
            ) { row throws(StorageError) in
                (id: try row.next(Int64.self), free: try row.next(Int64.self), state: try row.next(String.self))
            }
            guard let found else { return .unknown }
            guard found.state == "ready" else { return .alreadyVoid }
            try connection.run(
                """
                UPDATE offer_code SET state = 'void' WHERE batch_id = \(found.id) AND state = 'released'
                """)
            try connection.run(
                """
                UPDATE code_batch
                SET state = 'void', is_open = 0, next = total, voided = total - claimed, released = 0
                WHERE id = \(found.id)
                """)
            if found.free > 0 { try ledger(found.id, nil, "voided", found.free, customer: nil, reason, now) }
            return .moved(found.free)
        }
    }

    private func ledger(
        _ batch: Int64, _ position: Int64?, _ movement: String, _ count: Int64, customer: String?, _ reason: String,
        _ now: Instant
    ) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO code_ledger (batch_id, position, movement, count, customer, reason, moved_date)
            VALUES (\(batch), \(position), \(movement), \(count), \(customer), \(reason), \(now))
            """)
    }

    /// Who has the code; nil when nobody has.
    private func claimant(of code: CodePosition) throws(StorageError) -> String? {
        try connection.value(
            """
            SELECT customer FROM offer_code
            WHERE batch_id = \(code.batch) AND position = \(code.position) AND state = 'claimed'
            """, String.self)
    }

    private func deleteClaim(of customer: String, _ code: CodePosition) throws(StorageError) {
        try connection.run(
            """
            DELETE FROM code_claim
            WHERE customer = \(customer) AND batch_id = \(code.batch) AND position = \(code.position)
            """)
    }

    /// Whether a customer has the code who had it at `date` already.
    public func isClaimed(
        _ code: OfferCode, bundleId: BundleID, environment: AppStoreEnvironment, since date: Instant
    ) throws(StorageError) -> Bool {
        guard let found = try position(of: code, bundleId, environment) else { return false }
        return try connection.value(
            """
            SELECT count(*) FROM offer_code WHERE batch_id = \(found.batch) AND position = \(found.position)
            AND state = 'claimed' AND claimed_date <= \(date)
            """, Int64.self) == 1
    }

    /// Where a code is in the inventory of an app; each batch is looked into by halves.
    func position(
        of code: OfferCode, _ bundleId: BundleID, _ environment: AppStoreEnvironment
    ) throws(StorageError) -> CodePosition? {
        guard let appId = try appId(bundleId, environment) else { return nil }
        let batches = try connection.rows(
            "SELECT id, total FROM code_batch WHERE app_id = \(appId) AND state <> 'loading' ORDER BY id DESC"
        ) { row throws(StorageError) in
            KnownBatch(id: try row.next(), total: try row.next(), owner: .customCodes)
        }
        let bytes = Array(code.rawValue.utf8)
        for batch in batches {
            let cursor = try KnownCodeCursor(batch, connection)
            let position = try cursor.position(of: bytes)
            if let position { return CodePosition(batch: batch.id, position: position) }
        }
        return nil
    }
}
