/// What one campaign says of one subscription through one door, condition by condition, in words ready to print.
public struct CampaignExplanation: Hashable, Sendable {
    public let campaign: CampaignName
    public let via: Rule.Via
    /// Why the campaign does not run for the customer; nil when it does.
    public var pause: CampaignPause?
    /// Those that the audience has.
    public var audience: [Condition]
    /// nil for a campaign that holds nobody out.
    public var holdout: ArmTold?
    /// nil for a campaign that compares nothing.
    public var variant: ArmTold?
    public var caps: [CapTold]
    /// All of them, those after the used one too.
    public var rules: [RuleTold]
    /// What the campaign alone gives, or every reason why it gives nothing; the decision itself, not a copy of it.
    public var decision: CampaignDecision

    /// One condition with what was asked and what was found.
    public struct Condition: Hashable, Sendable {
        /// The key of the file.
        public let key: String
        /// As the file has it, such as `active, billingRetry`, `not CHN` or `at least 2d, at most 14d`.
        public let wanted: String
        /// What the subscription has; `unknown` when nobody knows it.
        public let found: String
        public let holds: Bool
    }

    /// An arm, and whether it was stored before.
    public struct ArmTold: Hashable, Sendable {
        public let arm: String
        public let isStored: Bool
    }

    /// A cap with how much of it is used.
    public struct CapTold: Hashable, Sendable {
        public let cap: FrequencyCap
        public let count: Int
        public let isReached: Bool
        /// When one more may be given; nil while one may be now.
        public let freeDate: Instant?
    }

    /// One rule.
    public struct RuleTold: Hashable, Sendable {
        public let rule: RuleName
        public let isForDoor: Bool
        /// Those that its `when` has.
        public var conditions: [Condition]
        /// Whether every condition holds.
        public let holds: Bool
        /// Whether it is the first that holds through the door.
        public let isUsed: Bool
        /// Only of the rule that is used, in the order in which they are tried.
        public var offers: [OfferTold]
        /// Only of the rule that is used: those for another variant or another door.
        public var skipped: [CampaignOffer]
    }

    /// One offer of the rule that is used.
    public struct OfferTold: Hashable, Sendable {
        public let offer: CampaignOffer
        /// Empty for one that could be given.
        public let refusals: [Refusal]
    }
}

extension CampaignSet {
    /// Why the campaign `name` gives what it gives; nil when there is none of that name.
    ///
    /// It is told by the same functions as the decision is made by, and changes nothing.
    public func explain(
        _ name: CampaignName, _ facts: CampaignFacts, via: Rule.Via, in context: CampaignContext, now: Instant
    ) -> CampaignExplanation? {
        guard let prepared = prepared.first(where: { $0.campaign.name == name }) else { return nil }
        let campaign = prepared.campaign
        var judge = CampaignJudge(facts, via: via, context: context, now: now)
        let told = { (arm: CampaignJudge.Arm) in
            CampaignExplanation.ArmTold(arm: arm.arm.arm, isStored: !arm.isNew)
        }
        let variant = judge.variantArm(in: prepared)
        let used = judge.usedRule(of: prepared)
        return CampaignExplanation(
            campaign: name, via: via, pause: judge.pause(of: prepared), audience: judge.toldAudience(of: prepared),
            holdout: judge.holdoutArm(in: prepared, beside: []).map(told), variant: variant.map(told),
            caps: judge.caps(of: prepared).map {
                .init(cap: $0.cap, count: $0.count, isReached: $0.isReached, freeDate: $0.freeDate)
            },
            rules: campaign.rules.enumerated().map { index, rule in
                judge.told(rule, isUsed: index == used, variant: variant.map { VariantName($0.arm.arm) })
            },
            decision: decide(
                facts, via: via, only: name, bundleId: campaign.audience.bundleId, in: context, now: now))
    }
}

