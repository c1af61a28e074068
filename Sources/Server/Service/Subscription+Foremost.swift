import CampaignCore

extension Subscription {
    /// The one of a customer's subscriptions that a status speaks of: one that runs before one that has ended, then the
    /// newest purchase.
    static func foremost(of subscriptions: [Subscription], now: Instant) -> Subscription? {
        subscriptions.max { $1.isForemost(before: $0, now: now) }
    }

    /// Whether a status speaks of this one rather than of `other`.
    func isForemost(before other: Subscription, now: Instant) -> Bool {
        let (runs, otherRuns) = (runs(at: now), other.runs(at: now))
        if runs != otherRuns { return runs }
        return (purchaseDate, originalTransactionId) > (other.purchaseDate, other.originalTransactionId)
    }

    private func runs(at now: Instant) -> Bool { revocationDate == nil && expiresDate > now }
}
