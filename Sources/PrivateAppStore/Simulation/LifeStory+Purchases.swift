import CampaignCore

// What is bought, and how a period follows another.

extension LifeStory {
    /// The first purchase, of which Apple tells some seconds later.
    mutating func subscribe() {
        let start = now
        if !isFamilyShared, chance.happens(behaviour.appAccountToken) { transaction.appAccountToken = chance.uuid() }
        let storefront = chance.one(of: Self.storefronts) ?? Self.storefronts[0]
        transaction.storefront = storefront.code
        transaction.storefrontId = storefront.id
        transaction.originalPurchaseDate = start
        let codes = product.offers(.offerCode).filter { $0.codeEligibility.contains(.new) }
        var first: SimulatedOffer?
        if !isFamilyShared {
            if chance.happens(behaviour.offerCode) { first = chance.one(of: codes) }
            if first == nil, chance.happens(behaviour.introductoryOffer) {
                first = product.offers(.introductoryOffer).first
            }
        }
        buy(product, at: start, with: first, reason: "PURCHASE")
        sign("SUBSCRIBED", "INITIAL_BUY", at: start.adding(milliseconds: chance.seconds(2...20)))
    }

    /// Begins a period of `product` at `start` that is not counted on from the periods before it.
    mutating func buy(
        _ product: SimulatedProduct, at start: Instant, with offer: SimulatedOffer?, reason: String
    ) {
        billingStart = start
        periodsBilled = 0
        beginPeriod(of: product, at: start, with: offer, left: (offer?.numberOfPeriods ?? 1) - 1, reason: reason)
        if reason == "PURCHASE", offer?.offerType == .introductoryOffer { hasUsedIntroductoryOffer = true }
    }

    /// Renews at `start`, the end of the period before unless that was long ago, as signed at `date`.
    mutating func renew(at start: Instant, signed date: Instant, _ subtype: String? = nil) {
        if start != expires || nextProduct.period != product.period
            || offer.map({ $0.period != product.period }) == true
        {
            billingStart = start
            periodsBilled = 0
        }
        if let redeemed {
            beginPeriod(
                of: nextProduct, at: start, with: redeemed, left: redeemed.numberOfPeriods - 1, reason: "RENEWAL")
        } else if offerPeriodsLeft > 0, nextProduct.productId == product.productId {
            beginPeriod(of: nextProduct, at: start, with: offer, left: offerPeriodsLeft - 1, reason: "RENEWAL")
        } else {
            beginPeriod(of: nextProduct, at: start, with: nil, left: 0, reason: "RENEWAL")
        }
        sign("DID_RENEW", subtype, at: date)
    }

    private mutating func beginPeriod(
        of product: SimulatedProduct, at start: Instant, with offer: SimulatedOffer?, left: Int, reason: String
    ) {
        if transaction.transactionId != nil {
            earlier.append(transaction)
            if earlier.count > Limits.refundablePeriods { earlier.removeFirst() }
        }
        self.product = product
        nextProduct = product
        self.offer = offer
        offerPeriodsLeft = left
        redeemed = nil
        status = .active
        cancelledDate = nil
        if offer?.price != 0 { paidPeriods += 1 }
        periodsBilled += 1
        let end: Instant
        if let offer, offer.period != product.period {
            end = start.adding(offer.period, times: 1)
        } else {
            end = billingStart.adding(product.period, times: periodsBilled)
        }
        describePurchase(start, end, reason)
        describeRenewal()
    }

    private mutating func describePurchase(_ start: Instant, _ end: Instant, _ reason: String) {
        transaction.transactionId = nextTransactionId()
        transaction.originalTransactionId = originalTransactionId
        transaction.webOrderLineItemId =
            "\(2_000_000_100_000_000 + Limits.transactionsPerLife * index + transactionCount)"
        transaction.bundleId = simulation.bundleId
        transaction.productId = product.productId
        transaction.subscriptionGroupIdentifier = product.subscriptionGroupIdentifier
        transaction.purchaseDate = start
        transaction.expiresDate = end
        transaction.quantity = 1
        transaction.type = .autoRenewableSubscription
        transaction.inAppOwnershipType = isFamilyShared ? .familyShared : .purchased
        transaction.environment = simulation.environment
        transaction.transactionReason = reason
        transaction.currency = product.currency
        transaction.price = offer?.price ?? price(of: product)
        transaction.appTransactionId = AppTransactionID("\(704_000_000_000_000_000 + index)")
        transaction.offerType = offer?.offerType
        transaction.offerIdentifier = offer?.offerIdentifier
        transaction.offerDiscountType = offer?.offerDiscountType
        transaction.offerPeriod = offer?.period.description
        transaction.isUpgraded = nil
        transaction.revocationDate = nil
        transaction.revocationReason = nil
        transaction.revocationType = nil
        transaction.revocationPercentage = nil
    }

    private mutating func describeRenewal() {
        let streakStart = renewalInfo.recentSubscriptionStartDate
        let previousEnd = earlier.last?.expiresDate
        renewalInfo = JWSRenewalInfoDecodedPayload()
        renewalInfo.originalTransactionId = originalTransactionId
        renewalInfo.productId = product.productId
        renewalInfo.autoRenewProductId = product.productId
        renewalInfo.autoRenewStatus = .on
        renewalInfo.renewalDate = expires
        renewalInfo.environment = simulation.environment
        renewalInfo.appAccountToken = transaction.appAccountToken
        renewalInfo.appTransactionId = transaction.appTransactionId
        // Apple counts on over gaps of at most 60 days.
        let start = transaction.purchaseDate ?? now
        let isGap = previousEnd.map { $0.adding(days: Self.retryDays) < start } ?? true
        renewalInfo.recentSubscriptionStartDate = isGap ? start : streakStart ?? start
        describeNextPrice()
    }

    /// What the next renewal costs, and the offer it has.
    mutating func describeNextPrice() {
        let next = redeemed ?? (offerPeriodsLeft > 0 && nextProduct.productId == product.productId ? offer : nil)
        renewalInfo.autoRenewProductId = nextProduct.productId
        renewalInfo.offerType = next?.offerType
        renewalInfo.offerIdentifier = next?.offerIdentifier
        renewalInfo.offerDiscountType = next?.offerDiscountType
        renewalInfo.offerPeriod = next?.period.description
        renewalInfo.renewalPrice = next?.price ?? price(of: nextProduct)
        renewalInfo.currency = nextProduct.currency
    }

    private func price(of product: SimulatedProduct) -> Int64 { product.price * pricePercent / 100 }

    /// The App Store tries a payment for so long, and so long may a gap be in a streak.
    static let retryDays = 60

    private static let storefronts = [
        (code: "USA", id: "143441"), (code: "DEU", id: "143443"), (code: "GBR", id: "143444"),
        (code: "JPN", id: "143462"), (code: "AUS", id: "143460"),
    ]
}
