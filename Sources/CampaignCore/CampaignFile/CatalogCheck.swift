import YAML

/// Holds the rules of one campaign against the catalogue of its app.
struct CatalogCheck {
    let catalog: Catalog
    let audience: Audience
    /// Whether all of the audience's products are in the catalogue; otherwise nothing follows from them.
    let knowsProducts: Bool
    let diagnostics: Diagnostics

    func products(of place: RulePlaces) {
        for product in place.products {
            if let fault = catalog.fault(of: product.value) { diagnostics.error(fault, at: product.mark) }
        }
    }

    func rule(_ rule: Rule, _ place: RulePlaces) {
        let isComplete = knowsProducts && place.products.allSatisfy { catalog.subscription($0.value) != nil }
        // Those that a subscriber can be on when the rule holds.
        let products = catalog.subscriptions.filter {
            audience.productId?.holds($0.productId) ?? true
                && audience.subscriptionGroupIdentifier?.holds($0.subscriptionGroupIdentifier) ?? true
                && rule.when.productId?.holds($0.productId) ?? true
        }
        let current = isComplete && place.knowsConditions ? products : []
        for (offer, place) in zip(rule.offers, place.offers) { self.offer(offer, place, current) }
        if !current.isEmpty { periods(rule, place, current) }
    }

    // MARK: - Offers

    /// - Parameter current: the products that a subscriber can be on; empty when that is not known.
    private func offer(_ offer: CampaignOffer, _ place: OfferPlaces, _ current: [SubscriptionProduct]) {
        switch offer.kind {
        case .promotionalOffer(let identifier):
            self.offer(identifier, .promotionalOffer, on: offer.productId, place, current)
        case .winBackOffer(let identifier):
            self.offer(identifier, .winBackOffer, on: offer.productId, place, current)
        case .offerCode(let identifier):
            self.offer(identifier, .offerCode, on: offer.productId, place, current)
        case .alternateProduct(let productId):
            alternateProduct(productId, place, current)
        }
    }

    private func offer(
        _ identifier: OfferIdentifier, _ type: OfferType, on productId: ProductID?, _ place: OfferPlaces,
        _ current: [SubscriptionProduct]
    ) {
        let name = quoted(identifier.rawValue)
        let all = catalog.subscriptions.filter { $0.has(identifier, type) }
        let others = all.map { quoted($0.productId.rawValue) }.joined(separator: ", ")
        if let productId {
            if let fault = catalog.fault(of: productId) {
                diagnostics.error(fault, at: place.productId ?? place.offer)
                return
            }
            guard all.contains(where: { $0.productId == productId }) else {
                guard all.isEmpty else {
                    diagnostics.error(
                        "\(quoted(productId.rawValue)) has no \(type.noun) \(name); the products that have it: \(others)",
                        at: place.productId ?? place.offer)
                    return
                }
                missing(identifier, type, at: place.offer)
                return
            }
        } else if all.isEmpty {
            missing(identifier, type, at: place.offer)
            return
        }
        let given = productId.map { one in all.filter { $0.productId == one } } ?? all
        guard !current.isEmpty else { return }
        let groups = Set(current.map(\.subscriptionGroupIdentifier))
        guard given.contains(where: { groups.contains($0.subscriptionGroupIdentifier) }) else {
            diagnostics.error(
                "the \(type.noun) \(name) is in another subscription group than the audience's products; choose one of "
                    + "their group", at: place.productId ?? place.offer)
            return
        }
        let having = Set(all.map(\.productId))
        if type == .promotionalOffer, productId == nil, all.count > 1,
            !current.allSatisfy({ having.contains($0.productId) })
        {
            diagnostics.error(
                "several products have the \(type.noun) \(name), and the audience does not decide between them: \(others); "
                    + "add 'productId'", at: place.offer)
        }
    }

    /// The catalogue has no such offer of that kind: perhaps it is of another, or the name is misspelled.
    private func missing(_ identifier: OfferIdentifier, _ type: OfferType, at mark: Mark) {
        let name = quoted(identifier.rawValue)
        for other in OfferType.ofCampaigns where other != type {
            if catalog.subscriptions.contains(where: { $0.has(identifier, other) }) {
                diagnostics.error(
                    "\(name) is \(other.article) \(other.noun); write '\(other.name): \(shown(identifier.rawValue))'",
                    at: mark)
                return
            }
        }
        let known = catalog.subscriptions.flatMap { $0.identifiers(of: type) }.map(\.rawValue)
        let near = closestMatch(to: identifier.rawValue, among: known)
        let products = catalog.subscriptions.filter { one in near.map { one.has(OfferIdentifier($0), type) } ?? false }
        let places = products.map { quoted($0.productId.rawValue) }.joined(separator: ", ")
        var seen: Set<String> = []
        diagnostics.error(
            "the catalogue has no \(type.noun) \(name)"
                + (near.map { "; did you mean '\($0)' on \(places)?" }
                    ?? cure(identifier.rawValue, among: known.filter { seen.insert($0).inserted })),
            at: mark)
    }

