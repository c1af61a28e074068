public import FoundationEssentials

/// What decisions read of one transaction that Apple signed.
///
/// Source: App Store Server API, `JWSTransactionDecodedPayload`.
public struct TransactionFact: Hashable, Sendable {
    public let originalTransactionId: OriginalTransactionID
    public let transactionId: TransactionID
    public let productId: ProductID
    /// There for every auto-renewable subscription.
    public let subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    public let type: ProductType
    public let purchaseDate: Instant
    /// There for every auto-renewable subscription.
    public let expiresDate: Instant?
    /// When it was refunded, or taken from a family member.
    public let revocationDate: Instant?
    /// Whether a purchase of a higher level has replaced it.
    public let isUpgraded: Bool
    public let offerType: OfferType?
    public let offerIdentifier: OfferIdentifier?
    public internal(set) var appAccountToken: UUID?
    public let inAppOwnershipType: InAppOwnershipType?
    public let appTransactionId: AppTransactionID?
    /// When Apple signed it; of two facts about one transaction the later signed one holds.
    public let signedDate: Instant
    /// Apple's `revocationType`: `REFUND_FULL`, `REFUND_PRORATED`, `FAMILY_REVOKE`; absent in payloads of before 2025-12.
    public var revocationType: String?
    /// The `status` of the notification that carried the transaction, 1 to 5: it alone tells whether a prorated refund
    /// ended the access.
    public var reportedStatus: Int?
    /// `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT` or `ONE_TIME`.
    public var offerDiscountType: String?
    /// ISO 8601, such as `P3M`.
    public var offerPeriod: String?
    /// ISO 3166-1 alpha-3.
    public var storefront: String?
    /// `PURCHASE` or `RENEWAL`.
    public var transactionReason: String?
    /// In milliunits of `currency`.
    public var price: Int64?
    public var currency: String?

    /// Takes fields as they were stored.
    public init(
        originalTransactionId: OriginalTransactionID, transactionId: TransactionID, productId: ProductID,
        subscriptionGroupIdentifier: SubscriptionGroupIdentifier?, type: ProductType, purchaseDate: Instant,
        expiresDate: Instant?, revocationDate: Instant? = nil, isUpgraded: Bool = false, offerType: OfferType? = nil,
        offerIdentifier: OfferIdentifier? = nil, appAccountToken: UUID? = nil,
        inAppOwnershipType: InAppOwnershipType? = nil, appTransactionId: AppTransactionID? = nil, signedDate: Instant
    ) {
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.type = type
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
        self.isUpgraded = isUpgraded
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.appAccountToken = appAccountToken
        self.inAppOwnershipType = inAppOwnershipType
        self.appTransactionId = appTransactionId
        self.signedDate = signedDate
    }

    /// Takes the fields of a payload whose signature was verified.
    ///
    /// Throws `transactionLacks` with every field that no decision can do without, and `dateOutOfRange` for a date
    /// that is none.
    public init(_ payload: JWSTransactionDecodedPayload) throws(CampaignCoreError) {
        let isAutoRenewable = payload.type == .autoRenewableSubscription
        // Apple marks every field as optional; an empty identifier would make strangers one customer.
        guard let originalTransactionId = payload.originalTransactionId, !originalTransactionId.rawValue.isEmpty,
            let transactionId = payload.transactionId, !transactionId.rawValue.isEmpty,
            let productId = payload.productId, !productId.rawValue.isEmpty,
            let type = payload.type, let purchaseDate = payload.purchaseDate, let signedDate = payload.signedDate,
            !isAutoRenewable || payload.subscriptionGroupIdentifier?.rawValue.isEmpty == false,
            !isAutoRenewable || payload.expiresDate != nil
        else { throw .transactionLacks(fields: Self.missingFields(of: payload)) }
        try checkDates([
            ("purchaseDate", purchaseDate), ("expiresDate", payload.expiresDate),
            ("revocationDate", payload.revocationDate), ("signedDate", signedDate),
        ])
        self.init(
            originalTransactionId: originalTransactionId, transactionId: transactionId, productId: productId,
            subscriptionGroupIdentifier: payload.subscriptionGroupIdentifier, type: type, purchaseDate: purchaseDate,
            expiresDate: payload.expiresDate, revocationDate: payload.revocationDate,
            isUpgraded: payload.isUpgraded ?? false, offerType: payload.offerType,
            offerIdentifier: payload.offerIdentifier, appAccountToken: payload.appAccountToken,
            inAppOwnershipType: payload.inAppOwnershipType, appTransactionId: payload.appTransactionId,
            signedDate: signedDate)
        revocationType = payload.revocationType
        offerDiscountType = payload.offerDiscountType
        offerPeriod = payload.offerPeriod
        storefront = payload.storefront
        transactionReason = payload.transactionReason
        price = payload.price
        currency = payload.currency
    }

    private static func missingFields(of payload: JWSTransactionDecodedPayload) -> [String] {
        let isAutoRenewable = payload.type == .autoRenewableSubscription
        let lacks = { (text: String?) in text?.isEmpty ?? true }
        return [
            ("originalTransactionId", lacks(payload.originalTransactionId?.rawValue)),
            ("transactionId", lacks(payload.transactionId?.rawValue)),
            ("productId", lacks(payload.productId?.rawValue)),
            ("subscriptionGroupIdentifier", isAutoRenewable && lacks(payload.subscriptionGroupIdentifier?.rawValue)),
            ("type", payload.type == nil),
            ("purchaseDate", payload.purchaseDate == nil),
            ("expiresDate", isAutoRenewable && payload.expiresDate == nil),
            ("signedDate", payload.signedDate == nil),
        ].filter(\.1).map(\.0)
    }
}

extension TransactionFact {
    /// The one fact that two about the same transaction make, whichever of them arrived first.
    ///
    /// The later signed one holds. A token it lacks is kept from the other, because Apple leaves a known token out of
    /// later payloads; which of two changed tokens came last is then no longer known, and the kept one stays until a
    /// later fact tells another. Of two signed in the same millisecond the one that takes more away holds.
    ///
    /// Precondition: both have the same `transactionId`.
    public func merged(with other: TransactionFact) -> TransactionFact {
        precondition(transactionId == other.transactionId, "facts about two transactions cannot be merged")
        let (newer, older) = holds(over: other) ? (self, other) : (other, self)
        return newer.appAccountToken == nil ? newer.with(appAccountToken: older.appAccountToken) : newer
    }

    private func with(appAccountToken: UUID?) -> TransactionFact {
        var fact = self
        fact.appAccountToken = appAccountToken
        return fact
    }
}
