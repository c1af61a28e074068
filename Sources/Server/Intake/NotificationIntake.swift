public import AppStore
public import CampaignCore
public import FoundationEssentials
public import Storage

/// What became of a notification that was taken in.
public enum NotificationOutcome: String, Hashable, Sendable, CaseIterable {
    /// It told facts that were new, and they are part of their subscription now.
    case folded
    /// It changed nothing: all it says was known, or it came after what was signed later. Its facts are kept, and told
    /// when an earlier instant is asked for.
    case stale
    /// Its type says nothing of a subscription.
    case notFolded
    /// Its type is none that we know.
    case unknownType
    /// It is kept, but its facts could not be folded.
    case failed
    /// It was taken in before.
    case duplicate
    /// Another payload came before it under the same `notificationUUID`; it is kept, and not folded.
    case conflicting
    /// It was signed before its customer's data was erased.
    case erased
}

/// What taking in a notification came to, for counters and the log.
public struct ReceivedNotification: Hashable, Sendable {
    public let outcome: NotificationOutcome
    /// Why it could not be folded; nil otherwise. It holds no value that is personal.
    public let detail: String?
    /// The subscription as it is now; nil when nothing changed.
    public let subscription: Subscription?
    /// How many other subscriptions Apple has signed the same transaction for; it never should.
    public let otherClaims: Int
}

/// A notification whose signature was verified, read for the log and as facts; it can be made away from the database.
public struct NotificationIntake: Sendable {
    private let entry: NotificationEntry
    private let transaction: TransactionFact?
    private let renewal: RenewalFact?

    /// Reads the facts of `notification`; whatever is wrong with them is kept with it and never thrown.
    ///
    /// - Parameters:
    ///   - payload: the JWS that was verified, packed.
    ///   - receivedDate: when it reached us.
    public init(_ notification: VerifiedNotification, payload: PackedPayload, receivedDate: Instant) {
        let facts = NotificationFacts(notification)
        transaction = facts.transaction
        renewal = facts.renewal
        entry = NotificationEntry(
            notificationUUID: notification.notificationUUID, notificationType: notification.notificationType.rawValue,
            subtype: notification.payload.subtype, bundleId: notification.bundleId,
            environment: notification.environment, signedDate: notification.signedDate, receivedDate: receivedDate,
            originalTransactionId: facts.originalTransactionId, outcome: facts.outcome, detail: facts.detail,
            payload: payload)
    }

    /// As Apple spells it, also when we do not know it.
    public var notificationType: String { entry.notificationType }
    public var notificationUUID: UUID { entry.notificationUUID }
    /// Of the notification itself.
    public var signedDate: Instant { entry.signedDate }

    /// Logs it once and folds its facts, both in the open transaction or in one of their own.
    ///
    /// Taking in the same notification again changes nothing (design, section 4).
    public func take(_ store: Store) throws(StorageError) -> ReceivedNotification {
        try store.connection.transaction { () throws(StorageError) in
            switch try store.logNotification(entry) {
            case .duplicate: return result(.duplicate)
            case .conflicting: return result(.conflicting)
            case .erased: return result(.erased)
            case .logged(let id): return try fold(id, store)
            }
        }
    }

    private func fold(_ id: PayloadID, _ store: Store) throws(StorageError) -> ReceivedNotification {
        guard entry.outcome == .folded else { return result(entry.outcome.notification) }
        var recorded: [RecordedFact] = []
        var added: AddedTransaction?
        if let transaction {
            let fact = try store.recordTransaction(
                transaction, bundleId: entry.bundleId, environment: entry.environment, payload: id)
            if let fact {
                recorded.append(fact)
                added = AddedTransaction(transaction, fact)
            }
        }
        if let renewal {
            let fact = try store.recordRenewal(
                renewal, bundleId: entry.bundleId, environment: entry.environment, payload: id)
            if let fact { recorded.append(fact) }
        }
        let changed = recorded.first(where: \.isNew)
        guard let changed else {
            try store.setOutcome(.stale, of: id)
            return result(.stale)
        }
        let subscription = try store.refold(changed.subscription, after: added)
        let otherClaims = recorded.reduce(0) { $0 + $1.alsoClaimedBy.count }
        if let subscription, try isStale(subscription, changed.subscription, store) {
            try store.setOutcome(.stale, of: id)
            return result(.stale, otherClaims: otherClaims)
        }
        return result(.folded, subscription, otherClaims: otherClaims)
    }

    /// Whether later signed facts were there already and this one has changed nothing (field case N02).
    private func isStale(
        _ subscription: Subscription, _ id: SubscriptionRowID, _ store: Store
    ) throws(StorageError) -> Bool {
        let signedDates = [transaction?.signedDate, renewal?.signedDate].compactMap(\.self)
        guard let latest = signedDates.max(), latest < subscription.newestSignedDate else { return false }
        var others = try store.facts(of: id)
        others.transactions.removeAll { $0 == transaction }
        others.renewals.removeAll { $0 == renewal }
        var before = Subscription(transactions: others.transactions, renewals: others.renewals)
        // An earlier signing of the same period says nothing by itself.
        before?.firstSignedDate = subscription.firstSignedDate
        return before == subscription
    }

    private func result(
        _ outcome: NotificationOutcome, _ subscription: Subscription? = nil, otherClaims: Int = 0
    ) -> ReceivedNotification {
        ReceivedNotification(
            outcome: outcome, detail: entry.detail, subscription: subscription, otherClaims: otherClaims)
    }
}

extension PayloadOutcome {
    /// The outcome that callers are told.
    fileprivate var notification: NotificationOutcome {
        switch self {
        case .folded: .folded
        case .stale: .stale
        case .notFolded: .notFolded
        case .unknownType: .unknownType
        case .failed: .failed
        case .conflicting: .conflicting
        }
    }
}
