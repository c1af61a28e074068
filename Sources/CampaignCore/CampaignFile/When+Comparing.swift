extension When {
    typealias State = SubscriptionStatus.State

    /// The states in which every condition that depends on one can hold; none when the conditions exclude one another.
    var states: Set<State> {
        var states = status?.allowed(of: State.allCases) ?? Set(State.allCases)
        // In billing trouble the period is over, and an expired one has no time left.
        if untilExpires != nil { states.formIntersection([.active, .revoked]) }
        if sinceExpired != nil || needsIntent { states.formIntersection([.expired]) }
        return states
    }

    /// Whether an intent must be known, which only an expired subscription has.
    var needsIntent: Bool {
        if case .any? = expirationIntent { true } else { false }
    }

    /// Whether nobody whom this holds for may be given an offer: a failed card is no wish to leave.
    var isOfBillingTrouble: Bool {
        if !states.isEmpty, states.isSubset(of: [.billingRetry, .billingGracePeriod]) { return true }
        if case .any(let intents)? = expirationIntent { return intents == [.billingError] }
        return false
    }

    /// Whether some subscription fits both.
    func overlaps(_ other: When) -> Bool {
        !states.isDisjoint(with: other.states)
            && overlap(autoRenewStatus, other.autoRenewStatus) && overlap(expirationIntent, other.expirationIntent)
            && overlap(productId, other.productId) && overlap(offerType, other.offerType)
            && overlap(pendingChange, other.pendingChange) && overlap(untilExpires, other.untilExpires)
            && overlap(sinceExpired, other.sinceExpired)
    }

    /// Whether `wider` holds whenever this does.
    func isWithin(_ wider: When) -> Bool {
        states.isSubset(of: wider.states)
            && CampaignCore.isWithin(autoRenewStatus, wider.autoRenewStatus)
            && CampaignCore.isWithin(expirationIntent, wider.expirationIntent)
            && CampaignCore.isWithin(productId, wider.productId) && CampaignCore.isWithin(offerType, wider.offerType)
            && CampaignCore.isWithin(pendingChange, wider.pendingChange)
            && CampaignCore.isWithin(untilExpires, wider.untilExpires)
            && CampaignCore.isWithin(sinceExpired, wider.sinceExpired)
    }
}
