/// Everything about one subscription, one door and one instant that campaigns are judged by; decisions and their
/// explanations share it.
struct CampaignJudge {
    let facts: CampaignFacts
    let via: Rule.Via
    let context: CampaignContext
    let now: Instant
    let status: SubscriptionStatus
    let clock: AcceleratedClock
    /// Of all that was given; nil when nothing ever was.
    let newestGivenDate: Instant?
    /// Made when a rule first needs them: most decisions need none.
    private var standings: [SubscriptionGroupIdentifier: GroupStanding] = [:]

    init(_ facts: CampaignFacts, via: Rule.Via, context: CampaignContext, now: Instant) {
        self.facts = facts
        self.via = via
        self.context = context
        self.now = now
        status = facts.subscription.status(
            at: now, catalog: context.catalog, policy: context.policy, environment: facts.environment)
        newestGivenDate = facts.given.lazy.map(\.givenDate).max()
        clock = AcceleratedClock(facts.subscription, catalog: context.catalog, environment: facts.environment)
    }

    /// The group of the subscription's present product.
    var group: SubscriptionGroup? {
        context.catalog.group(of: facts.subscription.productId, signed: facts.subscription.subscriptionGroupIdentifier)
    }

    /// As Apple signed it, else as the catalogue has it.
    var groupIdentifier: SubscriptionGroupIdentifier? {
        facts.subscription.subscriptionGroupIdentifier ?? group?.identifier
    }

    /// Where the customer stands in a group.
    mutating func standing(in group: SubscriptionGroup) -> GroupStanding {
        if let known = standings[group.identifier] { return known }
        let made = GroupStanding(
            group: group, catalog: context.catalog, transactions: facts.transactions,
            subscriptions: facts.subscriptions, environment: facts.environment, now: now)
        standings[group.identifier] = made
        return made
    }
}

/// Why a campaign gives nothing at all.
public enum CampaignPause: Hashable, Sendable {
    /// Not active, or a draft for somebody who is no test customer.
    case status(Campaign.Status)
    case notStarted(Instant)
    case ended(Instant)
    /// As many of its offers as it may give were redeemed.
    case redemptions(atMost: Int)
}

extension CampaignJudge {
    /// Why the campaign does not run for this customer now; nil when it does.
    func pause(of prepared: PreparedCampaign) -> CampaignPause? {
        switch prepared.campaign.status {
        case .active: break
        case .draft: if !isTestCustomer(of: prepared) { return .status(.draft) }
        case .paused, .ended: return .status(prepared.campaign.status)
        }
        if let starts = prepared.campaign.starts, now < starts { return .notStarted(starts) }
        if let ends = prepared.campaign.ends, now >= ends { return .ended(ends) }
        if let most = prepared.campaign.limits.redemptionsAtMost,
            facts.redemptions[prepared.campaign.name, default: 0] >= most
        {
            return .redemptions(atMost: most)
        }
        return nil
    }

    private func isTestCustomer(of prepared: PreparedCampaign) -> Bool {
        guard !prepared.campaign.testCustomers.isEmpty else { return false }
        return prepared.campaign.testCustomers.contains(facts.subscription.originalTransactionId.rawValue)
            // As Apple signed it: a request could name anybody's.
            || facts.subscription.appAccountToken.map { prepared.campaign.testCustomers.contains($0.lowercaseString) }
                ?? false
    }

    /// An arm of the subscription in a campaign, and whether it is drawn only now.
    struct Arm {
        let arm: CampaignArm
        let isNew: Bool
    }

    /// nil for a campaign that holds nobody out.
    ///
    /// - Parameter newArms: what was drawn in this decision already, by a campaign that shares the holdout.
    func holdoutArm(in prepared: PreparedCampaign, beside newArms: [CampaignArm]) -> Arm? {
        guard let holdout = prepared.campaign.holdout, let key = prepared.holdoutKey else { return nil }
        let known = facts.arms[key] ?? newArms.first { $0.key == key }?.arm
        if let known { return Arm(arm: CampaignArm(key: key, arm: known), isNew: false) }
        let drawn =
            holdout.contains(facts.subscription.originalTransactionId) ? CampaignArm.heldOut : CampaignArm.treated
        return Arm(arm: CampaignArm(key: key, arm: drawn), isNew: true)
    }

    /// nil for a campaign that compares nothing.
    func variantArm(in prepared: PreparedCampaign) -> Arm? {
        guard let key = prepared.variantKey else { return nil }
        if let known = facts.arms[key] { return Arm(arm: CampaignArm(key: key, arm: known), isNew: false) }
        let drawn = prepared.campaign.variants.drawn(
            by: facts.subscription.originalTransactionId, campaign: prepared.campaign.name)
        return drawn.map { Arm(arm: CampaignArm(key: key, arm: $0.rawValue), isNew: true) }
    }
}

extension CampaignArm {
    /// Given nothing, for comparison.
    public static let heldOut = "heldOut"
    /// Given what the rules say.
    public static let treated = "treated"
}
