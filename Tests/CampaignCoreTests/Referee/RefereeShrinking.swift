import CampaignCore

extension RefereeCase {
    /// The smallest case found by leaving out one thing after another as long as `fails` holds.
    func shrunk(while fails: (RefereeCase) -> Bool) -> RefereeCase {
        var smallest = self
        while let smaller = smallest.simpler.first(where: fails) { smallest = smaller }
        return smallest
    }

    /// Every case with one thing less.
    private var simpler: [RefereeCase] {
        var cases: [RefereeCase] = []
        func add(_ change: (inout RefereeCase) -> Void) {
            var changed = self
            change(&changed)
            if changed != self { cases.append(changed) }
        }
        for index in campaigns.indices {
            if campaigns.count > 1 { add { $0.campaigns.remove(at: index) } }
            addCampaign(index, add)
        }
        for index in facts.given.indices { add { $0.facts.given.remove(at: index) } }
        for index in facts.transactions.indices { add { $0.facts.transactions.remove(at: index) } }
        for index in facts.subscriptions.indices
        where facts.subscriptions[index].originalTransactionId != facts.subscription.originalTransactionId {
            add { $0.facts.subscriptions.remove(at: index) }
        }
        for key in facts.arms.keys.sorted() { add { $0.facts.arms[key] = nil } }
        for key in facts.redemptions.keys.sorted() { add { $0.facts.redemptions[key] = nil } }
        add { $0.facts.exhaustedCodes = [] }
        add { $0.facts.appAccountToken = nil }
        add { $0.facts.zone = nil }
        add { $0.only = nil }
        add { $0.winBackRules = [:] }
        add { $0.isWinBackListKnown = false }
        add { $0.offerGuard.offersPerYear = nil }
        add { $0.offerGuard.savesPerYear = nil }
        add { $0.offerGuard.accountsPerSubscription = nil }
        addSubscription(add)
        return cases
    }

    private func addCampaign(_ index: Int, _ add: ((inout RefereeCase) -> Void) -> Void) {
        let campaign = campaigns[index]
        add { $0.campaigns[index].holdout = nil }
        add { $0.campaigns[index].variants = [] }
        add { $0.campaigns[index].starts = nil }
        add { $0.campaigns[index].ends = nil }
        add { $0.campaigns[index].priority = 0 }
        add { $0.campaigns[index].testCustomers = [] }
        add { $0.campaigns[index].limits.quietHours = nil }
        add { $0.campaigns[index].limits.redemptionsAtMost = nil }
        add { $0.campaigns[index].audience.productId = nil }
        add { $0.campaigns[index].audience.subscriptionGroupIdentifier = nil }
        add { $0.campaigns[index].audience.inAppOwnershipType = nil }
        add { $0.campaigns[index].audience.storefront = nil }
        for cap in campaign.limits.frequencyCaps.indices {
            add { $0.campaigns[index].limits.frequencyCaps.remove(at: cap) }
        }
        for place in campaign.rules.indices {
            if campaign.rules.count > 1 { add { $0.campaigns[index].rules.remove(at: place) } }
            let rule = campaign.rules[place]
            for offer in rule.offers.indices {
                if rule.offers.count > 1 { add { $0.campaigns[index].rules[place].offers.remove(at: offer) } }
                add { $0.campaigns[index].rules[place].offers[offer].variant = nil }
            }
            add { $0.campaigns[index].rules[place].when.status = nil }
            add { $0.campaigns[index].rules[place].when.autoRenewStatus = nil }
            add { $0.campaigns[index].rules[place].when.expirationIntent = nil }
            add { $0.campaigns[index].rules[place].when.productId = nil }
            add { $0.campaigns[index].rules[place].when.offerType = nil }
            add { $0.campaigns[index].rules[place].when.pendingChange = nil }
            add { $0.campaigns[index].rules[place].when.untilExpires = nil }
            add { $0.campaigns[index].rules[place].when.sinceExpired = nil }
            if !rule.offers.isEmpty { add { $0.campaigns[index].rules[place].message = nil } }
            if !rule.offers.isEmpty { add { $0.campaigns[index].rules[place].retentionMessage = nil } }
        }
    }

    private func addSubscription(_ add: ((inout RefereeCase) -> Void) -> Void) {
        add { $0.changeSubscription { $0.autoRenewProductId = nil } }
        add { $0.changeSubscription { $0.planChange = nil } }
        add { $0.changeSubscription { $0.expirationIntent = nil } }
        add { $0.changeSubscription { $0.isInBillingRetryPeriod = nil } }
        add { $0.changeSubscription { $0.gracePeriodExpiresDate = nil } }
        add { $0.changeSubscription { $0.revocationDate = nil } }
        add { $0.changeSubscription { $0.offerType = nil } }
        add { $0.changeSubscription { $0.eligibleWinBackOfferIds = [] } }
        add { $0.changeSubscription { $0.appAccountToken = nil } }
        add { $0.changeSubscription { $0.storefront = nil } }
        add { $0.changeSubscription { $0.inAppOwnershipType = nil } }
    }

    private mutating func changeSubscription(_ change: (inout Subscription) -> Void) {
        change(&facts.subscription)
        let index = facts.subscriptions.firstIndex {
            $0.originalTransactionId == facts.subscription.originalTransactionId
        }
        if let index { facts.subscriptions[index] = facts.subscription }
    }
}
