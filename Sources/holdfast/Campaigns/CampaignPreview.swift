import CampaignCore

/// What one campaign would give the subscribers of its app, counted.
struct CampaignPreview {
    let campaign: Campaign
    let via: Rule.Via
    /// The instant of all decisions.
    let instant: Instant
    /// Everyone of whom anything is known in the campaign's app and environment.
    private(set) var subscribers = 0
    /// Those to whom the campaign's rules apply, held out or not.
    private(set) var audience = 0
    private(set) var heldOut = 0
    private(set) var offered = 0
    private var given: [Given: Int] = [:]
    private var codes: [String: Int] = [:]

    init(of campaign: Campaign, via: Rule.Via, at instant: Instant) {
        self.campaign = campaign
        self.via = via
        self.instant = instant
    }

    /// One thing that a rule gives.
    struct Given: Hashable {
        let rule: RuleName
        let variant: VariantName?
        let content: ChosenOffer.Content
        let message: MessageName?
    }

    /// In the audience and given nothing.
    var refused: Int { audience - heldOut - offered }

    /// Counts the decision for one subscriber; of several refusals of one kind the subscriber counts once.
    mutating func add(_ decision: CampaignDecision) {
        subscribers += 1
        let codes = Set(decision.refusals.map(\.code))
        if !codes.isDisjoint(with: Self.codesOutside) {
            for code in codes { self.codes[code, default: 0] += 1 }
            return
        }
        audience += 1
        if let chosen = decision.chosen {
            offered += 1
            let given = Given(
                rule: chosen.rule, variant: chosen.variant, content: chosen.content,
                message: chosen.message ?? (chosen.content == .message ? chosen.retentionMessage : nil))
            self.given[given, default: 0] += 1
            return
        }
        if codes.contains(Self.codeHeldOut) { heldOut += 1 }
        for code in codes { self.codes[code, default: 0] += 1 }
    }

    private static let codesOutside = ["noCampaign", "campaignNotRunning", "notInAudience"]
    private static let codeHeldOut = "heldOut"

    // MARK: - What is told

    /// In the order of the file's rules, then by variant and offer.
    var givenInOrder: [(given: Given, count: Int)] {
        func place(_ given: Given) -> (Int, String, String, String) {
            (
                campaign.rules.firstIndex { $0.name == given.rule } ?? 0, given.variant?.rawValue ?? "",
                given.content.name, given.content.offerIdentifier?.rawValue ?? given.content.productId?.rawValue ?? ""
            )
        }
        return given.sorted { place($0.key) < place($1.key) }.map { ($0.key, $0.value) }
    }

    /// The most frequent first.
    var codesInOrder: [(code: String, count: Int)] {
        codes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    var json: JSON {
        [
            "campaign": .string(campaign.name.rawValue),
            "campaignStatus": .string(campaign.status.rawValue),
            "bundleId": .string(campaign.audience.bundleId.rawValue),
            "environment": .string(campaign.audience.environment.rawValue),
            "via": .string(via.rawValue),
            "instant": .instant(instant),
            "subscribers": .integer(Int64(subscribers)),
            "audience": .integer(Int64(audience)),
            "heldOut": .integer(Int64(heldOut)),
            "offered": .integer(Int64(offered)),
            "refused": .integer(Int64(refused)),
            "given": .array(
                givenInOrder.map { given, count in
                    [
                        "rule": .string(given.rule.rawValue), "variant": .text(given.variant?.rawValue),
                        "offerType": .string(given.content.name),
                        "productId": .text(given.content.productId?.rawValue),
                        "offerIdentifier": .text(given.content.offerIdentifier?.rawValue),
                        "message": .text(given.message?.rawValue), "count": .integer(Int64(count)),
                    ]
                }),
            "reasons": .array(
                codesInOrder.map { ["code": .string($0.code), "count": .integer(Int64($0.count))] }),
        ]
    }

    /// One row for each count; what a row has none of is empty.
    var csv: [[String]] {
        let head = ["count", "what", "rule", "variant", "offerType", "productId", "offerIdentifier", "message", "code"]
        let totals = [
            ("subscribers", subscribers), ("audience", audience), ("heldOut", heldOut), ("offered", offered),
            ("refused", refused),
        ].map { name, count in ["\(count)", name, "", "", "", "", "", "", ""] }
        let given = givenInOrder.map { given, count in
            [
                "\(count)", "given", given.rule.rawValue, given.variant?.rawValue ?? "", given.content.name,
                given.content.productId?.rawValue ?? "", given.content.offerIdentifier?.rawValue ?? "",
                given.message?.rawValue ?? "", "",
            ]
        }
        let reasons = codesInOrder.map { ["\($0.count)", "reason", "", "", "", "", "", "", $0.code] }
        return [head] + totals + given + reasons
    }

    var text: String {
        let isDraft = campaign.status == .draft
        var lines = columns([
            [
                "campaign",
                campaign.name.rawValue + ", "
                    + (isDraft ? "a draft, counted as if it were active" : campaign.status.rawValue),
            ],
            ["app", "\(campaign.audience.bundleId), \(campaign.audience.environment)"],
            ["as of", instant.description],
            ["door", via.rawValue],
            ["subscribers", "\(subscribers)"],
            ["in audience", "\(audience)"],
            ["held out", "\(heldOut)"],
            ["offered", "\(offered)"],
            ["refused", "\(refused)"],
        ])
        if !given.isEmpty {
            lines.append("\nWhat would be given")
            lines += columns(givenInOrder.map(Self.row)).map { "  " + $0 }
        }
        if !codes.isEmpty {
            lines.append("\nWhy nothing would be given; one subscriber may have several reasons")
            lines += columns(codesInOrder.map { [$0.code, "\($0.count)"] }).map { "  " + $0 }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ given: Given, _ count: Int) -> [String] {
        let what = [
            given.content.name, given.content.offerIdentifier?.rawValue ?? given.message?.rawValue,
            given.content.offerIdentifier == nil
                ? given.content.productId?.rawValue : given.content.productId.map { "on \($0)" },
        ]
        return [
            given.rule.rawValue, given.variant?.rawValue ?? "", what.compactMap(\.self).joined(separator: " "),
            "\(count)",
        ]
    }
}

extension ChosenOffer.Content {
    /// The word of answers and tables.
    var name: String {
        switch self {
        case .promotionalOffer: "promotionalOffer"
        case .winBackOffer: "winBackOffer"
        case .offerCode: "offerCode"
        case .alternateProduct: "alternateProduct"
        case .message: "message"
        }
    }

    /// Nil for what is no offer of the App Store.
    var offerIdentifier: OfferIdentifier? {
        switch self {
        case .promotionalOffer(let offer, _), .winBackOffer(let offer, _), .offerCode(let offer, _): offer
        case .alternateProduct, .message: nil
        }
    }

    /// Nil for a message.
    var productId: ProductID? {
        switch self {
        case .promotionalOffer(_, let product), .winBackOffer(_, let product), .offerCode(_, let product),
            .alternateProduct(let product):
            product
        case .message: nil
        }
    }
}
