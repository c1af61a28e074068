import CampaignCore
import YAML

/// An explanation as it is printed.
struct CampaignExplanationView {
    let explanation: CampaignExplanation
    let campaign: Campaign
    let subscriber: OriginalTransactionID
    let instant: Instant

    // MARK: - Text

    var text: String {
        var lines = columns([
            ["campaign", explanation.campaign.rawValue],
            ["subscriber", "\(subscriber) of \(campaign.audience.bundleId), \(campaign.audience.environment)"],
            ["as of", instant.description],
            ["door", explanation.via.rawValue],
            ["answer", answer],
        ])
        for refusal in explanation.decision.refusals { lines.append("  \(refusal.code): \(refusal.detail)") }
        lines.append("\nCampaign")
        var rows = [[mark(explanation.pause == nil), "runs", explanation.pause.map(Self.words) ?? ""]]
        rows += explanation.audience.map(row)
        if let holdout = explanation.holdout {
            rows.append([mark(holdout.arm != CampaignArm.heldOut), "holdout", Self.words(holdout)])
        }
        if let variant = explanation.variant { rows.append(["", "variant", Self.words(variant)]) }
        rows += explanation.caps.map { [mark(!$0.isReached), "frequencyCap", Self.words($0)] }
        lines += Self.table(rows)
        for rule in explanation.rules {
            lines.append("\nRule '\(rule.rule)': \(words(rule))")
            let doors = campaign.rules.first { $0.name == rule.rule }?.via.map(\.rawValue).sorted() ?? []
            let via = [mark(rule.isForDoor), "via", doors.joined(separator: ", "), "asked \(explanation.via.rawValue)"]
            lines += Self.table([via] + rule.conditions.map(row))
            for offer in rule.offers { lines += Self.lines(offer) }
            for offer in rule.skipped { lines.append("  \(Self.head(offer)): for another variant or door") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Rows of as many cells as they need.
    private static func table(_ rows: [[String]]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        return columns(rows.map { $0 + Array(repeating: "", count: count - $0.count) }).map { "  " + $0 }
    }

    private var answer: String {
        guard let chosen = explanation.decision.chosen else { return "nothing" }
        let offer = [chosen.content.name, chosen.content.offerIdentifier?.rawValue].compactMap(\.self)
        let product = chosen.content.productId.map { " on \($0)" } ?? ""
        let message = chosen.message.map { ", message '\($0)'" } ?? ""
        let retention = chosen.retentionMessage.map { ", retention message '\($0)'" } ?? ""
        return offer.joined(separator: " ") + product + message + retention + ", by rule '\(chosen.rule)'"
    }

    private func mark(_ holds: Bool) -> String { holds ? "yes" : "no" }

    private func row(_ condition: CampaignExplanation.Condition) -> [String] {
        [mark(condition.holds), condition.key, condition.wanted, "found \(condition.found)"]
    }

    private static func words(_ pause: CampaignPause) -> String {
        switch pause {
        case .status(.draft): "a draft, and the subscriber is no test customer"
        case .status(let status): status.rawValue
        case .notStarted(let starts): "starts at \(starts)"
        case .ended(let ends): "ended at \(ends)"
        case .redemptions(let most): "\(most) offers were redeemed, the most it gives"
        }
    }

    private static func words(_ arm: CampaignExplanation.ArmTold) -> String {
        "\(arm.arm), \(arm.isStored ? "stored" : "drawn, not stored yet")"
    }

    private static func words(_ told: CampaignExplanation.CapTold) -> String {
        let stretch =
            switch told.cap.per {
            case .rolling(let milliseconds): "every \(span(ofMilliseconds: milliseconds))"
            case .calendarDay: "per calendarDay"
            }
        let free = told.freeDate.map { ", free again at \($0)" } ?? ""
        return "at most \(told.cap.atMost) \(stretch), \(told.cap.across.rawValue): \(told.count) given\(free)"
    }

    /// Whether the rules are asked at all.
    private var reachesRules: Bool {
        explanation.pause == nil && explanation.audience.allSatisfy(\.holds)
            && explanation.holdout?.arm != CampaignArm.heldOut
            && !explanation.caps.contains(where: \.isReached)
    }

    private func words(_ rule: CampaignExplanation.RuleTold) -> String {
        if rule.isUsed { return reachesRules ? "used" : "would be used" }
        if !rule.isForDoor { return "not for this door" }
        return rule.holds ? "holds, but an earlier rule is used" : "does not hold"
    }

    private static func lines(_ told: CampaignExplanation.OfferTold) -> [String] {
        ["  " + head(told.offer) + (told.refusals.isEmpty ? ": available" : ": refused")]
            + told.refusals.map { "    \($0.code): \($0.detail)" }
    }

    private static func head(_ offer: CampaignOffer) -> String {
        "offer \(offer.kind.name) \(offer.kind.identifier)" + (offer.productId.map { " on \($0)" } ?? "")
            + (offer.variant.map { ", variant '\($0)'" } ?? "")
    }

    // MARK: - JSON

    var json: JSON {
        [
            "campaign": .string(explanation.campaign.rawValue),
            "originalTransactionId": .string(subscriber.rawValue),
            "bundleId": .string(campaign.audience.bundleId.rawValue),
            "environment": .string(campaign.audience.environment.rawValue),
            "via": .string(explanation.via.rawValue),
            "instant": .instant(instant),
            "runs": .bool(explanation.pause == nil),
            "pause": .text(explanation.pause.map(Self.words)),
            "audience": .array(explanation.audience.map(Self.json)),
            "holdout": explanation.holdout.map(Self.json) ?? .null,
            "variant": explanation.variant.map(Self.json) ?? .null,
            "frequencyCaps": .array(
                explanation.caps.map { told in
                    [
                        "cap": .string(Self.words(told)), "count": .integer(Int64(told.count)),
                        "atMost": .integer(Int64(told.cap.atMost)), "isReached": .bool(told.isReached),
                        "freeDate": .instant(told.freeDate),
                    ]
                }),
            "rules": .array(explanation.rules.map(Self.json)),
            "decision": .string(explanation.decision.chosen == nil ? "refused" : "offered"),
            "rule": .text(explanation.decision.chosen?.rule.rawValue),
            "offerType": .text(explanation.decision.chosen?.content.name),
            "productId": .text(explanation.decision.chosen?.content.productId?.rawValue),
            "offerIdentifier": .text(explanation.decision.chosen?.content.offerIdentifier?.rawValue),
            "message": .text(explanation.decision.chosen?.message?.rawValue),
            "retentionMessage": .text(explanation.decision.chosen?.retentionMessage?.rawValue),
            "reasons": .array(explanation.decision.refusals.map(Self.json)),
        ]
    }

    private static func json(_ condition: CampaignExplanation.Condition) -> JSON {
        [
            "key": .string(condition.key), "wanted": .string(condition.wanted), "found": .string(condition.found),
            "holds": .bool(condition.holds),
        ]
    }

    private static func json(_ arm: CampaignExplanation.ArmTold) -> JSON {
        ["arm": .string(arm.arm), "isStored": .bool(arm.isStored)]
    }

    private static func json(_ rule: CampaignExplanation.RuleTold) -> JSON {
        [
            "rule": .string(rule.rule.rawValue), "isForDoor": .bool(rule.isForDoor), "holds": .bool(rule.holds),
            "isUsed": .bool(rule.isUsed), "conditions": .array(rule.conditions.map(json)),
            "offers": .array(
                rule.offers.map { told in
                    [
                        "offerType": .string(told.offer.kind.name), "offer": .string(told.offer.kind.identifier),
                        "productId": .text(told.offer.productId?.rawValue),
                        "variant": .text(told.offer.variant?.rawValue), "isSkipped": .bool(false),
                        "reasons": .array(told.refusals.map(json)),
                    ]
                }
                    + rule.skipped.map { offer in
                        [
                            "offerType": .string(offer.kind.name), "offer": .string(offer.kind.identifier),
                            "productId": .text(offer.productId?.rawValue),
                            "variant": .text(offer.variant?.rawValue), "isSkipped": .bool(true), "reasons": [],
                        ]
                    }),
        ]
    }

    private static func json(_ refusal: Refusal) -> JSON {
        ["code": .string(refusal.code), "detail": .string(refusal.detail)]
    }
}

extension CampaignOffer.Kind {
    /// The key of the file.
    fileprivate var name: String {
        switch self {
        case .promotionalOffer: "promotionalOffer"
        case .winBackOffer: "winBackOffer"
        case .offerCode: "offerCode"
        case .alternateProduct: "alternateProduct"
        }
    }

    /// The offer, or the product that is offered in its place.
    fileprivate var identifier: String {
        switch self {
        case .promotionalOffer(let offer), .winBackOffer(let offer), .offerCode(let offer): offer.rawValue
        case .alternateProduct(let product): product.rawValue
        }
    }
}
