import FoundationEssentials

extension CampaignJudge {
    /// A cap with how much of it is used.
    struct CapUse {
        let cap: FrequencyCap
        let count: Int
        /// When one more may be given; nil while one may be now.
        let freeDate: Instant?

        var isReached: Bool { count >= cap.atMost }
    }

    func caps(of prepared: PreparedCampaign) -> [CapUse] {
        prepared.campaign.limits.frequencyCaps.map { use(of: $0, in: prepared) }
    }

    func use(of cap: FrequencyCap, in prepared: PreparedCampaign) -> CapUse {
        switch cap.per {
        case .rolling(let milliseconds):
            let begin = now.adding(milliseconds: -milliseconds)
            return use(of: cap, in: prepared, after: begin) { _ in
                true
            } free: {
                $0.adding(milliseconds: milliseconds)
            }
        case .calendarDay:
            // No day is longer than this, so only what was given since is looked up in the calendar.
            let begin = now.adding(milliseconds: -Limits.longestDayMilliseconds)
            func day(of instant: Instant) -> CalendarDate { zone(of: prepared).localTime(at: instant).date }
            // A day to come is one that a clock has told wrongly; what was given then was given.
            return use(of: cap, in: prepared, after: begin) {
                day(of: $0) >= day(of: now)
            } free: {
                zone(of: prepared).instant(of: LocalTime(day(of: $0).next))
            }
        }
    }

    /// Whose calendar the customer's days are of.
    private func zone(of prepared: PreparedCampaign) -> TimeZoneRules {
        facts.zone ?? prepared.campaign.limits.quietHours?.zone ?? .utc
    }

    /// - Parameter free: from when on what was given at an instant counts no more.
    private func use(
        of cap: FrequencyCap, in prepared: PreparedCampaign, after begin: Instant, counts: (Instant) -> Bool,
        free: (Instant) -> Instant
    ) -> CapUse {
        guard let newestGivenDate, newestGivenDate > begin else { return CapUse(cap: cap, count: 0, freeDate: nil) }
        var count = 0
        // By place: to take an offer out of the list costs more than to look at its date.
        for index in facts.given.indices where facts.given[index].givenDate > begin {
            if isCounted(facts.given[index], by: cap, in: prepared), counts(facts.given[index].givenDate) { count += 1 }
        }
        guard count >= cap.atMost else { return CapUse(cap: cap, count: count, freeDate: nil) }
        let dates = facts.given.filter {
            $0.givenDate > begin && isCounted($0, by: cap, in: prepared) && counts($0.givenDate)
        }.map(\.givenDate).sorted(by: >)
        return CapUse(cap: cap, count: count, freeDate: free(dates[cap.atMost - 1]))
    }

    private func isCounted(_ given: GivenOffer, by cap: FrequencyCap, in prepared: PreparedCampaign) -> Bool {
        given.outcome != .failed && (cap.across == .allCampaigns || given.campaign == prepared.campaign.name)
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
        facts.transactions.filter { $0.originalTransactionId == facts.subscription.originalTransactionId }
    }

    /// Promotional offers that the subscription used; the later periods of one offer are no second one.
    private func redeemedSaves(since begin: Instant) -> Int {
        guard facts.transactions.contains(where: { $0.offerType == .promotionalOffer && $0.purchaseDate > begin })
        else {
            return 0
        }
        let periods = ownTransactions.sorted { $1.isLaterPeriod(than: $0) }
        var previous: OfferIdentifier?
        var count = 0
        for period in periods {
            let offer = period.offerType == .promotionalOffer ? period.offerIdentifier : nil
            if let offer, offer != previous, period.purchaseDate > begin { count += 1 }
            previous = period.offerIdentifier
        }
        return count
    }

    private func accounts(since begin: Instant) -> Int {
        var tokens: Set<UUID> = []
        if let token = facts.appAccountToken { tokens.insert(token) }
        for transaction in facts.transactions where transaction.purchaseDate > begin {
            guard let token = transaction.appAccountToken,
                transaction.originalTransactionId == facts.subscription.originalTransactionId
            else { continue }
            tokens.insert(token)
        }
        for given in facts.given where given.givenDate > begin {
            if let token = given.appAccountToken { tokens.insert(token) }
        }
        return tokens.count
    }
}
