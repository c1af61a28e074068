extension Catalog {
    /// Every reason why the customer gets no introductory offer on `productId` at `now`; empty means eligible.
    ///
    /// Apple gives one introductory offer a group, to customers who are not subscribed in it; a refund does not give
    /// it back. Source: StoreKit, "Implementing introductory offers in your app".
    ///
    /// - Parameters:
    ///   - transactions: every known transaction of the customer in the app and environment.
    ///   - subscriptions: every known subscription of the customer there: one whose payment failed has no period that
    ///     runs, and is subscribed all the same while the App Store tries again.
    public func introductoryOfferRefusals(
        on productId: ProductID, transactions: [TransactionFact], subscriptions: [Subscription] = [],
        environment: AppStoreEnvironment = .production, now: Instant
    ) -> [Refusal] {
        var refusals: [Refusal] = []
        if introductoryOffers(on: productId).isEmpty { refusals.append(.noIntroductoryOffer(productId: productId)) }
        guard let group = group(of: productId) else { return refusals }
        let inGroup = transactions.filter { isTransaction($0, in: group.identifier) }
        if inGroup.contains(where: { $0.offerType == .introductoryOffer }) {
            refusals.append(
                .introductoryOfferUsed(productId: productId, subscriptionGroupIdentifier: group.identifier))
        }
        let isSubscribed =
            inGroup.contains { $0.isSubscribed(now: now) }
            || subscriptions.contains { one in
                isProduct(one.productId, signedFor: one.subscriptionGroupIdentifier, in: group.identifier)
                    && [.billingGracePeriod, .billingRetry].contains(
                        one.state(at: now, catalog: self, environment: environment).state)
            }
        if isSubscribed {
            refusals.append(.subscribedInGroup(productId: productId, subscriptionGroupIdentifier: group.identifier))
        }
        return refusals
    }

    private func isTransaction(_ fact: TransactionFact, in group: SubscriptionGroupIdentifier) -> Bool {
        isProduct(fact.productId, signedFor: fact.subscriptionGroupIdentifier, in: group)
    }

    /// Whether a product that was bought is of the group.
    ///
    /// Groups of a file that was never synchronised with App Store Connect have identifiers of Xcode's own, so the
    /// product's place in the catalogue counts beside the identifier that Apple signed.
    private func isProduct(
        _ productId: ProductID, signedFor signed: SubscriptionGroupIdentifier?,
        in group: SubscriptionGroupIdentifier
    ) -> Bool {
        signed == group || subscription(productId)?.subscriptionGroupIdentifier == group
    }
}

extension TransactionFact {
    /// Whether it is a subscription period that runs at `now`, neither revoked nor replaced by an upgrade.
    ///
    /// A renewal may be signed before its period begins, so `purchaseDate` is not asked.
    public func isSubscribed(now: Instant) -> Bool {
        guard let expiresDate else { return false }
        return expiresDate > now && revocationDate == nil && !isUpgraded
    }
}
