/// The products and offers of one app, as its StoreKit configuration file tells them.
///
/// It is the only source of which offer exists on which product: App Store Connect's rules for the offers themselves
/// stay with Apple, and nothing that is absent here is ever signed.
public struct Catalog: Sendable {
    /// In the file's order.
    public let groups: [SubscriptionGroup]
    /// In the file's order: one-time products, then non-renewing subscriptions.
    public let otherProducts: [OtherProduct]

    // All below follows from the two above, so that a lookup costs the same in a large catalogue.
    private let productsById: [ProductID: CatalogProduct]
    private let groupsById: [SubscriptionGroupIdentifier: SubscriptionGroup]
    private let offersById: [ProductID: [OfferIdentifier: SubscriptionOffer]]
    private let productsByPromotionalOffer: [OfferIdentifier: [ProductID]]

    /// Takes what the reader has checked: no identifier is used twice.
    init(groups: [SubscriptionGroup], otherProducts: [OtherProduct]) {
        self.groups = groups
        self.otherProducts = otherProducts
        var productsById: [ProductID: CatalogProduct] = [:]
        var groupsById: [SubscriptionGroupIdentifier: SubscriptionGroup] = [:]
        var offersById: [ProductID: [OfferIdentifier: SubscriptionOffer]] = [:]
        var productsByPromotionalOffer: [OfferIdentifier: [ProductID]] = [:]
        for product in otherProducts { productsById[product.productId] = .other(product) }
        for group in groups {
            groupsById[group.identifier] = group
            for product in group.subscriptions {
                productsById[product.productId] = .subscription(product)
                for offer in product.promotionalOffers + product.codeOffers + product.winBackOffers {
                    guard let identifier = offer.offerIdentifier else { continue }
                    offersById[product.productId, default: [:]][identifier] = offer
                    if offer.offerType == .promotionalOffer {
                        productsByPromotionalOffer[identifier, default: []].append(product.productId)
                    }
                }
            }
        }
        self.productsById = productsById
        self.groupsById = groupsById
        self.offersById = offersById
        self.productsByPromotionalOffer = productsByPromotionalOffer
    }

    /// The catalogue of an app of which nothing is known.
    public static let empty = Catalog(groups: [], otherProducts: [])

    /// Every subscription product, group by group.
    public var subscriptions: [SubscriptionProduct] { groups.flatMap(\.subscriptions) }

    /// What `productId` names; nil when the file does not have it.
    public func product(_ productId: ProductID) -> CatalogProduct? { productsById[productId] }

    /// The subscription product `productId`; nil when the file does not have it or it is of another kind.
    public func subscription(_ productId: ProductID) -> SubscriptionProduct? {
        guard case .subscription(let product) = productsById[productId] else { return nil }
        return product
    }

    /// The offer of that identifier on that product, whichever kind it is; introductory offers have none.
    public func offer(_ offerIdentifier: OfferIdentifier, on productId: ProductID) -> SubscriptionOffer? {
        offersById[productId]?[offerIdentifier]
    }

    /// The promotional offer of that identifier on that product; nil when it is absent or of another kind.
    public func promotionalOffer(_ offerIdentifier: OfferIdentifier, on productId: ProductID) -> SubscriptionOffer? {
        guard let offer = offer(offerIdentifier, on: productId), offer.offerType == .promotionalOffer else {
            return nil
        }
        return offer
    }

    /// The products that have a promotional offer of that identifier, in the file's order.
    public func productsOffering(_ offerIdentifier: OfferIdentifier) -> [ProductID] {
        productsByPromotionalOffer[offerIdentifier] ?? []
    }

    /// The group of a subscription product; nil for other products.
    public func group(of productId: ProductID) -> SubscriptionGroup? {
        subscription(productId).flatMap { groupsById[$0.subscriptionGroupIdentifier] }
    }

    /// The group of what a transaction bought; nil when the catalogue knows neither.
    ///
    /// Groups of a file that was never synchronised with App Store Connect have identifiers of Xcode's own, so the
    /// product's place in the catalogue counts before the identifier that Apple signed.
    func group(of productId: ProductID, signed identifier: SubscriptionGroupIdentifier?) -> SubscriptionGroup? {
        group(of: productId) ?? identifier.flatMap { groupsById[$0] }
    }

    /// The introductory offers of a product; more than one when they belong to different billing plans.
    public func introductoryOffers(on productId: ProductID) -> [SubscriptionOffer] {
        subscription(productId)?.introductoryOffers ?? []
    }
}

extension Catalog: Hashable {
    public static func == (one: Self, other: Self) -> Bool {
        one.groups == other.groups && one.otherProducts == other.otherProducts
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(groups)
        hasher.combine(otherProducts)
    }
}
