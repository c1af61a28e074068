import CampaignCore

extension Subscription {
    /// The one of a customer's subscriptions that a status speaks of: one that runs before one that has ended, then the
    /// newest purchase.
    static func foremost(of subscriptions: [Subscription], now: Instant) -> Subscription? {
        subscriptions.max { one, other in
            let (runs, otherRuns) = (one.runs(at: now), other.runs(at: now))
            if runs != otherRuns { return otherRuns }
            return (one.purchaseDate, one.originalTransactionId) < (other.purchaseDate, other.originalTransactionId)
        }
    }

    private func runs(at now: Instant) -> Bool { revocationDate == nil && expiresDate > now }
}
