import CampaignCore

// What happens within a period now and then.

extension LifeStory {
    /// At most one of these in a period; most periods have none.
    mutating func meetIncident() {
        let rate = behaviour
        let incidents: [(Double, (inout LifeStory, Instant) -> Void)] = [
            (rate.refundsMonthly, { $0.refundCurrent(at: $1) }),
            (rate.refundsEarlierMonthly, { $0.refundEarlier(at: $1) }),
            (rate.refundsDeclinedMonthly, { $0.declineRefund(at: $1) }),
            (rate.upgradesMonthly, { $0.upgrade(at: $1) }),
            (rate.downgradesMonthly, { $0.changePlanLater(at: $1) }),
            (rate.redeemsOfferMonthly, { $0.redeemOffer(at: $1) }),
            (rate.priceIncreaseMonthly, { $0.raisePrice(at: $1) }),
            (rate.extendedMonthly, { $0.extend(at: $1) }),
            (rate.extensionFailsMonthly, { $0.sign("RENEWAL_EXTENSION", "FAILURE", at: $1) }),
            (rate.odditiesMonthly, { $0.meetOddity(at: $1) }),
        ]
        // The chances of a long period add up to one at most, and keep their proportions.
        let shares = incidents.map { SimulatedBehaviour.share(monthly: min(1, $0.0), months: months) }
        var left = chance.share() * max(1, shares.reduce(0, +))
        for (share, incident) in zip(shares, incidents) {
            left -= share
            guard left < 0 else { continue }
            if let date = moment() { incident.1(&self, date) }
            return
        }
    }

    // MARK: - Money back

    private mutating func refundCurrent(at date: Instant) {
        guard !isFree else { return }
        if chance.happens(behaviour.consumptionRequest) { askAboutConsumption(of: nil, at: date) }
        let refunded = now.adding(milliseconds: chance.number(in: Instant.minute...2 * Instant.day))
        guard max(refunded, date) < expires.adding(milliseconds: -Instant.hour) else { return }
        // Apple turns auto-renew off with a refund, with or without a word of its own.
        if chance.happens(behaviour.refundTurnsOffSilently) {
            renewalInfo.autoRenewStatus = .off
            renewalInfo.renewalPrice = nil
            renewalInfo.currency = nil
        } else {
            turnOff(at: max(refunded, date))
        }
        let signedDate = max(refunded, date, now.adding(milliseconds: 1))
        if cancelledDate == nil { cancelledDate = signedDate }
        let isProrated = chance.happens(behaviour.proratedRefund)
        transaction.revocationDate = signedDate.wholeSecond
        transaction.revocationReason = chance.happens(0.2) ? 1 : 0
        transaction.revocationType = isProrated ? "REFUND_PRORATED" : "REFUND_FULL"
        transaction.revocationPercentage = isProrated ? 45_000 : 100_000
        if isProrated, chance.happens(0.5) { return keepAccessAfterRefund(signedDate) }
        status = .revoked
        sign("REFUND", at: signedDate)
        liveOnAfterRefund()
    }

    /// A refund of the rest alone may leave the customer what was used; Apple says so by the status that it reports.
    private mutating func keepAccessAfterRefund(_ date: Instant) {
        sign("REFUND", at: date)
        // Apple's pages do not tell what follows, so nothing more is said of this period.
        pass(expires, to: .expired)
    }

    private mutating func liveOnAfterRefund() {
        let end = expires
        guard chance.happens(behaviour.refundReversed) else {
            if chance.happens(0.3) { expire("VOLUNTARY", .customerCancelled, at: end) }
            return
        }
        let reversed = now.adding(milliseconds: chance.number(in: 2 * Instant.day...40 * Instant.day))
        if reversed >= end { expire("VOLUNTARY", .customerCancelled, at: end) }
        guard !isOver else { return }
        transaction.revocationDate = nil
        transaction.revocationReason = nil
        transaction.revocationType = nil
        transaction.revocationPercentage = nil
        status = reversed >= end ? .expired : .active
        sign("REFUND_REVERSED", at: reversed)
    }

    private mutating func refundEarlier(at date: Instant) {
        let choices = earlier.indices.filter { earlier[$0].revocationDate == nil && earlier[$0].price != 0 }
        guard let index = chance.one(of: choices) else { return }
        if chance.happens(behaviour.consumptionRequest) { askAboutConsumption(of: earlier[index], at: date) }
        let signedDate = max(date, now.adding(milliseconds: Instant.minute))
        guard signedDate < expires else { return }
        earlier[index].revocationDate = signedDate
        earlier[index].revocationReason = 0
        earlier[index].revocationType = "REFUND_FULL"
        earlier[index].revocationPercentage = 100_000
        sign("REFUND", at: signedDate, about: earlier[index])
    }

    private mutating func declineRefund(at date: Instant) {
        askAboutConsumption(of: nil, at: date)
        guard let later = moment(to: 0.5) else { return }
        sign("REFUND_DECLINED", at: later)
    }

