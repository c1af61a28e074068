extension CampaignSet {
    /// What the campaigns give one subscription through one door at `now`: the first that gives anything does.
    ///
    /// It writes nothing and knows no clock; the caller stores the new arms together with what was given (design,
    /// section 6).
    ///
    /// - Parameter only: the one campaign to ask; nil asks all of the audience's app and environment, in their order.
    public func decide(
        _ facts: CampaignFacts, via: Rule.Via, only: CampaignName? = nil, bundleId: BundleID,
        in context: CampaignContext, now: Instant
    ) -> CampaignDecision {
        var judge = CampaignJudge(facts, via: via, context: context, now: now)
        var decision = CampaignDecision()
        for campaign in campaigns where campaign.audience.bundleId == bundleId {
            guard campaign.audience.environment == facts.environment, only == nil || campaign.name == only else {
                continue
            }
            switch judge.verdict(on: campaign, newArms: &decision.newArms) {
            case .given(let offer):
                decision.chosen = offer
                return decision
            case .refused(let refusals):
                decision.refusals += refusals
            }
        }
        if decision.refusals.isEmpty { decision.refusals = [.noCampaign] }
        return decision
    }
}

extension CampaignJudge {
    /// What one campaign says.
    enum Verdict {
        case given(ChosenOffer)
        /// At least one.
        case refused([Refusal])
    }

    /// Holdout and caps come before any rule, so that who is held out is compared with who was asked.
    mutating func verdict(on campaign: Campaign, newArms: inout [CampaignArm]) -> Verdict {
        if let pause = pause(of: campaign) {
            return .refused([.campaignNotRunning(campaign: campaign.name, pause)])
        }
        guard isInAudience(campaign.audience) else { return .refused([.notInAudience(campaign: campaign.name)]) }
        if let holdout = holdoutArm(in: campaign, beside: newArms) {
            if holdout.isNew { newArms.append(holdout.arm) }
            if holdout.arm.arm == CampaignArm.heldOut { return .refused([.heldOut(campaign: campaign.name)]) }
        }
        let variant = variantArm(in: campaign)
        if let variant, variant.isNew { newArms.append(variant.arm) }
        let reached = caps(of: campaign).filter(\.isReached)
        guard reached.isEmpty else {
            return .refused(
                reached.map {
                    .frequencyCapReached(campaign: campaign.name, cap: $0.cap, freeDate: $0.freeDate)
                })
        }
        guard let rule = usedRule(of: campaign) else {
            return .refused([.noRuleHolds(campaign: campaign.name)])
        }
        return verdict(of: rule, in: campaign, variant: variant.map { VariantName($0.arm.arm) })
    }

    /// The first rule that holds through the door.
    func usedRule(of campaign: Campaign) -> Rule? {
        campaign.rules.first { $0.via.contains(via) && holds($0.when) }
    }

    private mutating func verdict(of rule: Rule, in campaign: Campaign, variant: VariantName?) -> Verdict {
        func chosen(_ content: ChosenOffer.Content) -> Verdict {
            .given(
                ChosenOffer(
                    campaign: campaign.name, digest: campaign.digest, rule: rule.name, variant: variant,
                    content: content, message: rule.message, retentionMessage: rule.retentionMessage))
        }
        if rule.givesMessageAlone(via: via) { return chosen(.message) }
        let offers = offersInOrder(of: rule, variant: variant)
        guard !offers.isEmpty else {
            return .refused([.noOfferForVariant(campaign: campaign.name, rule: rule.name)])
        }
        let barred = refusalsOfAnyOffer()
        guard barred.isEmpty else { return .refused(barred) }
        var refusals: [Refusal] = []
        for offer in offers {
            switch availability(of: offer) {
            case .available(let content): return chosen(content)
            case .refused(let reasons): refusals += reasons
            }
        }
        return .refused(refusals)
    }
}
