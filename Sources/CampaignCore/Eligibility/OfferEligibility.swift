/// Whether one offer of the catalogue is for one customer, with every reason why it is not.
public struct OfferEligibility: Hashable, Sendable {
    public let productId: ProductID
    public let subscriptionGroupIdentifier: SubscriptionGroupIdentifier
    public let offerType: OfferType
    /// The reference name for offer codes; nil for an introductory offer, which has no identifier.
    public let offerIdentifier: OfferIdentifier?
    /// Empty when the customer may have it.
    public let refusals: [Refusal]

    public var isEligible: Bool { refusals.isEmpty }
}

extension Catalog {
    /// Every offer of the catalogue for one customer.
    ///
    /// Group by group in the file's order: of each product the introductory, promotional and code offers, then the
    /// win-back offers of the group, those of Apple's list first and in its order.
    ///
    /// - Parameters:
    ///   - transactions: the latest version of every known transaction of the customer in the app and environment.
    ///   - subscriptions: every subscription of the customer there; those that only transactions tell of are derived.
    ///   - winBackRules: the months of App Store Connect, by the offer's identifier.
    ///   - isWinBackListKnown: whether an empty list of Apple's means no offer; without it the list is only known when
    ///     it holds something, because Apple leaves an empty one out.
    public func offerEligibilities(
        transactions: [TransactionFact], subscriptions: [Subscription],
        winBackRules: [OfferIdentifier: WinBackRule] = [:], isWinBackListKnown: Bool = false,
        environment: AppStoreEnvironment, now: Instant
    ) -> [OfferEligibility] {
        let all = subscriptions + derivedSubscriptions(transactions, besides: subscriptions)
        return groups.flatMap { group in
            let standing = GroupStanding(
                group: group, catalog: self, transactions: transactions, subscriptions: all, environment: environment,
                now: now)
            let others = group.subscriptions.flatMap { product in
                introductoryOffers(
                    of: product, transactions: transactions, subscriptions: all, environment: environment, now: now)
                    + promotionalOffers(of: product, transactions: transactions)
                    + product.codeOffers.map { standing.codeOffer($0, on: product) }
            }
            return others + standing.winBackOffers(rules: winBackRules, isListKnown: isWinBackListKnown)
        }
    }

    private func derivedSubscriptions(
        _ transactions: [TransactionFact], besides known: [Subscription]
    ) -> [Subscription] {
        let known = Set(known.map(\.originalTransactionId))
        return Dictionary(grouping: transactions, by: \.originalTransactionId)
            .filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
            .compactMap { Subscription(transactions: $0.value, renewals: []) }
    }

    private func introductoryOffers(
        of product: SubscriptionProduct, transactions: [TransactionFact], subscriptions: [Subscription],
        environment: AppStoreEnvironment, now: Instant
    ) -> [OfferEligibility] {
        let refusals = introductoryOfferRefusals(
            on: product.productId, transactions: transactions, subscriptions: subscriptions, environment: environment,
            now: now)
        return product.introductoryOffers.map { OfferEligibility($0, on: product, refusals: refusals) }
    }

    private func promotionalOffers(
        of product: SubscriptionProduct, transactions: [TransactionFact]
    ) -> [OfferEligibility] {
        let isSubscriber = transactions.contains { $0.type == .autoRenewableSubscription }
        let refusals: [Refusal] = isSubscriber ? [] : [.neverSubscribed]
        return product.promotionalOffers.map { OfferEligibility($0, on: product, refusals: refusals) }
    }
}

extension OfferEligibility {
    init(_ offer: SubscriptionOffer, on product: SubscriptionProduct, refusals: [Refusal]) {
        productId = product.productId
        subscriptionGroupIdentifier = product.subscriptionGroupIdentifier
        offerType = offer.offerType
        offerIdentifier = offer.offerIdentifier
        self.refusals = refusals
    }
}
