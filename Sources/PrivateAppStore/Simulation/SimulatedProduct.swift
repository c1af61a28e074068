public import CampaignCore

/// A product that simulated subscribers buy, with what a history needs to know of it.
public struct SimulatedProduct: Hashable, Sendable {
    public let productId: ProductID
    public let subscriptionGroupIdentifier: SubscriptionGroupIdentifier
    /// The rank in the group, 1 at the top; moving to a smaller number is an upgrade.
    public let level: Int
    public let period: Period
    /// In milliunits of `currency`.
    public let price: Int64
    /// ISO 4217.
    public let currency: String
    public let isFamilyShareable: Bool
    /// Of every kind.
    public let offers: [SimulatedOffer]

    public init(
        productId: ProductID, subscriptionGroupIdentifier: SubscriptionGroupIdentifier, level: Int, period: Period,
        price: Int64, currency: String, isFamilyShareable: Bool = false, offers: [SimulatedOffer] = []
    ) {
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.level = level
        self.period = period
        self.price = price
        self.currency = currency
        self.isFamilyShareable = isFamilyShareable
        self.offers = offers
    }

    /// A product of a catalogue, whose prices name no currency.
    public init(_ product: SubscriptionProduct, currency: String) {
        let price = product.priceMilliunits ?? Self.priceWhenUntold
        let offers =
            product.introductoryOffers + product.promotionalOffers + product.codeOffers + product.winBackOffers
        self.init(
            productId: product.productId, subscriptionGroupIdentifier: product.subscriptionGroupIdentifier,
            level: product.level, period: product.period, price: price, currency: currency,
            isFamilyShareable: product.isFamilyShareable,
            offers: offers.map { SimulatedOffer($0, price: $0.priceMilliunits ?? price / 2) })
    }

    /// For a product whose file tells no price.
    private static let priceWhenUntold: Int64 = 9990

    func offers(_ type: OfferType) -> [SimulatedOffer] { offers.filter { $0.offerType == type } }
}

/// An offer that simulated subscribers redeem.
public struct SimulatedOffer: Hashable, Sendable {
    public let offerType: OfferType
    /// Nil for an introductory offer.
    public let offerIdentifier: OfferIdentifier?
    /// Apple's `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`.
    public let offerDiscountType: String
    public let period: Period
    /// How many periods in a row have the offer; more than one only for `PAY_AS_YOU_GO`.
    public let numberOfPeriods: Int
    /// Of one period, in milliunits.
    public let price: Int64
    /// Who may redeem a code of the offer; empty for other kinds.
    public let codeEligibility: Set<CodeEligibility>

    public init(
        offerType: OfferType, offerIdentifier: OfferIdentifier?, offerDiscountType: String, period: Period,
        numberOfPeriods: Int, price: Int64, codeEligibility: Set<CodeEligibility> = []
    ) {
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.offerDiscountType = offerDiscountType
        self.period = period
        self.numberOfPeriods = numberOfPeriods
        self.price = price
        self.codeEligibility = codeEligibility
    }

    init(_ offer: SubscriptionOffer, price: Int64) {
        let discounts: [PaymentMode: String] = [.free: "FREE_TRIAL", .payAsYouGo: "PAY_AS_YOU_GO"]
        self.init(
            offerType: offer.offerType, offerIdentifier: offer.offerIdentifier,
            offerDiscountType: discounts[offer.paymentMode] ?? "PAY_UP_FRONT", period: offer.period,
            numberOfPeriods: offer.paymentMode == .payAsYouGo ? offer.numberOfPeriods : 1,
            price: offer.paymentMode == .free ? 0 : price, codeEligibility: offer.codeTerms?.eligibility ?? [])
    }
}
