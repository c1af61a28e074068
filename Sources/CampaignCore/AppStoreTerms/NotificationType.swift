/// What happened: Apple's `notificationType`, kept raw when it is new.
///
/// Source: App Store Server Notifications, `notificationType`.
public struct NotificationType: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let subscribed = Self(rawValue: "SUBSCRIBED")
    public static let didRenew = Self(rawValue: "DID_RENEW")
    public static let didChangeRenewalPref = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    public static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    public static let expired = Self(rawValue: "EXPIRED")
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    public static let refund = Self(rawValue: "REFUND")
    public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    public static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    public static let revoke = Self(rawValue: "REVOKE")
    public static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// With the subtype `SUMMARY` it carries a summary and no facts.
    public static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    public static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    public static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    public static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    public static let migration = Self(rawValue: "MIGRATION")
    /// Apple's changelog spells `MIGRATION` so.
    public static let migrate = Self(rawValue: "MIGRATE")
    public static let priceChange = Self(rawValue: "PRICE_CHANGE")
    public static let test = Self(rawValue: "TEST")

    private static let folding: Set<Self> = [
        .subscribed, .didRenew, .didChangeRenewalPref, .didChangeRenewalStatus, .offerRedeemed, .didFailToRenew,
        .gracePeriodExpired, .expired, .priceIncrease, .refund, .refundReversed, .refundDeclined, .consumptionRequest,
        .revoke, .renewalExtended, .renewalExtension,
    ]

    private static let kept: Set<Self> = [
        .oneTimeCharge, .externalPurchaseToken, .rescindConsent, .metadataUpdate, .migration, .migrate, .priceChange,
        .test,
    ]

    /// Whether Apple's documentation has it.
    public var isKnown: Bool { Self.folding.contains(self) || Self.kept.contains(self) }

    /// Whether the facts that a notification of this type carries, if any, are facts about a subscription.
    ///
    /// Those of new types and of other programmes of Apple are only kept.
    public var folds: Bool { Self.folding.contains(self) }

    public var description: String { rawValue }
}

/// What more there is to a notification's type: Apple's `subtype`, kept raw when it is new.
///
/// Source: App Store Server Notifications, `subtype`.
public struct Subtype: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let initialBuy = Self(rawValue: "INITIAL_BUY")
    public static let resubscribe = Self(rawValue: "RESUBSCRIBE")
    public static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
    public static let upgrade = Self(rawValue: "UPGRADE")
    public static let downgrade = Self(rawValue: "DOWNGRADE")
    public static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
    public static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
    public static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    public static let voluntary = Self(rawValue: "VOLUNTARY")
    public static let billingRetry = Self(rawValue: "BILLING_RETRY")
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    public static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    public static let pending = Self(rawValue: "PENDING")
    public static let accepted = Self(rawValue: "ACCEPTED")
    public static let summary = Self(rawValue: "SUMMARY")
    public static let failure = Self(rawValue: "FAILURE")
    public static let unreported = Self(rawValue: "UNREPORTED")
    public static let created = Self(rawValue: "CREATED")
    public static let activeTokenReminder = Self(rawValue: "ACTIVE_TOKEN_REMINDER")

    private static let known: Set<Self> = [
        .initialBuy, .resubscribe, .billingRecovery, .upgrade, .downgrade, .autoRenewDisabled, .autoRenewEnabled,
        .gracePeriod, .voluntary, .billingRetry, .priceIncrease, .productNotForSale, .pending, .accepted, .summary,
        .failure, .unreported, .created, .activeTokenReminder,
    ]

    /// Whether Apple's documentation has it.
    public var isKnown: Bool { Self.known.contains(self) }

    public var description: String { rawValue }
}
