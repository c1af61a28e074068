public import FoundationEssentials

/// An App Store Server Notification V2 as Apple signed it.
///
/// Exactly one of `data`, `appData`, `summary` and `externalPurchaseToken` is there.
/// Source: App Store Server Notifications, `responseBodyV2DecodedPayload`.
public struct ResponseBodyV2DecodedPayload: Encodable, Hashable, Sendable {
    public var notificationType: String?
    public var subtype: String?
    public var notificationUUID: UUID?
    public var version: String?
    public var signedDate: Instant?
    public var data: NotificationData?
    public var appData: NotificationAppData?
    public var summary: NotificationSummary?
    public var externalPurchaseToken: ExternalPurchaseToken?

    public init() {}
}

/// What a notification about one customer's purchase carries: Apple's `data`.
public struct NotificationData: Encodable, Hashable, Sendable {
    /// May be absent in Sandbox.
    public var appAppleId: AppAppleID?
    public var bundleId: BundleID?
    public var bundleVersion: String?
    public var environment: AppStoreEnvironment?
    public var signedTransactionInfo: SignedText?
    public var signedRenewalInfo: SignedText?
    /// 1 to 5, as of the notification's `signedDate`; kept as evidence only.
    public var status: Int?
    public var consumptionRequestReason: String?

    public init() {}
}

/// What `RESCIND_CONSENT` carries: Apple's `appData`.
public struct NotificationAppData: Encodable, Hashable, Sendable {
    public var appAppleId: AppAppleID?
    public var bundleId: BundleID?
    public var environment: AppStoreEnvironment?
    public var signedAppTransactionInfo: SignedText?

    public init() {}
}

/// What the end of a mass renewal extension carries: Apple's `summary`.
public struct NotificationSummary: Encodable, Hashable, Sendable {
    public var environment: AppStoreEnvironment?
    public var appAppleId: AppAppleID?
    public var bundleId: BundleID?
    public var productId: ProductID?
    public var requestIdentifier: String?
    public var storefrontCountryCodes: [String]?
    public var succeededCount: Int64?
    public var failedCount: Int64?

    public init() {}
}

/// A token of Apple's external purchase programme; it names no environment, so its identifier tells it.
public struct ExternalPurchaseToken: Encodable, Hashable, Sendable {
    public var externalPurchaseId: String?
    public var tokenCreationDate: Instant?
    public var appAppleId: AppAppleID?
    public var bundleId: BundleID?

    public init() {}

    /// `Sandbox` when the identifier starts with `SANDBOX`, else `Production`.
    public var environment: AppStoreEnvironment {
        externalPurchaseId?.hasPrefix("SANDBOX") == true ? .sandbox : .production
    }
}

extension ResponseBodyV2DecodedPayload: AppStorePayload {
    public mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "notificationType": notificationType = try member.text()
        case "subtype": subtype = try member.text()
        case "notificationUUID": notificationUUID = try member.uuid()
        case "version": version = try member.text()
        case "signedDate": signedDate = try member.instant()
        case "data": data = try member.payload()
        case "appData": appData = try member.payload()
        case "summary": summary = try member.payload()
        case "externalPurchaseToken": externalPurchaseToken = try member.payload()
        default: break
        }
    }
}

extension NotificationData: AppStorePayload {
    public mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "appAppleId": appAppleId = try member.number()
        case "bundleId": bundleId = try member.word()
        case "bundleVersion": bundleVersion = try member.text()
        case "environment": environment = try member.word()
        case "signedTransactionInfo": signedTransactionInfo = try member.signedText()
        case "signedRenewalInfo": signedRenewalInfo = try member.signedText()
        case "status": status = Int(try member.number())
        case "consumptionRequestReason": consumptionRequestReason = try member.text()
        default: break
        }
    }
}

extension NotificationAppData: AppStorePayload {
    public mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "appAppleId": appAppleId = try member.number()
        case "bundleId": bundleId = try member.word()
        case "environment": environment = try member.word()
        case "signedAppTransactionInfo": signedAppTransactionInfo = try member.signedText()
        default: break
        }
    }
}

extension NotificationSummary: AppStorePayload {
    public mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "environment": environment = try member.word()
        case "appAppleId": appAppleId = try member.number()
        case "bundleId": bundleId = try member.word()
        case "productId": productId = try member.word()
        case "requestIdentifier": requestIdentifier = try member.text()
        case "storefrontCountryCodes": storefrontCountryCodes = try member.texts()
        case "succeededCount": succeededCount = try member.number()
        case "failedCount": failedCount = try member.number()
        default: break
        }
    }
}

extension ExternalPurchaseToken: AppStorePayload {
    public mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "externalPurchaseId": externalPurchaseId = try member.text()
        case "tokenCreationDate": tokenCreationDate = try member.instant()
        case "appAppleId": appAppleId = try member.number()
        case "bundleId": bundleId = try member.word()
        default: break
        }
    }
}
