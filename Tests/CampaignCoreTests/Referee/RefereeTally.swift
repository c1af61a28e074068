import CampaignCore

/// How often each thing came up, so that a run shows what it has tried.
struct RefereeTally {
    private(set) var counts: [String: Int] = [:]

    mutating func add(_ verdict: Verdict) {
        counts["decisions", default: 0] += 1
        for code in verdict.codes { counts[code, default: 0] += 1 }
        for arm in verdict.newArms {
            counts[arm.key.hasPrefix("variant/") ? "newVariant" : "new:\(arm.arm)", default: 0] += 1
            if arm.key.hasPrefix("holdout/global/") { counts["new:global", default: 0] += 1 }
        }
        guard let chosen = verdict.chosen else { return }
        counts["given:\(chosen.content.name)", default: 0] += 1
        if !verdict.codes.isEmpty { counts["givenAfterRefusals", default: 0] += 1 }
        if chosen.variant != nil { counts["givenToVariant", default: 0] += 1 }
    }

    mutating func add(_ other: RefereeTally) { counts.merge(other.counts, uniquingKeysWith: +) }

    /// Those that must have come up for the run to mean something.
    static let expected: [String] = {
        let ofOtherRoutes = [
            "customerFieldsDisagree", "noIntroductoryOffer", "introductoryOfferUsed", "subscribedInGroup",
        ]
        return Refusal.allCodes.filter { !ofOtherRoutes.contains($0) } + [
            "given:promotionalOffer", "given:winBackOffer", "given:offerCode", "given:alternateProduct",
            "given:message",
            "givenAfterRefusals", "givenToVariant", "newVariant", "new:heldOut", "new:treated", "new:global",
        ]
    }()

    var description: String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "  \($0.value) \($0.key)" }
            .joined(separator: "\n")
    }
}

extension ChosenOffer.Content {
    fileprivate var name: String {
        switch self {
        case .promotionalOffer: "promotionalOffer"
        case .winBackOffer: "winBackOffer"
        case .offerCode: "offerCode"
        case .alternateProduct: "alternateProduct"
        case .message: "message"
        }
    }
}
