/// The prepared statements of one connection, by the identity of their text; the least recently used go first.
struct StatementCache {
    private var statements: [SQL.Key: Statement] = [:]
    private var lookups: UInt64 = 0

    /// The statement for `key`, unless there is none or its rows are being read.
    mutating func statement(for key: SQL.Key) -> Statement? {
        guard let statement = statements[key], !statement.isInUse else { return nil }
        lookups += 1
        statement.lastUse = lookups
        return statement
    }

    mutating func insert(_ statement: Statement, for key: SQL.Key) {
        if statements.count >= Limits.cachedStatements,
            let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            statements[oldest.key] = nil
        }
        lookups += 1
        statement.lastUse = lookups
        statements[key] = statement
    }

    var count: Int { statements.count }

    /// What is prepared, in no order.
    var texts: [String] { statements.keys.map(\.text) }
}
