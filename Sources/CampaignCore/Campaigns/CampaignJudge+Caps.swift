extension CampaignJudge {
    /// A cap with how much of it is used.
    struct CapUse {
        let cap: FrequencyCap
        let count: Int
        /// When one more may be given; nil while one may be now.
        let freeDate: Instant?

        var isReached: Bool { count >= cap.atMost }
    }

    func caps(of campaign: Campaign) -> [CapUse] {
        campaign.limits.frequencyCaps.map { use(of: $0, in: campaign) }
    }

    private func use(of cap: FrequencyCap, in campaign: Campaign) -> CapUse {
        let given = facts.given.filter {
            $0.outcome != .failed && (cap.across == .allCampaigns || $0.campaign == campaign.name)
        }
        switch cap.per {
        case .rolling(let milliseconds):
            let begin = now.adding(milliseconds: -milliseconds)
            let counted = given.map(\.givenDate).filter { $0 > begin }.sorted(by: >)
            let oldest = counted.count >= cap.atMost ? counted[cap.atMost - 1] : nil
            return CapUse(cap: cap, count: counted.count, freeDate: oldest?.adding(milliseconds: milliseconds))
        case .calendarDay:
            let zone = facts.zone ?? campaign.limits.quietHours?.zone ?? .utc
            let today = zone.localTime(at: now).date
            // A day to come is one that a clock has told wrongly; what was given then was given.
            let dates = given.map { zone.localTime(at: $0.givenDate).date }.filter { $0 >= today }.sorted(by: >)
            let last = dates.count >= cap.atMost ? dates[cap.atMost - 1] : nil
            return CapUse(
                cap: cap, count: dates.count, freeDate: last.map { zone.instant(of: LocalTime($0.next)) })
        }
    }

    /// What stands against any offer to this customer, whichever rule names it.
    ///
    /// A failed card is no wish to leave, so billing trouble gets a reminder and never a discount (design, section 7).
    func refusalsOfAnyOffer() -> [Refusal] {
        switch status.state {
        case .billingRetry, .billingGracePeriod:
            return [.inBillingRetry(subscriptionGroupIdentifier: groupIdentifier ?? SubscriptionGroupIdentifier(""))]
        case .expired where status.expirationIntent == .billingError:
            return [.billingErrorNoDiscount]
        case .active, .expired, .revoked:
            return abuse()
        }
    }

    /// What looks like abuse: found in the last 365 days, each by its own bound.
    private func abuse() -> [Refusal] {
        let begin = now.adding(milliseconds: -Limits.abuseMilliseconds)
        let bounds = context.offerGuard
        var refusals: [Refusal] = []
        if let most = bounds.offersPerYear {
            let count = facts.given.count { $0.offerType != nil && $0.outcome != .failed && $0.givenDate > begin }
            if count >= most { refusals.append(.offersPerYearReached(atMost: most)) }
        }
        if let most = bounds.savesPerYear, status.state == .active, status.autoRenewStatus == .off,
            redeemedSaves(since: begin) >= most
        {
            refusals.append(.cancelledForDiscount(atMost: most))
        }
        if let most = bounds.accountsPerSubscription, accounts(since: begin) > most {
            refusals.append(.tooManyAccounts(atMost: most))
        }
        return refusals
    }

    private var ownTransactions: [TransactionFact] {
        facts.transactions.filter { $0.originalTransactionId == subscription.originalTransactionId }
    }

    /// Promotional offers that the subscription used; the later periods of one offer are no second one.
    private func redeemedSaves(since begin: Instant) -> Int {
        let periods = ownTransactions.sorted { $1.isLaterPeriod(than: $0) }
        var previous: OfferIdentifier?
        var count = 0
        for period in periods {
            let offer = period.offerType == .promotionalOffer ? period.offerIdentifier : nil
            if let offer, offer != previous, period.purchaseDate > begin { count += 1 }
            previous = offer
        }
        return count
    }

    private func accounts(since begin: Instant) -> Int {
        var tokens = Set(ownTransactions.filter { $0.purchaseDate > begin }.compactMap(\.appAccountToken))
        tokens.formUnion(facts.given.filter { $0.givenDate > begin }.compactMap(\.appAccountToken))
        if let token = facts.appAccountToken { tokens.insert(token) }
        return tokens.count
    }
}
