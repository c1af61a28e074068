import CampaignCore

// Leaving by one's own will, and by a card that fails.

extension LifeStory {
    /// Turns auto-renew off in this period or not, and perhaps on again.
    mutating func considerCancelling() {
        let leaves = isFree ? chance.happens(behaviour.cancelsFreePeriod) : happens(monthly: behaviour.cancelsMonthly)
        guard leaves else { return }
        // Many leave soon after they paid, and many when the end comes near.
        let near = chance.happens(0.4)
        guard let date = near ? moment(from: 0.8) : moment() else { return }
        turnOff(at: date)
        guard chance.happens(behaviour.changesMind), let later = moment() else { return }
        turnOnAgain(at: later)
        guard chance.happens(behaviour.cancelsAgain), !isCancelled, let again = moment() else { return }
        turnOff(at: again)
    }

    mutating func turnOff(at date: Instant) {
        renewalInfo.autoRenewStatus = .off
        renewalInfo.renewalPrice = nil
        renewalInfo.currency = nil
        let signedDate = max(date, now.adding(milliseconds: 1))
        cancelledDate = signedDate
        sign("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", at: signedDate)
    }

    /// By the switch itself, by a change of plan or by an offer.
    private mutating func turnOnAgain(at date: Instant) {
        renewalInfo.autoRenewStatus = .on
        cancelledDate = nil
        let promotional = product.offers(.promotionalOffer)
        let lower = waitingProducts
        if chance.happens(behaviour.changesMindBySomethingElse), !(promotional.isEmpty && lower.isEmpty) {
            if let other = chance.one(of: lower), promotional.isEmpty || chance.happens(0.5) {
                nextProduct = other
                describeNextPrice()
                return sign("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", at: date)
            }
            redeemed = chance.one(of: promotional)
            describeNextPrice()
            return sign("OFFER_REDEEMED", at: date)
        }
        describeNextPrice()
        sign("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", at: date)
    }

    // MARK: - Billing

    /// The payment for the period after `due` fails.
    mutating func failToRenew(at due: Instant) {
        let graceEnd = graceEnd(after: due)
        renewalInfo.isInBillingRetryPeriod = true
        renewalInfo.gracePeriodExpiresDate = graceEnd
        let trouble = graceEnd == nil ? SubscriptionStatus.State.billingRetry : .billingGracePeriod
        let subtype = graceEnd == nil ? nil : "GRACE_PERIOD"
        let early = due.adding(milliseconds: -chance.number(in: Instant.minute...6 * Instant.hour))
        if chance.happens(behaviour.failsEarly), early > now {
            sign("DID_FAIL_TO_RENEW", subtype, at: early)
            pass(due, to: trouble)
        } else {
            // Until Apple says why, the period has just ended.
            let known = (renewalInfo.isInBillingRetryPeriod, renewalInfo.gracePeriodExpiresDate)
            (renewalInfo.isInBillingRetryPeriod, renewalInfo.gracePeriodExpiresDate) = (nil, nil)
            pass(due, to: .expired)
            (renewalInfo.isInBillingRetryPeriod, renewalInfo.gracePeriodExpiresDate) = known
            status = trouble
            sign("DID_FAIL_TO_RENEW", subtype, at: due.adding(milliseconds: chance.seconds(2...90)))
        }
        if let graceEnd {
            if chance.happens(behaviour.recoversInGrace) {
                // The billing date is kept.
                return renew(at: due, signed: between(now, graceEnd), "BILLING_RECOVERY")
            }
            if chance.happens(behaviour.cancelsInRetry) { return leaveInTrouble(at: between(now, graceEnd)) }
            pass(graceEnd, to: .billingRetry)
            renewalInfo.gracePeriodExpiresDate = nil
            sign("GRACE_PERIOD_EXPIRED", at: graceEnd.adding(milliseconds: chance.seconds(1...120)))
        }
        retry(since: due)
    }

    private mutating func retry(since due: Instant) {
        let retryEnd = due.adding(days: Self.retryDays)
        if chance.happens(behaviour.recoversInRetry) {
            // The billing date is that of the payment.
            let paid = between(now, retryEnd)
            return renew(at: paid, signed: paid.adding(milliseconds: chance.seconds(2...30)), "BILLING_RECOVERY")
        }
        if chance.happens(behaviour.cancelsInRetry) { return leaveInTrouble(at: between(now, retryEnd)) }
        status = .expired
        describeEnd(.billingError)
        // Apple's pages do not tell what the switch says then; both are met.
        renewalInfo.autoRenewStatus = chance.happens(0.5) ? .on : .off
        sign("EXPIRED", "BILLING_RETRY", at: retryEnd)
    }

    /// Turning auto-renew off ends a subscription in billing trouble at once.
    private mutating func leaveInTrouble(at date: Instant) {
        status = .expired
        describeEnd(.customerCancelled)
        sign("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", at: date)
        sign("EXPIRED", "VOLUNTARY", at: date.adding(milliseconds: chance.seconds(1...5)))
    }

    /// Nil when there is no grace period for this customer.
    private func graceEnd(after due: Instant) -> Instant? {
        guard behaviour.gracePeriodDays > 0, behaviour.graceAfterFreePeriod || !isFree else { return nil }
        // A weekly subscription has three days, or six where others have more.
        let isWeekly = product.period.unit == .week && product.period.value == 1
        return due.adding(days: isWeekly ? min(behaviour.gracePeriodDays, 6) : behaviour.gracePeriodDays)
    }

    private mutating func between(_ first: Instant, _ last: Instant) -> Instant {
        let span = first.milliseconds(until: last)
        return first.adding(
            milliseconds: chance.number(in: Instant.second...max(Instant.second, span - Instant.minute))
        )
        .wholeSecond
    }
}
