extension Rule {
    /// Whether it gives its message and no offer through this door.
    func givesMessageAlone(via: Via) -> Bool {
        offers.isEmpty && (message != nil || via == .retentionMessage && retentionMessage != nil)
    }
}

extension CampaignJudge {
    /// Whether an offer can be given, and what exactly.
    enum Availability {
        case available(ChosenOffer.Content)
        /// At least one.
        case refused([Refusal])
    }

    /// The offers of a rule for this arm and door, in the order in which they are tried.
    ///
    /// Apple orders a customer's win-back offers, so those of a rule share their places in that order (field case E03).
    mutating func offersInOrder(of rule: Rule, variant: VariantName?) -> [CampaignOffer] {
        var offers = rule.offers.filter { offer in
            if let wanted = offer.variant, wanted != variant { return false }
            if case .alternateProduct = offer.kind { return via == .retentionMessage }
            return true
        }
        let places = offers.indices.filter { offers[$0].winBackOffer != nil }
        guard places.count > 1, let group else { return offers }
        let list = standing(in: group).appleOrder
        let ranks = Dictionary(list.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        let ranked = places.map { place in
            (rank: offers[place].winBackOffer.flatMap { ranks[$0] } ?? list.count, place: place, offer: offers[place])
        }.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }
        for (place, entry) in zip(places, ranked) { offers[place] = entry.offer }
        return offers
    }

    mutating func availability(of offer: CampaignOffer) -> Availability {
        switch offer.kind {
        case .promotionalOffer(let identifier): promotionalOffer(identifier, on: offer.productId)
        case .winBackOffer(let identifier): winBackOffer(identifier, on: offer.productId)
        case .offerCode(let identifier): offerCode(identifier, on: offer.productId)
        case .alternateProduct(let productId): alternateProduct(productId)
        }
    }

    private func promotionalOffer(_ identifier: OfferIdentifier, on named: ProductID?) -> Availability {
        let productId = named ?? product(ofPromotionalOffer: identifier)
        let refusals = context.catalog.promotionalOfferRefusals(
            of: identifier, on: productId, appAccountToken: facts.appAccountToken,
            subscription: facts.subscription.originalTransactionId, transactions: facts.transactions)
        return refusals.isEmpty ? .available(.promotionalOffer(identifier, productId: productId)) : .refused(refusals)
    }

    /// The present product when it has the offer, else the only one that has it.
    private func product(ofPromotionalOffer identifier: OfferIdentifier) -> ProductID {
        let present = facts.subscription.productId
        guard context.catalog.promotionalOffer(identifier, on: present) == nil else { return present }
        let others = context.catalog.productsOffering(identifier)
        return others.count == 1 ? others[0] : present
    }

    private mutating func winBackOffer(_ identifier: OfferIdentifier, on named: ProductID?) -> Availability {
        let place = offers(identifier, of: .winBackOffer, on: named).first
        guard let place, let group = context.catalog.group(of: place.product.productId) else {
            return .refused([.notInEligibleWinBackOfferIds(offerIdentifier: identifier)])
        }
        let judged = standing(in: group).winBackOffer(
            place.offer, on: place.product, rules: context.winBackRules, isListKnown: context.isWinBackListKnown)
        return judged.isEligible
            ? .available(.winBackOffer(identifier, productId: judged.productId)) : .refused(judged.refusals)
    }

    private mutating func offerCode(_ identifier: OfferIdentifier, on named: ProductID?) -> Availability {
        var first: [Refusal]?
        for place in offers(identifier, of: .offerCode, on: named) {
            guard let group = context.catalog.group(of: place.product.productId) else { continue }
            let judged = standing(in: group).codeOffer(place.offer, on: place.product)
            guard judged.isEligible else {
                if first == nil { first = judged.refusals }
                continue
            }
            guard !facts.exhaustedCodes.contains(identifier) else {
                return .refused([.codePoolExhausted(offer: identifier, environment: facts.environment)])
            }
            return .available(.offerCode(identifier, productId: place.product.productId))
        }
        return .refused(first ?? [.noCodeOffer(offer: identifier, nearest: nil)])
    }

    private func alternateProduct(_ productId: ProductID) -> Availability {
        guard productId != facts.subscription.productId, let group,
            group.subscriptions.contains(where: { $0.productId == productId })
        else { return .refused([.alternateProductOutsideGroup(productId: productId)]) }
        return .available(.alternateProduct(productId))
    }

    /// Where the catalogue has an offer of that kind and name, the subscription's own group first.
    private func offers(
        _ identifier: OfferIdentifier, of type: OfferType, on named: ProductID?
    ) -> [(product: SubscriptionProduct, offer: SubscriptionOffer)] {
        let own = group?.identifier
        let groups =
            context.catalog.groups.filter { $0.identifier == own }
            + context.catalog.groups.filter { $0.identifier != own }
        return groups.flatMap(\.subscriptions).compactMap { product in
            guard named == nil || product.productId == named,
                let offer = context.catalog.offer(identifier, on: product.productId), offer.offerType == type
            else { return nil }
            return (product, offer)
        }
    }
}

extension CampaignOffer {
    /// The identifier of a win-back offer; nil for other kinds.
    var winBackOffer: OfferIdentifier? {
        guard case .winBackOffer(let identifier) = kind else { return nil }
        return identifier
    }
}
