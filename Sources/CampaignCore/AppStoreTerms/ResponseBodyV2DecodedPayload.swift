public import FoundationEssentials

/// An App Store Server Notification V2 as Apple signed it.
///
/// Exactly one of `data`, `appData`, `summary` and `externalPurchaseToken` is there.
/// Source: App Store Server Notifications, `responseBodyV2DecodedPayload`.
public struct ResponseBodyV2DecodedPayload: Codable, Hashable, Sendable {
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
public struct NotificationData: Codable, Hashable, Sendable {
    /// May be absent in Sandbox.
    public var appAppleId: AppAppleID?
    public var bundleId: BundleID?
    public var bundleVersion: String?
    public var environment: AppStoreEnvironment?
    public var signedTransactionInfo: String?
    public var signedRenewalInfo: String?
    /// 1 to 5, as of the notification's `signedDate`; kept as evidence only.
    public var status: Int?
    public var consumptionRequestReason: String?

    public init() {}
}

/// What `RESCIND_CONSENT` carries: Apple's `appData`.
public struct NotificationAppData: Codable, Hashable, Sendable {
    public var appAppleId: AppAppleID?
    public var bundleId: BundleID?
    public var environment: AppStoreEnvironment?
    public var signedAppTransactionInfo: String?

    public init() {}
}

/// What the end of a mass renewal extension carries: Apple's `summary`.
public struct NotificationSummary: Codable, Hashable, Sendable {
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
public struct ExternalPurchaseToken: Codable, Hashable, Sendable {
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
