import CampaignCore

// The course of a life: period after period, the end, and coming back.

extension LifeStory {
    mutating func live() {
        subscribe()
        while !isOver, transactionCount < Limits.transactionsPerLife - 2 {
            if status == .active {
                livePeriod()
            } else if !comeBack() {
                return
            }
        }
    }

    private mutating func livePeriod() {
        if isFamilyShared {
            if happens(monthly: behaviour.revokedMonthly), let date = moment() { return revokeFamilyShare(at: date) }
        } else {
            meetIncident()
            // A refund of the current period has told the rest of it.
            guard status == .active, !isOver else { return }
            if !isCancelled { considerCancelling() }
        }
        endPeriod()
    }

    private mutating func endPeriod() {
        let end = expires
        if isCancelled { return expire("VOLUNTARY", .customerCancelled, at: end) }
        if renewalInfo.priceIncreaseStatus == 0 {
            return expire("PRICE_INCREASE", .customerDidNotConsentToPriceIncrease, at: end)
        }
        if chance.happens(behaviour.notForSale) { return expire("PRODUCT_NOT_FOR_SALE", .productNotAvailable, at: end) }
        if chance.happens(behaviour.endsForOtherReason) { return expire(nil, .other, at: end) }
        // Cards fail with time, not with the number of payments.
        let fails = SimulatedBehaviour.share(monthly: behaviour.failsToRenew, months: min(1, months))
        if !isFamilyShared, chance.happens(fails) { return failToRenew(at: end) }
        let early = end.adding(milliseconds: -chance.number(in: Instant.minute...24 * Instant.hour))
        if chance.happens(behaviour.renewsEarly), early > now {
            renew(at: end, signed: early)
            // Nothing else happens to the new period before it begins.
            now = max(now, min(end, simulation.ends))
        } else {
            pass(end, to: .expired)
            renew(at: end, signed: end.adding(milliseconds: chance.seconds(1...40)))
        }
    }

    /// The subscription has ended at `end`, as Apple tells seconds or, now and then, hours later.
    mutating func expire(_ subtype: String?, _ intent: ExpirationIntent, at end: Instant) {
        pass(end, to: status == .revoked ? .revoked : .expired)
        let delay = chance.happens(0.9) ? chance.seconds(3...90) : chance.seconds(90...7200)
        describeEnd(intent)
        sign("EXPIRED", subtype, at: end.adding(milliseconds: delay))
    }

    /// What the renewal info says once the subscription has ended.
    mutating func describeEnd(_ intent: ExpirationIntent) {
        renewalInfo.autoRenewStatus = .off
        renewalInfo.expirationIntent = intent
        renewalInfo.isInBillingRetryPeriod = false
        renewalInfo.gracePeriodExpiresDate = nil
        renewalInfo.renewalPrice = nil
        renewalInfo.currency = nil
        let winBack = simulation.products
            .filter { $0.subscriptionGroupIdentifier == product.subscriptionGroupIdentifier }
            .flatMap { $0.offers(.winBackOffer) }.compactMap(\.offerIdentifier)
        if intent == .customerCancelled, status == .expired, paidPeriods > 0, !winBack.isEmpty,
            chance.happens(behaviour.winBackListed)
        {
            renewalInfo.eligibleWinBackOfferIds = winBack
        }
    }

    // MARK: - Coming back

    /// Whether the customer buys again, some days after the end.
    private mutating func comeBack() -> Bool {
        let share =
            switch (status, renewalInfo.expirationIntent) {
            case (.revoked, _): behaviour.comesBackAfterRefund
            case (_, ExpirationIntent.billingError?): behaviour.comesBackAfterBillingError
            default: behaviour.comesBack
            }
        guard chance.happens(share) else { return false }
        // Soon for many, after months for some.
        let days = chance.happens(0.5) ? chance.number(in: 1...30) : chance.number(in: 31...300)
        let start = now.adding(milliseconds: days * Instant.day + chance.number(in: 0...Instant.day)).wholeSecond
        let others = simulation.products.filter {
            $0.subscriptionGroupIdentifier == product.subscriptionGroupIdentifier
                && (!isFamilyShared || $0.isFamilyShareable)
        }
        let chosen = chance.happens(0.8) ? product : chance.one(of: others) ?? product
        buy(chosen, at: start, with: isFamilyShared ? nil : returnOffer(on: chosen), reason: "PURCHASE")
        sign("SUBSCRIBED", "RESUBSCRIBE", at: start.adding(milliseconds: chance.seconds(2...20)))
        return !isOver
    }

    /// The offer that someone who comes back uses on `product`.
    private mutating func returnOffer(on product: SimulatedProduct) -> SimulatedOffer? {
        guard chance.happens(behaviour.comesBackWithOffer) else {
            // Lapsed customers who never used the introductory offer still have it.
            let mayTry = !hasUsedIntroductoryOffer && chance.happens(behaviour.introductoryOffer)
            return mayTry ? product.offers(.introductoryOffer).first : nil
        }
        let listed = renewalInfo.eligibleWinBackOfferIds ?? []
        let choices = product.offers.filter { offer in
            switch offer.offerType {
            case .winBackOffer: offer.offerIdentifier.map(listed.contains) == true
            case .promotionalOffer: true
            case .offerCode: offer.codeEligibility.contains(.expired)
            default: false
            }
        }
        return chance.one(of: choices)
    }

    // MARK: - Time and chance

    /// An instant in what is left of the current period, a minute from its ends; nil when nearly nothing is left.
    mutating func moment(from: Double = 0, to: Double = 1) -> Instant? {
        let begin = max(now, transaction.purchaseDate ?? now).adding(milliseconds: Instant.minute)
        let span = begin.milliseconds(until: expires) - Instant.minute
        guard span > Instant.minute else { return nil }
        let share = from + (to - from) * chance.share()
        return begin.adding(milliseconds: Int64(Double(span) * share)).wholeSecond
    }

    /// Draws for the current period what has a rate a month.
    mutating func happens(monthly rate: Double) -> Bool {
        chance.happens(SimulatedBehaviour.share(monthly: rate, months: months))
    }

    /// The length of the current period.
    var months: Double { (offer?.period ?? product.period).months }
}
