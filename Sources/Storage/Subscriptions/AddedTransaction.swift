public import CampaignCore

/// A version of a transaction that was recorded and is not part of its subscription yet.
public struct AddedTransaction: Hashable, Sendable {
    public let fact: TransactionFact
    /// Whether no other version of the transaction was known.
    public let isFirstVersion: Bool

    /// Nil when recording the fact told nothing new.
    public init?(_ fact: TransactionFact, _ recorded: RecordedFact) {
        guard recorded.isNew else { return nil }
        self.fact = fact
        isFirstVersion = recorded.isFirstVersion
    }
}
