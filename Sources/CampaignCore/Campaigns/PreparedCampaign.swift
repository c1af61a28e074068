/// A campaign with what each decision would work out again: fifty of them are asked in less time than one signature takes.
///
/// An object, because to copy a campaign costs more than to ask it.
final class PreparedCampaign: Sendable {
    let campaign: Campaign
    /// Of the stored arm; nil for a campaign that holds nobody out.
    let holdoutKey: String?
    /// Of the stored arm; nil for a campaign that compares nothing.
    let variantKey: String?
    /// In the order of the campaign's rules.
    let rules: [RuleGate]

    init(_ campaign: Campaign) {
        self.campaign = campaign
        holdoutKey = campaign.holdout.map { $0.key(of: campaign.name) }
        variantKey = campaign.variants.isEmpty ? nil : "variant/\(campaign.name.rawValue)"
        rules = campaign.rules.map(RuleGate.init)
    }
}

/// The states and doors of a rule as bits: most rules are passed over by them, before any condition is asked.
struct RuleGate: Hashable, Sendable {
    private let states: UInt8
    private let doors: UInt8

    init(_ rule: Rule) {
        states = SubscriptionStatus.State.allCases.reduce(0) { bits, state in
            rule.when.status?.holds(state) ?? true ? bits | state.bit : bits
        }
        doors = rule.via.reduce(0) { $0 | $1.bit }
    }

    /// Whether the rule may hold in this state through this door.
    func isOpen(in state: SubscriptionStatus.State, via: Rule.Via) -> Bool {
        states & state.bit != 0 && doors & via.bit != 0
    }
}

extension SubscriptionStatus.State {
    fileprivate var bit: UInt8 {
        switch self {
        case .active: 1
        case .expired: 2
        case .billingRetry: 4
        case .billingGracePeriod: 8
        case .revoked: 16
        }
    }
}

extension Rule.Via {
    fileprivate var bit: UInt8 {
        switch self {
        case .retentionMessage: 1
        case .app: 2
        case .webhook: 4
        }
    }
}
