import CampaignCore
import Foundation
import TestSupport
import Testing

/// A renewal info of the field cases' subscription, changed where a test needs it.
func renewal(
    original: OriginalTransactionID = "2000000000000001", signed: Instant, status: AutoRenewStatus? = .on,
    next: ProductID? = nil, intent: ExpirationIntent? = nil, inRetry: Bool? = nil, grace: Instant? = nil,
    winBack: [OfferIdentifier] = [], change: PlanChange? = nil
) -> RenewalFact {
    var fact = RenewalFact(originalTransactionId: original, signedDate: signed)
    fact.productId = "tide.monthly"
    fact.autoRenewProductId = next
    fact.autoRenewStatus = status
    fact.expirationIntent = intent
    fact.isInBillingRetryPeriod = inRetry
    fact.gracePeriodExpiresDate = grace
    fact.eligibleWinBackOfferIds = winBack
    fact.planChange = change
    return fact
}

/// The month from the start of the field cases, which most of them speak of.
func month(
    _ transactionId: TransactionID = "2000000000000001", product: ProductID = "tide.monthly",
    from: Instant = Moment.start, until: Instant = Moment.day(30), revoked: Instant? = nil, isUpgraded: Bool = false,
    offerType: OfferType? = nil, token: UUID? = nil, signed: Instant? = nil
) -> TransactionFact {
    fact(
        transactionId, product: product, from: from, until: until, revoked: revoked, isUpgraded: isUpgraded,
        offerType: offerType, token: token, signed: signed)
}

extension Subscription {
    /// The status in the field cases' app.
    func status(_ now: Instant, _ policy: AccessPolicy = AccessPolicy(), catalog: Catalog? = nil) throws
        -> SubscriptionStatus
    {
        status(at: now, catalog: try catalog ?? CatalogFixtures.tide(), policy: policy)
    }
}

/// Every order of `elements`.
func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard let last = elements.last else { return [[]] }
    return permutations(Array(elements.dropLast())).flatMap { order in
        (0...order.count).map { place in
            var order = order
            order.insert(last, at: place)
            return order
        }
    }
}
