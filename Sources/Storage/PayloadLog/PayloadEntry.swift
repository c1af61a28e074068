public import CampaignCore
public import FoundationEssentials

/// How a signed payload reached us.
public enum PayloadSource: String, Hashable, Sendable, CaseIterable {
    /// The App Store posted it, or an operator imported it.
    case notification
    /// A client proved it.
    case transaction
}

/// What became of a signed payload.
public enum PayloadOutcome: String, Hashable, Sendable, CaseIterable {
    /// It told facts that were new, and they are rows of their own: only such an entry is found through them.
    case folded
    /// It changed nothing: every fact in it was known, or it came after what was signed later.
    case stale
    /// Its type says nothing of a subscription.
    case notFolded
    /// Its type is none that we know.
    case unknownType
    /// Its facts could not be read or folded; `detail` says why.
    case failed
    /// Another payload came before it under the same `notificationUUID`.
    case conflicting
}

/// A notification that is to be logged; it must have been verified.
public struct NotificationEntry: Sendable {
    public var notificationUUID: UUID
    /// As Apple spells it, also when we do not know it.
    public var notificationType: String
    public var subtype: String?
    public var bundleId: BundleID
    public var environment: AppStoreEnvironment
    /// Of the notification itself.
    public var signedDate: Instant
    public var receivedDate: Instant
    /// Of the subscription that it is about, when it is about one.
    public var originalTransactionId: OriginalTransactionID?
    public var outcome: PayloadOutcome
    /// Why it failed; without values that are personal.
    public var detail: String?
    public var payload: PackedPayload

    public init(
        notificationUUID: UUID, notificationType: String, subtype: String?, bundleId: BundleID,
        environment: AppStoreEnvironment, signedDate: Instant, receivedDate: Instant,
        originalTransactionId: OriginalTransactionID?, outcome: PayloadOutcome, detail: String? = nil,
        payload: PackedPayload
    ) {
        self.notificationUUID = notificationUUID
        self.notificationType = notificationType
        self.subtype = subtype
        self.bundleId = bundleId
        self.environment = environment
        self.signedDate = signedDate
        self.receivedDate = receivedDate
        self.originalTransactionId = originalTransactionId
        self.outcome = outcome
        self.detail = detail
        self.payload = payload
    }
}

/// What logging a notification came to.
public enum LoggedNotification: Hashable, Sendable {
    /// It is new.
    case logged(PayloadID)
    /// The very same payload is in the log.
    case duplicate
    /// Another payload is in the log under its `notificationUUID`; this one is kept beside it and must not be folded.
    case conflicting(PayloadID)
    /// It was signed before its customer was erased, so nothing of it is kept.
    case erased
}

/// One entry of the log, with its text on demand.
public struct LoggedPayload: Hashable, Sendable {
    public let id: PayloadID
    public let bundleId: BundleID
    public let environment: AppStoreEnvironment
    public let subscriptionId: SubscriptionRowID?
    public let source: PayloadSource
    public let outcome: PayloadOutcome
    public let notificationUUID: UUID?
    public let notificationType: String?
    public let subtype: String?
    public let signedDate: Instant
    public let receivedDate: Instant
    public let detail: String?
    /// Packed; `Store.text(of:)` gives the JWS.
    let body: [UInt8]
}