extension CampaignJudge {
    fileprivate mutating func told(
        _ rule: Rule, isUsed: Bool, variant: VariantName?
    ) -> CampaignExplanation.RuleTold {
        var offers: [CampaignExplanation.OfferTold] = []
        var skipped: [CampaignOffer] = []
        if isUsed {
            let barred = refusalsOfAnyOffer()
            let tried = offersInOrder(of: rule, variant: variant)
            skipped = rule.offers.filter { !tried.contains($0) }
            for offer in tried {
                var refusals = barred
                if case .refused(let reasons) = availability(of: offer) { refusals += reasons }
                offers.append(.init(offer: offer, refusals: refusals))
            }
        }
        let conditions = told(rule.when)
        return .init(
            rule: rule.name, isForDoor: rule.via.contains(via), conditions: conditions,
            holds: conditions.allSatisfy(\.holds), isUsed: isUsed, offers: offers, skipped: skipped)
    }

    fileprivate func toldAudience(of prepared: PreparedCampaign) -> [CampaignExplanation.Condition] {
        let audience = prepared.campaign.audience
        return AudienceCondition.all.compactMap { key in
            guard let holds = holds(key, of: prepared) else { return nil }
            let wanted: String? =
                switch key {
                case .productId: audience.productId?.words(\.rawValue)
                case .subscriptionGroupIdentifier: audience.subscriptionGroupIdentifier?.words(\.rawValue)
                case .inAppOwnershipType: audience.inAppOwnershipType?.words(\.rawValue)
                case .storefront: audience.storefront?.words(\.self)
                }
            let found: String? =
                switch key {
                case .productId: facts.subscription.productId.rawValue
                case .subscriptionGroupIdentifier: groupIdentifier?.rawValue
                case .inAppOwnershipType: facts.subscription.inAppOwnershipType?.rawValue
                case .storefront: facts.subscription.storefront
                }
            return .init(key: key.rawValue, wanted: wanted ?? "", found: found ?? "unknown", holds: holds)
        }
    }

    fileprivate func told(_ when: When) -> [CampaignExplanation.Condition] {
        WhenKey.all.compactMap { key in
            guard let holds = holds(key, of: when) else { return nil }
            return .init(key: key.rawValue, wanted: wanted(key, of: when) ?? "", found: found(key), holds: holds)
        }
    }

    private func wanted(_ key: WhenKey, of when: When) -> String? {
        switch key {
        case .status: when.status?.words(\.rawValue)
        case .autoRenewStatus: when.autoRenewStatus?.words(\.name)
        case .expirationIntent: when.expirationIntent?.words(\.name)
        case .productId: when.productId?.words(\.rawValue)
        case .offerType: when.offerType?.words(\.name)
        case .pendingChange: when.pendingChange?.words(\.rawValue)
        case .untilExpires: when.untilExpires?.told
        case .sinceExpired: when.sinceExpired?.told
        }
    }

    private func found(_ key: WhenKey) -> String {
        let none = "none"
        switch key {
        case .status: return status.state.rawValue
        case .autoRenewStatus: return status.autoRenewStatus?.name ?? "unknown"
        case .expirationIntent:
            return status.expirationIntent?.name ?? (status.state == .expired ? "unknown" : none)
        case .productId: return facts.subscription.productId.rawValue
        case .offerType: return facts.subscription.offerType?.name ?? none
        case .pendingChange: return status.pendingChange?.kind.rawValue ?? none
        case .untilExpires: return millisecondsUntilExpires.map(stretch) ?? "the period has ended"
        case .sinceExpired: return millisecondsSinceExpired.map(stretch) ?? "not expired"
        }
    }
}

extension OneOf {
    /// `a, b` or `not a, b`, sorted.
    fileprivate func words(_ name: (Value) -> String) -> String {
        switch self {
        case .any(let values): values.map(name).sorted().joined(separator: ", ")
        case .not(let values): "not " + values.map(name).sorted().joined(separator: ", ")
        }
    }
}

extension SpanRange {
    /// `at least 2d, at most 14d`
    fileprivate var told: String {
        let bounds = [
            atLeastMilliseconds.map { "at least \(stretch($0))" }, atMostMilliseconds.map { "at most \(stretch($0))" },
        ]
        return bounds.compactMap(\.self).joined(separator: ", ")
    }
}

/// A stretch of time for people: `11d 4h`, `4h 12m`, `45s`.
private func stretch(_ milliseconds: Int64) -> String {
    let seconds = milliseconds / 1000
    let parts = [
        (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
    ].drop { $0.0 == 0 }.prefix(2).filter { $0.0 != 0 }
    return parts.isEmpty ? "0s" : parts.map { "\($0.0)\($0.1)" }.joined(separator: " ")
}
