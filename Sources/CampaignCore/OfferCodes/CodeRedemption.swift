/// That a customer has redeemed a code of an offer, as far as Apple tells it.
///
/// No payload has the code itself, so who got which code is known from our own claims alone and a link to one is never
/// more than probable. Source: StoreKit, "Supporting offer codes in your app"; `offerType` 3 of
/// `JWSTransactionDecodedPayload`.
public struct CodeRedemption: Hashable, Sendable {
    public let offer: OfferIdentifier
    /// When the period began that was bought with the code, or one that renewed it.
    public let purchaseDate: Instant
    /// The ids under which the subscriber may have claimed the code.
    public let possibleCustomers: [String]

    /// Nil for a transaction without a code of its own: a family member's repeats the payer's fields.
    public init?(_ fact: TransactionFact) {
        guard fact.offerType == .offerCode, fact.inAppOwnershipType != .familyShared, let offer = fact.offerIdentifier,
            !offer.rawValue.isEmpty
        else { return nil }
        self.offer = offer
        purchaseDate = fact.purchaseDate
        possibleCustomers = CodeCustomer.possibleIds(
            tokens: [fact.appAccountToken].compactMap(\.self), downloads: [fact.appTransactionId].compactMap(\.self),
            subscriptions: [fact.originalTransactionId])
    }

    /// Whether a code that was claimed at that instant can be the one that was redeemed by `purchaseDate`.
    public static func canBe(claimedDate: Instant, redeemedBy purchaseDate: Instant) -> Bool {
        claimedDate <= purchaseDate.adding(milliseconds: Limits.claimClockSkewMilliseconds)
    }
}
