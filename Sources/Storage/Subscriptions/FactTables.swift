/// Which pair of fact tables a statement is about: the one in use, or the one that a replay fills.
struct FactTables {
    let transactions: SQL.Fragment
    let renewals: SQL.Fragment

    static let present = FactTables(
        transactions: SQL.Fragment("transaction_fact"), renewals: SQL.Fragment("renewal_fact"))
    static let replayed = FactTables(
        transactions: SQL.Fragment("transaction_fact_replay"), renewals: SQL.Fragment("renewal_fact_replay"))
    /// What a replay has taken the place of, until it is removed.
    static let replaced = FactTables(
        transactions: SQL.Fragment("transaction_fact_old"), renewals: SQL.Fragment("renewal_fact_old"))
}
