public import CampaignCore
public import FoundationEssentials

/// A payload that the App Store signed for one of our apps, with the facts that every payload must have.
public struct Verified<Payload: Sendable>: Sendable {
    public let payload: Payload
    /// When Apple signed it: `signedDate`, or an app transaction's `receiptCreationDate`.
    public let signedDate: Instant
    /// `Production` or `Sandbox`, and one that the app lists.
    public let environment: AppStoreEnvironment
    /// The app it is for; nil where the payload names none, as renewal info does when it stands alone.
    public let bundleId: BundleID?
}

/// A notification that the App Store signed for one of our apps, with what it carries inside.
public struct VerifiedNotification: Sendable {
    /// The whole of it as Apple signed it, taken apart.
    public let jws: JWS
    public let payload: ResponseBodyV2DecodedPayload
    /// When Apple signed the notification; what it carries has dates of its own.
    public let signedDate: Instant
    public let environment: AppStoreEnvironment
    public let bundleId: BundleID
    public let transaction: JWSTransactionDecodedPayload?
    public let renewalInfo: JWSRenewalInfoDecodedPayload?
    /// Only `RESCIND_CONSENT` carries one.
    public let appTransaction: AppTransaction?
    /// The same on every delivery; the key by which repeated ones are known.
    public let notificationUUID: UUID
    public let notificationType: NotificationType
}

/// Any payload of the App Store, proven.
public enum VerifiedData: Sendable {
    case notification(VerifiedNotification)
    case transaction(Verified<JWSTransactionDecodedPayload>)
    case renewalInfo(Verified<JWSRenewalInfoDecodedPayload>)
    case appTransaction(Verified<AppTransaction>)
    case realtimeRequest(Verified<DecodedRealtimeRequestBody>)

    public var kind: SignedDataKind {
        switch self {
        case .notification: .notification
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .appTransaction: .appTransaction
        case .realtimeRequest: .realtimeRequest
        }
    }
}

/// One app that payloads may be for, as the configuration lists it.
public struct AppIdentity: Hashable, Sendable {
    public let bundleId: BundleID
    public let appAppleId: AppAppleID
    public let environments: [AppStoreEnvironment]

    public init(bundleId: BundleID, appAppleId: AppAppleID, environments: [AppStoreEnvironment]) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
    }
}