    private func alternateProduct(_ productId: ProductID, _ place: OfferPlaces, _ current: [SubscriptionProduct]) {
        if let fault = catalog.fault(of: productId) {
            diagnostics.error(fault, at: place.offer)
            return
        }
        guard !current.isEmpty, let product = catalog.subscription(productId) else { return }
        let groups = Set(current.map(\.subscriptionGroupIdentifier))
        if !groups.contains(product.subscriptionGroupIdentifier) {
            diagnostics.error(
                "the alternate product \(quoted(productId.rawValue)) is in another subscription group than the audience's "
                    + "products; choose one of their group", at: place.offer)
        } else if current.allSatisfy({ $0.productId == productId }) {
            diagnostics.error(
                "the alternate product \(quoted(productId.rawValue)) is the one that the audience has; choose another",
                at: place.offer)
        }
    }
}

extension CatalogCheck {
    // MARK: - Periods

    /// What is later or earlier than any period of the audience lasts.
    private func periods(_ rule: Rule, _ place: RulePlaces, _ current: [SubscriptionProduct]) {
        let longest = current.flatMap(\.periods).map(\.longestMilliseconds).max() ?? .max
        let shortest = current.min { $0.period.longestMilliseconds < $1.period.longestMilliseconds }
        let atLeast = rule.when.untilExpires?.atLeastMilliseconds ?? 0
        if atLeast >= longest, let mark = place.when[.untilExpires] {
            diagnostics.error(
                "'atLeast' is '\(span(ofMilliseconds: atLeast))', longer than any period of the audience's products, so the "
                    + "rule can never hold; write a shorter span", at: mark)
            return
        }
        guard let shortest, rule.when.states.contains(.active), !rule.when.states.contains(.expired) else { return }
        for (send, place) in zip(rule.sendAt, place.sendAt) {
            let needed = abs(send.offsetMilliseconds) + (send.anchor == .opens ? atLeast : 0)
            let text = quoted(place.value)
            if needed >= longest {
                diagnostics.error(
                    "\(text) is outside the rule's window: no period of the audience's products is that long; choose "
                        + "another time", at: place.mark)
            } else if needed >= shortest.period.longestMilliseconds {
                diagnostics.warning(
                    "\(text) is outside the rule's window for \(quoted(shortest.productId.rawValue)), whose period is "
                        + "\(shortest.period)", at: place.mark)
            }
        }
    }
}

extension SubscriptionProduct {
    fileprivate func identifiers(of type: OfferType) -> [OfferIdentifier] {
        let offers: [SubscriptionOffer] =
            switch type {
            case .promotionalOffer: promotionalOffers
            case .winBackOffer: winBackOffers
            case .offerCode: codeOffers
            default: []
            }
        return offers.compactMap(\.offerIdentifier)
    }

    fileprivate func has(_ identifier: OfferIdentifier, _ type: OfferType) -> Bool {
        identifiers(of: type).contains(identifier)
    }

    /// How long a period of a subscriber of the product may be: the product's own, and those of its offers.
    fileprivate var periods: [Period] {
        [period] + (introductoryOffers + promotionalOffers + codeOffers + winBackOffers).map(\.period)
    }
}

extension Period {
    /// The most that it can last on a calendar: a month has up to 31 days, a year 366.
    fileprivate var longestMilliseconds: Int64 {
        switch unit {
        case .day, .week: nominalMilliseconds
        case .month: Int64(value) * 31 * Self.day
        case .year: Int64(value) * 366 * Self.day
        }
    }
}

extension OfferType {
    /// The kinds that a campaign can give.
    fileprivate static let ofCampaigns: [OfferType] = [.promotionalOffer, .winBackOffer, .offerCode]

    fileprivate var noun: String {
        switch self {
        case .promotionalOffer: "promotional offer"
        case .winBackOffer: "win-back offer"
        default: "offer for codes"
        }
    }

    fileprivate var article: String { self == .offerCode ? "an" : "a" }
}
