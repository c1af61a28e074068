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
        decision.refusals.reserveCapacity(prepared.count)
        for prepared in prepared where prepared.campaign.audience.bundleId == bundleId {
            guard prepared.campaign.audience.environment == facts.environment,
                only == nil || prepared.campaign.name == only
            else { continue }
            if let chosen = judge.ask(prepared, &decision) {
                decision.chosen = chosen
                return decision
            }
        }
        if decision.refusals.isEmpty { decision.refusals = [.noCampaign] }
        return decision
    }
}

extension CampaignJudge {
    /// What one campaign gives; nil after at least one refusal was added to the decision.
    ///
    /// Holdout and caps come before any rule, so that who is held out is compared with who was asked.
    mutating func ask(_ prepared: PreparedCampaign, _ decision: inout CampaignDecision) -> ChosenOffer? {
        let name = prepared.campaign.name
        if let pause = pause(of: prepared) {
            decision.refusals.append(.campaignNotRunning(campaign: name, pause))
            return nil
        }
        guard isInAudience(of: prepared) else {
            decision.refusals.append(.notInAudience(campaign: name))
            return nil
        }
        if let holdout = holdoutArm(in: prepared, beside: decision.newArms) {
            if holdout.isNew { decision.newArms.append(holdout.arm) }
            if holdout.arm.arm == CampaignArm.heldOut {
                decision.refusals.append(.heldOut(campaign: name))
                return nil
            }
        }
        let variant = variantArm(in: prepared)
        if let variant, variant.isNew { decision.newArms.append(variant.arm) }
        var isCapped = false
        for cap in prepared.campaign.limits.frequencyCaps {
            let use = use(of: cap, in: prepared)
            guard use.isReached else { continue }
            isCapped = true
            decision.refusals.append(.frequencyCapReached(campaign: name, cap: cap, freeDate: use.freeDate))
        }
        if isCapped { return nil }
        guard let index = usedRule(of: prepared) else {
            decision.refusals.append(.noRuleHolds(campaign: name))
            return nil
        }
        return give(
            prepared.campaign.rules[index], of: prepared.campaign, variant: variant.map { VariantName($0.arm.arm) },
            &decision)
    }

    /// The place of the first rule that holds through the door.
    func usedRule(of prepared: PreparedCampaign) -> Int? {
        for (index, gate) in prepared.rules.enumerated() where gate.isOpen(in: status.state, via: via) {
            if holds(prepared.campaign.rules[index].when) { return index }
        }
        return nil
    }

    private mutating func give(
        _ rule: Rule, of campaign: Campaign, variant: VariantName?, _ decision: inout CampaignDecision
    ) -> ChosenOffer? {
        func chosen(_ content: ChosenOffer.Content) -> ChosenOffer {
            ChosenOffer(
                campaign: campaign.name, digest: campaign.digest, rule: rule.name, variant: variant, content: content,
                message: rule.message, retentionMessage: rule.retentionMessage)
        }
        if rule.givesMessageAlone(via: via) { return chosen(.message) }
        let offers = offersInOrder(of: rule, variant: variant)
        guard !offers.isEmpty else {
            decision.refusals.append(.noOfferForVariant(campaign: campaign.name, rule: rule.name))
            return nil
        }
        let barred = refusalsOfAnyOffer()
        guard barred.isEmpty else {
            decision.refusals += barred
            return nil
        }
        var refusals: [Refusal] = []
        for offer in offers {
            switch availability(of: offer) {
            case .available(let content): return chosen(content)
            case .refused(let reasons): refusals += reasons
            }
        }
        decision.refusals += refusals
        return nil
    }
}