    private mutating func askAboutConsumption(of other: JWSTransactionDecodedPayload?, at date: Instant) {
        let reasons = ["UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER"]
        let reason = chance.one(of: reasons)
        sign("CONSUMPTION_REQUEST", at: date, about: other) { $0.consumptionRequestReason = reason }
    }

    /// The buyer leaves the family or stops sharing.
    mutating func revokeFamilyShare(at date: Instant) {
        transaction.revocationDate = date
        transaction.revocationReason = 0
        transaction.revocationType = "FAMILY_REVOKE"
        status = .revoked
        sign("REVOKE", at: date.adding(milliseconds: chance.seconds(1...30)))
    }

    // MARK: - Plans and offers

    private var sameGroup: [SimulatedProduct] {
        simulation.products.filter {
            $0.subscriptionGroupIdentifier == product.subscriptionGroupIdentifier && $0.productId != product.productId
        }
    }

    /// Products to which a change waits for the next renewal: of a lower level, or of the same with another period.
    var waitingProducts: [SimulatedProduct] {
        sameGroup.filter { $0.level > product.level || $0.level == product.level && $0.period != product.period }
    }

    /// To a higher level, or to the same one with the same period, at once.
    private mutating func upgrade(at date: Instant) {
        let higher = sameGroup.filter {
            $0.level < product.level || $0.level == product.level && $0.period == product.period
        }
        guard let target = chance.one(of: higher) else { return }
        let wantsOffer = chance.happens(behaviour.planChangeWithOffer)
        let used = wantsOffer ? chance.one(of: target.offers(.promotionalOffer)) : nil
        transaction.isUpgraded = true
        buy(target, at: date, with: used, reason: "PURCHASE")
        sign(
            used == nil ? "DID_CHANGE_RENEWAL_PREF" : "OFFER_REDEEMED", "UPGRADE",
            at: date.adding(milliseconds: chance.seconds(2...20)))
    }

    private mutating func changePlanLater(at date: Instant) {
        guard let target = chance.one(of: waitingProducts) else { return }
        let wantsOffer = chance.happens(behaviour.planChangeWithOffer)
        let used = wantsOffer ? chance.one(of: target.offers(.promotionalOffer)) : nil
        nextProduct = target
        redeemed = used
        describeNextPrice()
        sign(used == nil ? "DID_CHANGE_RENEWAL_PREF" : "OFFER_REDEEMED", "DOWNGRADE", at: date)
        guard chance.happens(behaviour.planChangeUndone), let later = moment() else { return }
        nextProduct = product
        redeemed = nil
        describeNextPrice()
        sign("DID_CHANGE_RENEWAL_PREF", at: later)
    }

    private mutating func redeemOffer(at date: Instant) {
        let choices = product.offers.filter {
            $0.offerType == .promotionalOffer || $0.codeEligibility.contains(.existing)
        }
        guard let offer = chance.one(of: choices) else { return }
        redeemed = offer
        describeNextPrice()
        sign("OFFER_REDEEMED", at: date)
    }

    // MARK: - What Apple or the developer does

    private mutating func raisePrice(at date: Instant) {
        guard pricePercent == 100 else { return }
        pricePercent = 120
        describeNextPrice()
        if chance.happens(behaviour.priceIncreaseWithoutConsent) {
            renewalInfo.priceIncreaseStatus = 1
            return sign("PRICE_INCREASE", "ACCEPTED", at: date)
        }
        renewalInfo.priceIncreaseStatus = 0
        sign("PRICE_INCREASE", "PENDING", at: date)
        guard let later = moment() else { return }
        if chance.happens(behaviour.consentsToPriceIncrease) {
            renewalInfo.priceIncreaseStatus = 1
            sign("PRICE_INCREASE", "ACCEPTED", at: later)
        } else if chance.happens(behaviour.cancelsAfterPriceIncrease) {
            turnOff(at: later)
        }
    }

    private mutating func extend(at date: Instant) {
        guard !isFree else { return }
        let end = expires.adding(days: Int(chance.number(in: 3...30)))
        transaction.expiresDate = end
        renewalInfo.renewalDate = end
        billingStart = end
        periodsBilled = 0
        sign("RENEWAL_EXTENDED", at: date)
    }

    /// A type that nobody knows yet, a test that somebody asked for, or the end of a mass extension.
    private mutating func meetOddity(at date: Instant) {
        switch chance.number(in: 0...2) {
        case 0: sign("SUBSCRIPTION_GREETED", "WARMLY", at: date)
        case 1: signAlone("TEST", at: date, summary: nil)
        default:
            var summary = NotificationSummary()
            summary.environment = simulation.environment
            summary.appAppleId = simulation.appAppleId
            summary.bundleId = simulation.bundleId
            summary.productId = product.productId
            summary.requestIdentifier = identifiers.uuid().lowercaseString
            summary.storefrontCountryCodes = ["USA", "DEU"]
            summary.succeededCount = 5
            summary.failedCount = 2
            signAlone("RENEWAL_EXTENSION", "SUMMARY", at: date, summary: summary)
        }
    }
}
