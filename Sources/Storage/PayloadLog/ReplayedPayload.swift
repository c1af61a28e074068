public import CampaignCore

/// What a log entry says when it is read anew.
public struct ReplayedPayload: Sendable {
    public var outcome: PayloadOutcome
    public var detail: String?
    public var transactions: [TransactionFact]
    public var renewals: [RenewalFact]

    /// Errors in a payload are an outcome, `failed`, with no facts.
    public init(
        outcome: PayloadOutcome, detail: String? = nil, transactions: [TransactionFact] = [],
        renewals: [RenewalFact] = []
    ) {
        self.outcome = outcome
        self.detail = detail
        self.transactions = transactions
        self.renewals = renewals
    }
}

/// A subscription that a replay has changed.
public struct ReplayDifference: Hashable, Sendable {
    public let subscription: SubscriptionRowID
    public let originalTransactionId: OriginalTransactionID
    /// As it was stored; nil when it was not folded.
    public let before: Subscription?
    public let after: Subscription?
}

/// What a replay did.
public struct ReplaySummary: Hashable, Sendable {
    public internal(set) var payloads = 0
    public internal(set) var subscriptions = 0
    public internal(set) var differences = 0
}
