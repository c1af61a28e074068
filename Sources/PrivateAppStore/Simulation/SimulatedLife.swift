public import CampaignCore

/// One notification of a simulated life, before it is signed.
public struct SimulatedEvent: Hashable, Sendable {
    /// Its `data` lacks the signed payloads, which `NotificationSigner` puts in.
    public let notification: ResponseBodyV2DecodedPayload
    /// Nil when the notification is about no purchase.
    public let transaction: JWSTransactionDecodedPayload?
    public let renewalInfo: JWSRenewalInfoDecodedPayload?
    /// Of the notification and of what it carries: Apple signs them in the same millisecond.
    public let signedDate: Instant
}

/// What is true of a simulated subscription from an instant on, once everything that was signed by then is known.
///
/// The life itself tells it while it happens; nothing is worked out from the notifications.
public struct SimulatedTruth: Hashable, Sendable {
    public let since: Instant
    public let status: SubscriptionStatus.State
    public let autoRenewStatus: AutoRenewStatus
    public let productId: ProductID
    public let expiresDate: Instant
    /// Of the current period.
    public let transactionId: TransactionID
    /// The product at the next renewal.
    public let autoRenewProductId: ProductID
    /// While Apple has told one.
    public let gracePeriodExpiresDate: Instant?
    public let expirationIntent: ExpirationIntent?
    /// When auto-renew went off in this period without having gone on since; nil in trouble with billing.
    public let cancelledDate: Instant?
}

/// The whole history of one simulated subscription.
public struct SimulatedLife: Hashable, Sendable {
    /// The number of the subscriber in its simulation.
    public let index: Int
    public let originalTransactionId: OriginalTransactionID
    /// In the order in which they were signed; at least one.
    public let events: [SimulatedEvent]
    /// One for each change, in order; what a notification changes holds from its `signedDate` on, and what only time
    /// changes from that instant on.
    public let truths: [SimulatedTruth]

    /// What is true at `date`; nil before the subscription began.
    public func truth(at date: Instant) -> SimulatedTruth? { truths.last { $0.since <= date } }
}
