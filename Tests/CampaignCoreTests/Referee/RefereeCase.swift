import CampaignCore
import Foundation

/// One question to the campaigns: everything that a decision reads.
struct RefereeCase: Equatable {
    /// In any order.
    var campaigns: [Campaign]
    var facts: CampaignFacts
    var bundleId: BundleID
    var via: Rule.Via
    var only: CampaignName?
    var winBackRules: [OfferIdentifier: WinBackRule]
    var isWinBackListKnown: Bool
    var offerGuard: OfferGuard
    var now: Instant
}

/// What is compared: the offer with its campaign and rule, the codes of the refusals in order, and the arms to store.
struct Verdict: Equatable {
    var chosen: ChosenOffer?
    var codes: [String]
    var newArms: [CampaignArm]
}

extension Verdict: CustomStringConvertible {
    var description: String {
        let offer = chosen.map {
            "\($0.campaign)/\($0.rule) gives \($0.content), variant \($0.variant?.rawValue ?? "none"), "
                + "message \($0.message?.rawValue ?? "none"), retention message \($0.retentionMessage?.rawValue ?? "none")"
        }
        return "\(offer ?? "nothing"); refusals \(codes); new arms \(newArms.map { "\($0.key)=\($0.arm)" })"
    }
}

extension RefereeCase {
    /// Every field that holds something, one a line.
    var listing: String {
        var text = ""
        dump(self, to: &text)
        let isEmpty = { (line: Substring) in
            line.hasSuffix(": nil") || line.hasSuffix(" 0 elements") || line.hasSuffix(" 0 key/value pairs")
        }
        return text.split(separator: "\n").filter { !isEmpty($0) }.joined(separator: "\n")
    }
}
