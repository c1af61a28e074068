public import CampaignCore

/// One code as accounting wants it.
public struct ExportedCode: Hashable, Sendable {
    public let code: OfferCode
    /// `free`, `claimed`, `void` or `expired`.
    public let state: String
    public let customer: String?
    public let claimedDate: Instant?
}

extension Store {
    /// Gives every code of a batch in order; false when there is no such batch.
    ///
    /// Errors: those of the database and what `visit` throws.
    public func exportCodes(
        batch name: String, bundleId: BundleID, environment: AppStoreEnvironment, now: Instant,
        _ visit: (ExportedCode) -> Bool
    ) throws(StorageError) -> Bool {
        try connection.begin()
        defer { try? connection.rollback() }
        let found = try connection.row(
            """
            SELECT b.id, b.total, b.state = 'void', b.expires_date FROM code_batch AS b JOIN app ON app.id = b.app_id
            WHERE app.bundle_id = \(bundleId) AND app.environment = \(environment) AND b.name = \(name)
            AND b.state <> 'loading'
            """
        ) { row throws(StorageError) in
            (
                id: try row.next(Int64.self), total: try row.next(Int64.self), isVoid: try row.next(Bool.self),
                expiresDate: try row.next(Instant.self)
            )
        }
        guard let found else { return false }
        let untouched = found.isVoid ? "void" : found.expiresDate <= now ? "expired" : "free"
        for block in 0..<CodeBlock.count(total: found.total) {
            let id = CodeBlock.rowId(batch: found.id, block: block)
            let bytes = try connection.row("SELECT codes FROM code_block WHERE id = \(id)") {
                row throws(StorageError) in try row.next(CodeText.self).bytes
            }
            let first = block * CodeLimits.codesInBlock
            let rows = try connection.rows(
                """
                SELECT position, state, customer, claimed_date FROM offer_code
                WHERE batch_id = \(found.id) AND position BETWEEN \(first) AND \(first + CodeLimits.codesInBlock - 1)
                """
            ) { row throws(StorageError) in
                (
                    try row.next(Int64.self), try row.next(String.self), try row.nextIfPresent(String.self),
                    try row.nextIfPresent(Instant.self)
                )
            }
            let touched = Dictionary(uniqueKeysWithValues: rows.map { ($0.0, $0) })
            var position = first
            for line in (bytes ?? []).split(separator: UInt8(ascii: "\n")) {
                guard let code = OfferCode(rawValue: String(decoding: line, as: UTF8.self)) else {
                    throw .corruptRow(table: "code_block", column: "codes")
                }
                let row = touched[position]
                let state = row.map { $0.1 == "released" ? untouched : $0.1 } ?? untouched
                guard visit(ExportedCode(code: code, state: state, customer: row?.2, claimedDate: row?.3)) else {
                    return true
                }
                position += 1
            }
        }
        return true
    }
}
