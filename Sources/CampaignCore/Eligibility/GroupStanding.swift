/// Where a customer stands in one subscription group at an instant; win-back offers and codes are judged by it.
struct GroupStanding {
    private let group: SubscriptionGroup
    private let catalog: Catalog
    private let environment: AppStoreEnvironment
    private let now: Instant
    /// The customer's periods in the group.
    private let periods: [TransactionFact]
    /// The customer's subscriptions in the group with their states, the newest first.
    private let subscriptions: [(subscription: Subscription, state: SubscriptionStatus.State)]

    init(
        group: SubscriptionGroup, catalog: Catalog, transactions: [TransactionFact], subscriptions: [Subscription],
        environment: AppStoreEnvironment, now: Instant
    ) {
        let isInGroup = { (productId: ProductID, signed: SubscriptionGroupIdentifier?) in
            signed == group.identifier || catalog.group(of: productId, signed: signed)?.identifier == group.identifier
        }
        self.group = group
        self.catalog = catalog
        self.environment = environment
        self.now = now
        periods = transactions.filter {
            $0.type == .autoRenewableSubscription && isInGroup($0.productId, $0.subscriptionGroupIdentifier)
        }
        self.subscriptions =
            subscriptions.filter { isInGroup($0.productId, $0.subscriptionGroupIdentifier) }
            .sorted { ($0.purchaseDate, $0.originalTransactionId) > ($1.purchaseDate, $1.originalTransactionId) }
            .map { ($0, $0.state(at: now, catalog: catalog, environment: environment).state) }
    }

    // MARK: - Win-back offers

    /// Those of the group, Apple's list first and in its order.
    func winBackOffers(rules: [OfferIdentifier: WinBackRule], isListKnown: Bool) -> [OfferEligibility] {
        let list = appleOrder
        let places = Dictionary(list.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        // Those that Apple does not list keep the file's order behind the listed ones.
        let offers = group.subscriptions.flatMap { product in product.winBackOffers.map { (product, $0) } }
        let ranks = offers.enumerated().map { index, offer in
            (offer.1.offerIdentifier.flatMap { places[$0] } ?? list.count, index)
        }
        return zip(ranks, offers).sorted { $0.0 < $1.0 }.map { _, offer in
            winBackOffer(offer.1, on: offer.0, rules: rules, isListKnown: isListKnown)
        }
    }

    /// The win-back offers that Apple lists for the customer, best first; empty when it told of none.
    var appleOrder: [OfferIdentifier] {
        subscriptions.map(\.subscription.eligibleWinBackOfferIds).first { !$0.isEmpty } ?? []
    }

    /// One of the group.
    func winBackOffer(
        _ offer: SubscriptionOffer, on product: SubscriptionProduct, rules: [OfferIdentifier: WinBackRule],
        isListKnown: Bool
    ) -> OfferEligibility {
        let list = appleOrder
        return OfferEligibility(
            offer, on: product,
            refusals: winBackRefusals(
                of: offer, on: product, list: list.isEmpty && !isListKnown ? nil : list, rules: rules))
    }

    private func winBackRefusals(
        of offer: SubscriptionOffer, on product: SubscriptionProduct, list: [OfferIdentifier]?,
        rules: [OfferIdentifier: WinBackRule]
    ) -> [Refusal] {
        guard let identifier = offer.offerIdentifier else { return [] }
        let standing = winBackRefusals(on: product)
        guard standing.isEmpty else { return standing }
        if let list {
            return list.contains(identifier) ? [] : [.notInEligibleWinBackOfferIds(offerIdentifier: identifier)]
        }
        guard let rule = rules[identifier] else { return [.winBackEligibilityUnknown(offerIdentifier: identifier)] }
        return rule.refusals(of: identifier, transactions: periods, now: now)
    }

    /// What stands against any win-back offer of the group.
    ///
    /// Source: StoreKit, "Supporting win-back offers in your app".
    private func winBackRefusals(on product: SubscriptionProduct) -> [Refusal] {
        guard let newest = subscriptions.first else {
            return [
                .neverSubscribedInGroup(productId: product.productId, subscriptionGroupIdentifier: group.identifier)
            ]
        }
        var refusals: [Refusal] = []
        if holds(.active) { refusals.append(.stillSubscribed(subscriptionGroupIdentifier: group.identifier)) }
        if isInBillingRetry { refusals.append(.inBillingRetry(subscriptionGroupIdentifier: group.identifier)) }
        if newest.state == .revoked {
            refusals.append(.subscriptionRevoked(subscriptionGroupIdentifier: group.identifier))
        }
        return refusals
    }

    private func holds(_ state: SubscriptionStatus.State) -> Bool { subscriptions.contains { $0.state == state } }

    private var isInBillingRetry: Bool { holds(.billingGracePeriod) || holds(.billingRetry) }

    // MARK: - Offer codes

    func codeOffer(_ offer: SubscriptionOffer, on product: SubscriptionProduct) -> OfferEligibility {
        var refusals = codeRefusals(eligibility: offer.codeTerms?.eligibility ?? [], on: product)
        // Sandbox accounts may redeem as often as they like.
        if environment == .production, let identifier = offer.offerIdentifier,
            periods.contains(where: { $0.offerType == .offerCode && $0.offerIdentifier == identifier })
        {
            refusals.append(.offerCodeUsed(offerIdentifier: identifier))
        }
        return OfferEligibility(offer, on: product, refusals: refusals)
    }

    /// Apple's three words for customers of a group, and the gaps between them.
    ///
    /// Who renews or is in billing trouble with auto-renew on is `existing`, who left for whatever reason is `expired`.
    /// Source: App Store Connect Help, "Set up offer codes".
    private func codeRefusals(eligibility: Set<CodeEligibility>, on product: SubscriptionProduct) -> [Refusal] {
        let differs = { (customer: CodeEligibility) -> [Refusal] in
            guard !eligibility.contains(customer) else { return [] }
            return [.codeEligibilityDiffers(customer: customer, eligibility: eligibility.inAppleOrder)]
        }
        guard let newest = subscriptions.first else { return differs(.new) }
        let existing = subscriptions.first {
            $0.state == .billingGracePeriod || $0.state == .billingRetry
                || $0.state == .active && $0.subscription.autoRenewStatus != .off
        }
        if let existing {
            let current = existing.subscription.productId
            let refusals = differs(.existing)
            guard refusals.isEmpty, catalog.planChange(from: current, to: product.productId) == .downgrade else {
                return refusals
            }
            return [.codeWouldDowngrade(productId: product.productId, currentProductId: current)]
        }
        if holds(.active) { return [.cancelledButActive(subscriptionGroupIdentifier: group.identifier)] }
        // Apple has no word for them, so none is promised.
        if newest.state == .revoked {
            return [.subscriptionRevoked(subscriptionGroupIdentifier: group.identifier)]
        }
        return differs(.expired)
    }
}

extension Set<CodeEligibility> {
    /// New, existing, expired, then words that are new.
    fileprivate var inAppleOrder: [CodeEligibility] {
        let known: [CodeEligibility] = [.new, .existing, .expired]
        return known.filter(contains) + subtracting(known).sorted { $0.rawValue < $1.rawValue }
    }
}
