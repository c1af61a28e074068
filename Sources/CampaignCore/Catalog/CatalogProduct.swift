/// What a product identifier names in the catalogue.
public enum CatalogProduct: Hashable, Sendable {
    /// An auto-renewable subscription, the only kind that has offers.
    case subscription(SubscriptionProduct)
    /// A consumable, non-consumable or non-renewing product.
    case other(OtherProduct)
}

/// An auto-renewable subscription product with its offers.
public struct SubscriptionProduct: Hashable, Sendable {
    public let productId: ProductID
    public let subscriptionGroupIdentifier: SubscriptionGroupIdentifier
    public let referenceName: String?
    /// The rank in the group, 1 at the top; moving to a smaller number is an upgrade.
    public let level: Int
    public let period: Period
    /// In milliunits; nil when the file tells none.
    public let priceMilliunits: Int64?
    public let isFamilyShareable: Bool
    public let billingPlans: [BillingPlan]
    public let introductoryOffers: [SubscriptionOffer]
    public let promotionalOffers: [SubscriptionOffer]
    /// The offers that offer codes belong to.
    public let codeOffers: [SubscriptionOffer]
    public let winBackOffers: [SubscriptionOffer]
}

/// One way to pay for a subscription product; only files of schema 5 tell them.
public struct BillingPlan: Hashable, Sendable {
    public let billingPlanType: BillingPlanType
    /// Of one payment, in milliunits; nil when the file tells none.
    public let priceMilliunits: Int64?
    /// Of the whole commitment, in milliunits; nil when the file tells none.
    public let commitmentPriceMilliunits: Int64?
    public let isEnabled: Bool
}

/// A product that is no auto-renewable subscription, known by its identifier and kind.
public struct OtherProduct: Hashable, Sendable {
    public let productId: ProductID
    /// In the App Store Server API's spelling, such as `Non-Consumable`; another kind keeps the file's spelling.
    public let type: ProductType
}

/// Subscription products of which a customer holds one at a time.
public struct SubscriptionGroup: Hashable, Sendable {
    public let identifier: SubscriptionGroupIdentifier
    public let name: String?
    /// In the file's order, which is not the order of levels.
    public let subscriptions: [SubscriptionProduct]
}
