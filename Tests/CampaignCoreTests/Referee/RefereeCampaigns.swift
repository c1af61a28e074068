import CampaignCore

/// Makes campaigns of which most run and most rules hold now and then, so that the deep rules are reached too.
struct RefereeCampaigns {
    var draws: RefereeDraws
    let zones: [TimeZoneRules]

    /// Shortly before a night in which Berlin's clocks go back.
    static let base = Instant(millisecondsSince1970: 1_792_890_000_000)
    static let bundleId: BundleID = "com.example.reader"
    static let names: [CampaignName] = ["alpha", "beta", "gamma", "delta"]
    static let tokens = ["0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e", "7e3f0000-0000-4000-8000-000000000001"]
    static let spans: [Int64] = [hour, day, 2 * day, 14 * day, 30 * day]

    mutating func campaigns(environment: AppStoreEnvironment) -> [Campaign] {
        var campaigns: [Campaign] = []
        let count = draws.pick([1, 1, 2, 2, 3, 4])
        for name in Self.names.prefix(count) { campaigns.append(campaign(name, environment)) }
        if draws.chance(50) { campaigns.reverse() }
        return campaigns
    }

    private mutating func campaign(_ name: CampaignName, _ environment: AppStoreEnvironment) -> Campaign {
        var variants: [Variant] = []
        if draws.chance(40) {
            variants = [Variant(name: "half", weight: 1), Variant(name: "third", weight: draws.pick([1, 1, 3]))]
        }
        var campaign = Campaign(
            name: name, priority: draws.below(3),
            status: draws.chance(90) ? .active : draws.pick(Campaign.Status.allCases),
            starts: draws.chance(15) ? near() : nil, ends: draws.chance(15) ? near() : nil,
            audience: audience(draws.chance(97) ? environment : .sandbox), variants: variants, rules: [],
            digest: [UInt8(draws.below(256))])
        if draws.chance(30) {
            campaign.holdout = Holdout(
                percent: draws.pick([0, 10, 50, 50, 100]), salt: draws.pick([name.rawValue, "2027q1"]),
                isGlobal: draws.chance(50))
        }
        if campaign.status == .draft || draws.chance(5) {
            campaign.testCustomers = Set(draws.some(of: Self.tokens + ["2000000001"], percent: 50))
        }
        campaign.limits = limits()
        let count = draws.pick([1, 2, 2, 3])
        for rule: RuleName in ["first", "second", "third"].prefix(count) {
            campaign.rules.append(self.rule(rule, variants))
        }
        return campaign
    }

    private mutating func near() -> Instant {
        Self.base.adding(milliseconds: Int64(draws.below(120) - 60) * day)
    }

    private mutating func oneOf<Value>(_ values: [Value]) -> OneOf<Value> {
        let some = Set(draws.some(of: values, percent: 60))
        return draws.chance(70) ? .any(some.isEmpty ? Set(values) : some) : .not([draws.pick(values)])
    }

    private mutating func audience(_ environment: AppStoreEnvironment) -> Audience {
        var audience = Audience(
            bundleId: draws.chance(97) ? Self.bundleId : "com.example.other", environment: environment)
        if draws.chance(12) { audience.productId = oneOf(["top", "middle", "low"]) }
        if draws.chance(8) { audience.subscriptionGroupIdentifier = oneOf(["g1", "g2"]) }
        if draws.chance(8) { audience.inAppOwnershipType = oneOf([.purchased, .familyShared]) }
        if draws.chance(8) { audience.storefront = oneOf(["DEU", "CHN", "USA"]) }
        return audience
    }

    private mutating func limits() -> Campaign.Limits {
        var limits = Campaign.Limits()
        for _ in 0..<draws.pick([0, 0, 0, 1, 2]) {
            limits.frequencyCaps.append(
                FrequencyCap(
                    atMost: draws.pick([1, 1, 2, 3]),
                    per: draws.chance(35) ? .calendarDay : .rolling(milliseconds: draws.pick(Self.spans)),
                    across: draws.pick(FrequencyCap.Scope.allCases)))
        }
        if draws.chance(30) {
            limits.quietHours = QuietHours(
                fromMinuteOfDay: 1260, toMinuteOfDay: 540, usesSubscriberZone: draws.chance(50), zone: draws.pick(zones)
            )
        }
        if draws.chance(15) { limits.redemptionsAtMost = 5 }
        return limits
    }

    private mutating func rule(_ name: RuleName, _ variants: [Variant]) -> Rule {
        var rule = Rule(name: name, when: when(), via: Set(draws.some(of: Rule.Via.allCases, percent: 75)))
        if rule.via.isEmpty { rule.via = [.app] }
        for _ in 0..<draws.pick([0, 1, 1, 2, 3, 4]) { rule.offers.append(offer(variants)) }
        if rule.offers.isEmpty || draws.chance(20) { rule.message = "stay" }
        if rule.via.contains(.retentionMessage), draws.chance(50) {
            rule.retentionMessage = "stay-half-price"
            if rule.offers.isEmpty, draws.chance(50) {
                rule.message = nil
                rule.via = [.retentionMessage]
            }
        }
        return rule
    }

    private mutating func when() -> When {
        var when = When()
        if draws.chance(25) {
            when.status = oneOf([.active, .expired, .billingRetry, .billingGracePeriod, .revoked])
        }
        if draws.chance(15) { when.autoRenewStatus = oneOf([.on, .off]) }
        if draws.chance(12) {
            when.expirationIntent = oneOf([.customerCancelled, .billingError, .customerDidNotConsentToPriceIncrease])
        }
        if draws.chance(8) { when.productId = oneOf(["top", "middle", "low", "kids"]) }
        if draws.chance(8) { when.offerType = oneOf([.introductoryOffer, .promotionalOffer, .winBackOffer]) }
        if draws.chance(8) { when.pendingChange = oneOf(PlanChange.allCases) }
        if draws.chance(15) { when.untilExpires = range() }
        if draws.chance(15) { when.sinceExpired = range() }
        return when
    }

    private mutating func range() -> SpanRange {
        let least = draws.chance(60) ? draws.pick(Self.spans) : nil
        return SpanRange(
            atLeastMilliseconds: least,
            atMostMilliseconds: draws.chance(50) ? (least ?? 0) + draws.pick(Self.spans) : nil)
    }

    private mutating func offer(_ variants: [Variant]) -> CampaignOffer {
        var offer: CampaignOffer
        switch draws.below(10) {
        case 0...3:
            offer = CampaignOffer(.promotionalOffer(draws.pick(RefereeCatalog.promotional)))
            if draws.chance(40) { offer.productId = draws.pick(RefereeCatalog.products).product }
        case 4...6: offer = CampaignOffer(.winBackOffer(draws.pick(RefereeCatalog.winBack)))
        case 7, 8: offer = CampaignOffer(.offerCode(draws.chance(98) ? draws.pick(RefereeCatalog.codes) : "missing"))
        default:
            offer = CampaignOffer(.alternateProduct(draws.pick(RefereeCatalog.products).product))
        }
        if !variants.isEmpty, draws.chance(60) { offer.variant = draws.pick(variants).name }
        return offer
    }
}
