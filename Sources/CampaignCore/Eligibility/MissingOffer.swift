import YAML

/// Why the catalogue gives no promotional offer for a pair of product and offer identifier, and what was perhaps meant.
public struct MissingOffer: Hashable, Sendable {
    public let productId: ProductID
    public let offerIdentifier: OfferIdentifier
    /// What the product is; nil when the catalogue does not have it.
    public let productType: ProductType?
    /// The kind of the offer that the identifier names on this product, such as an offer code; nil when it names none.
    public let offerType: OfferType?
    /// The products that have a promotional offer of this identifier, in the file's order.
    public let offeredOn: [ProductID]
    /// The promotional offer on this product whose identifier is spelled almost the same.
    public let nearest: OfferIdentifier?
}

extension Catalog {
    /// Why there is no promotional offer `offerIdentifier` on `productId`; nil when there is one.
    public func missingPromotionalOffer(_ offerIdentifier: OfferIdentifier, on productId: ProductID) -> MissingOffer? {
        guard promotionalOffer(offerIdentifier, on: productId) == nil else { return nil }
        let type: ProductType? =
            switch product(productId) {
            case .subscription: .autoRenewableSubscription
            case .other(let product): product.type
            case nil: nil
            }
        let names = subscription(productId)?.promotionalOffers.compactMap(\.offerIdentifier?.rawValue) ?? []
        return MissingOffer(
            productId: productId, offerIdentifier: offerIdentifier, productType: type,
            offerType: offer(offerIdentifier, on: productId)?.offerType, offeredOn: productsOffering(offerIdentifier),
            nearest: closestMatch(to: offerIdentifier.rawValue, among: names).map(OfferIdentifier.init(_:)))
    }
}

extension MissingOffer {
    /// One sentence: what is missing, then the likeliest cure.
    var detail: String {
        let offer = quoted(offerIdentifier.rawValue)
        let product = quoted(productId.rawValue)
        guard let productType else { return "the catalogue has no product \(product)" + cures }
        guard productType == .autoRenewableSubscription else {
            return "the product \(product) is of type \(quoted(productType.rawValue)), "
                + "only auto-renewable subscriptions have offers"
        }
        if let kind = offerType?.words {
            return "\(offer) on the product \(product) is \(kind), which needs no signature" + cures
        }
        return "the product \(product) has no promotional offer \(offer)" + cures
    }

    private var cures: String {
        var cures = ""
        if !offeredOn.isEmpty {
            let listed = offeredOn.prefix(Limits.listedProducts).map { quoted($0.rawValue) }.joined(separator: ", ")
            let more = offeredOn.count - Limits.listedProducts
            cures += "; the products that have it: \(listed)" + (more > 0 ? " and \(more) more" : "")
        }
        if let nearest { cures += "; did you mean \(quoted(nearest.rawValue))?" }
        return cures.isEmpty ? "; ask for an offer that the catalogue has, or add it there" : cures
    }
}

extension OfferType {
    /// With its article, for a sentence.
    fileprivate var words: String? {
        switch self {
        case .offerCode: "an offer for offer codes"
        case .winBackOffer: "a win-back offer"
        default: nil
        }
    }
}
