/// What decisions read of one renewal info that Apple signed.
///
/// Source: App Store Server API, `JWSRenewalInfoDecodedPayload`.
public struct RenewalFact: Hashable, Sendable {
    public let originalTransactionId: OriginalTransactionID
    public var productId: ProductID?
    public var autoRenewProductId: ProductID?
    public var autoRenewStatus: AutoRenewStatus?
    public var expirationIntent: ExpirationIntent?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Instant?
    public var priceIncreaseStatus: Int?
    /// Of the offer that applies to the next renewal.
    public var offerType: OfferType?
    public var offerIdentifier: OfferIdentifier?
    /// Best first, in Apple's order.
    public var eligibleWinBackOfferIds: [OfferIdentifier]
    public var renewalDate: Instant?
    /// In milliunits of `currency`.
    public var renewalPrice: Int64?
    public var currency: String?
    public var recentSubscriptionStartDate: Instant?
    /// Which way the plan changes, when the notification that carried the renewal info said so in its subtype.
    public var planChange: PlanChange?
    /// When Apple signed it; the latest signed renewal info of a subscription holds.
    public let signedDate: Instant

    /// A fact that says nothing but when it was signed.
    public init(originalTransactionId: OriginalTransactionID, signedDate: Instant) {
        self.originalTransactionId = originalTransactionId
        self.signedDate = signedDate
        eligibleWinBackOfferIds = []
    }

    /// Takes the fields of a payload whose signature was verified, and what the notification that carried it said of a
    /// change of plan.
    ///
    /// Throws `renewalInfoLacks` with every field that no decision can do without, and `dateOutOfRange` for a date that
    /// is none.
    public init(
        _ payload: JWSRenewalInfoDecodedPayload, notificationType: String?, subtype: String?
    ) throws(CampaignCoreError) {
        // Apple marks every field as optional; an empty identifier would make strangers one customer.
        let original = payload.originalTransactionId.flatMap { $0.rawValue.isEmpty ? nil : $0 }
        guard let original, let signedDate = payload.signedDate else {
            throw .renewalInfoLacks(
                fields: [("originalTransactionId", original == nil), ("signedDate", payload.signedDate == nil)]
                    .filter(\.1).map(\.0))
        }
        try checkDates([
            ("gracePeriodExpiresDate", payload.gracePeriodExpiresDate), ("renewalDate", payload.renewalDate),
            ("recentSubscriptionStartDate", payload.recentSubscriptionStartDate), ("signedDate", signedDate),
        ])
        self.init(originalTransactionId: original, signedDate: signedDate)
        productId = payload.productId
        autoRenewProductId = payload.autoRenewProductId
        autoRenewStatus = payload.autoRenewStatus
        expirationIntent = payload.expirationIntent
        isInBillingRetryPeriod = payload.isInBillingRetryPeriod
        gracePeriodExpiresDate = payload.gracePeriodExpiresDate
        priceIncreaseStatus = payload.priceIncreaseStatus
        offerType = payload.offerType
        offerIdentifier = payload.offerIdentifier
        eligibleWinBackOfferIds = payload.eligibleWinBackOfferIds ?? []
        renewalDate = payload.renewalDate
        renewalPrice = payload.renewalPrice
        currency = payload.currency
        recentSubscriptionStartDate = payload.recentSubscriptionStartDate
        planChange = PlanChange(notificationType: notificationType, subtype: subtype)
    }
}

/// Which way a change of plan goes.
public enum PlanChange: String, Hashable, Sendable, CaseIterable {
    case upgrade
    case downgrade
    case crossgrade
    /// Neither the catalogue nor the App Store says which way.
    case change
}

extension PlanChange {
    /// What a notification says of a change of plan; nil when it says nothing.
    init?(notificationType: String?, subtype: String?) {
        let types: [NotificationType] = [.didChangeRenewalPref, .offerRedeemed]
        guard let type = notificationType.map(NotificationType.init(rawValue:)), types.contains(type) else {
            return nil
        }
        switch subtype.map(Subtype.init(rawValue:)) {
        case .upgrade: self = .upgrade
        case .downgrade: self = .downgrade
        default: return nil
        }
    }
}
