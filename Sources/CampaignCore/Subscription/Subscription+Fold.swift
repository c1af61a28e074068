extension Subscription {
    /// Folds every known version of the facts about one subscription; nil when none is about an auto-renewable
    /// subscription.
    ///
    /// The result depends on the set of facts alone, never on their order or number.
    public init?(transactions: [TransactionFact], renewals: [RenewalFact]) {
        return nil
    }
}
