/// The sizes that this target keeps to, each with its reason.
enum Limits {
    /// Purchases in one simulated life: nineteen years of weeks, and a thousand numbers for each subscriber's.
    static let transactionsPerLife = 1000

    /// Periods before the current one that can be refunded: Apple refunds what was bought in the last months.
    static let refundablePeriods = 3
}
