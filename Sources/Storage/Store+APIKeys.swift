public import CampaignCore

extension APIRole: ColumnValue {}

extension APIKey {
    fileprivate static let columns: SQL.Fragment = .init("name, role, bundle_id, created_date, revoked_date")

    fileprivate init(_ row: inout Row) throws(StorageError) {
        name = try row.next()
        role = try row.next()
        bundleId = try row.nextIfPresent()
        createdDate = try row.next()
        revokedDate = try row.nextIfPresent()
    }
}

extension Store {
    /// Stores a new key; `digest` is the SHA-256 of the key, 32 bytes.
    ///
    /// Errors: `nameTaken` when a key of that name exists or was revoked, `nameNotAllowed`.
    public func createAPIKey(_ key: APIKey, digest: [UInt8]) throws(StorageError) {
        guard APIKey.isValidName(key.name) else { throw .nameNotAllowed }
        try connection.transaction { () throws(StorageError) in
            let inserted = try connection.run(
                """
                INSERT INTO api_key (name, key_digest, role, bundle_id, created_date, revoked_date)
                VALUES (\(key.name), \(digest), \(key.role), \(key.bundleId), \(key.createdDate), \(key.revokedDate))
                ON CONFLICT (name) DO NOTHING
                """)
            if inserted == 0 { throw .nameTaken(key.name) }
        }
    }

    /// Every key, revoked ones too, by name.
    public func apiKeys() throws(StorageError) -> [APIKey] {
        try connection.rows("SELECT \(raw: APIKey.columns) FROM api_key ORDER BY name") {
            row throws(StorageError) in try APIKey(&row)
        }
    }

    /// The key whose SHA-256 is `digest`, revoked or not; nil when there is none.
    public func apiKey(digest: [UInt8]) throws(StorageError) -> APIKey? {
        try connection.row("SELECT \(raw: APIKey.columns) FROM api_key WHERE key_digest = \(digest)") {
            row throws(StorageError) in try APIKey(&row)
        }
    }

    /// Ends the key `name` from `now` on; one that was revoked before keeps its date.
    public func revokeAPIKey(_ name: String, now: Instant) throws(StorageError) -> APIKeyRevocation {
        try connection.transaction { () throws(StorageError) in
            let updated = try connection.run(
                "UPDATE api_key SET revoked_date = \(now) WHERE name = \(name) AND revoked_date IS NULL")
            if updated > 0 { return .revoked }
            let revokedDate = try connection.value(
                "SELECT revoked_date FROM api_key WHERE name = \(name)", Instant.self)
            return revokedDate.map { .alreadyRevoked($0) } ?? .unknownName
        }
    }
}
