public import FoundationEssentials

extension Catalog {
    /// Every reason not to sign the promotional offer `offerIdentifier` of `productId`; empty means eligible.
    ///
    /// Apple's only rule is a present or past auto-renewable subscription in the app, in any group, refunded or not;
    /// caps and audiences of campaigns are not judged here.
    /// Source: StoreKit, "Implementing promotional offers in your app".
    ///
    /// - Parameters:
    ///   - appAccountToken: what the request wants signed; nil raises no objection.
    ///   - subscription: the subscription that the request names, when it names one.
    ///   - transactions: every known transaction of the customer in the app and environment.
    public func promotionalOfferRefusals(
        of offerIdentifier: OfferIdentifier, on productId: ProductID, appAccountToken: UUID?,
        subscription: OriginalTransactionID?, transactions: [TransactionFact]
    ) -> [Refusal] {
        var refusals: [Refusal] = []
        if let missing = missingPromotionalOffer(offerIdentifier, on: productId) {
            refusals.append(.offerNotOnProduct(missing))
        }
        if !transactions.contains(where: { $0.type == .autoRenewableSubscription }) {
            refusals.append(.neverSubscribed)
        }
        return refusals + transactions.refusals(of: appAccountToken, for: subscription)
    }
}

extension Sequence<TransactionFact> {
    /// The reason against `appAccountToken` when another is known for the subscription; nil of either raises none.
    ///
    /// StoreKit would refuse a purchase whose token is not the signed one, so a wrong token is found here.
    public func refusals(of appAccountToken: UUID?, for subscription: OriginalTransactionID?) -> [Refusal] {
        guard let appAccountToken, let subscription, let known = self.appAccountToken(of: subscription) else {
            return []
        }
        return known == appAccountToken ? [] : [.appAccountTokenDiffers]
    }

    /// The token known for a subscription: that of its latest signed transaction that has one, nil when none has.
    public func appAccountToken(of subscription: OriginalTransactionID) -> UUID? {
        filter { $0.originalTransactionId == subscription && $0.appAccountToken != nil }
            .max { $0.signedDate < $1.signedDate }?
            .appAccountToken
    }
}
