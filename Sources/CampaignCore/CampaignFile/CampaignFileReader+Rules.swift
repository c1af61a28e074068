import YAML

extension CampaignFileReader {
    func rules(_ value: ValueReader?, variants: [Variant], places: inout CampaignPlaces) -> [Rule] {
        guard let value else { return [] }
        var names = UniqueName(noun: "rule")
        var rules: [Rule] = []
        for item in list(value, atMost: CampaignLimits.rules, isRequired: true) {
            guard let keys = item.mapping(keys: RuleKey.self) else { continue }
            var rulePlaces = RulePlaces(name: item.mark)
            let rule = rule(keys, variants: variants, names: &names, places: &rulePlaces)
            rules.append(rule)
            places.rules.append(rulePlaces)
        }
        return rules
    }

    private func rule(
        _ keys: MappingReader<RuleKey>, variants: [Variant], names: inout UniqueName, places: inout RulePlaces
    ) -> Rule {
        let name = keys.required(.rule, example: "save").flatMap { value in
            places.name = value.mark
            let name = self.name(value)
            name.map { names.check($0, value) }
            return name
        }
        let errors = diagnostics.errorCount
        let condition = keys.optional(.when).map { when($0, places: &places) } ?? When()
        var via: Set<Rule.Via> = [.app]
        if let value = keys.optional(.via) {
            places.via = value.mark
            via = Set(list(value).compactMap { $0.word(of: Rule.Via.self) })
        }
        places.knowsConditions = diagnostics.errorCount == errors
        let sendAt = keys.optional(.sendAt).map { value in
            list(value, atMost: CampaignLimits.sendsOfRule).compactMap { sendTime($0, places: &places) }
        }
        let retentionMessage = keys.optional(.retentionMessage).flatMap { value in
            places.retentionMessage = value.mark
            return self.name(value)
        }
        let offers = keys.optional(.offers).map { value in
            list(value, atMost: CampaignLimits.offersOfRule)
                .compactMap { offer($0, variants: variants, places: &places) }
        }
        let message = keys.optional(.message).flatMap(self.name)
        checkDoors(keys, via: via, offers: offers ?? [], places: places)
        return Rule(
            name: RuleName(name ?? ""), when: condition, via: via, sendAt: sendAt ?? [],
            retentionMessage: retentionMessage.map(MessageName.init(_:)), offers: offers ?? [],
            message: message.map(MessageName.init(_:)))
    }

    private func sendTime(_ value: ValueReader, places: inout RulePlaces) -> SendTime? {
        let wanted = "a time in the window, such as 'opens', 'opens+1h' or 'closes-2d'"
        guard let text = value.text(wanted: wanted) else { return nil }
        let sendTime = SendTime(text)
        guard let sendTime else {
            value.wrong(wanted: wanted)
            return nil
        }
        places.sendAt.append(Placed(value: text, mark: value.mark))
        return sendTime
    }

    // MARK: - Conditions

    private func when(_ value: ValueReader, places: inout RulePlaces) -> When {
        guard let keys = value.mapping(keys: WhenKey.self) else { return When() }
        for key in WhenKey.allCases { places.when[key] = keys.optional(key)?.mark }
        var products: [Placed<ProductID>] = []
        defer { places.products = products }
        return When(
            status: keys.optional(.status).flatMap { oneOf($0) { $0.word(of: SubscriptionStatus.State.self) } },
            autoRenewStatus: keys.optional(.autoRenewStatus).flatMap { value in
                oneOf(value) { word($0, among: AutoRenewStatus.inCampaigns, name: \.name) }
            },
            expirationIntent: keys.optional(.expirationIntent).flatMap { value in
                oneOf(value) { word($0, among: ExpirationIntent.inCampaigns, name: \.name) }
            },
            productId: keys.optional(.productId).flatMap { oneOf($0) { product($0, among: &products) } },
            offerType: keys.optional(.offerType).flatMap { value in
                oneOf(value) { word($0, among: OfferType.named, name: \.name) }
            },
            pendingChange: keys.optional(.pendingChange).flatMap { oneOf($0) { $0.word(of: PlanChange.self) } },
            untilExpires: keys.optional(.untilExpires).flatMap(spanRange),
            sinceExpired: keys.optional(.sinceExpired).flatMap(spanRange))
    }

    private func spanRange(_ value: ValueReader) -> SpanRange? {
        guard let keys = value.mapping(keys: SpanRangeKey.self) else { return nil }
        let atLeast = keys.optional(.atLeast)?.spanMilliseconds()
        let atMost = keys.optional(.atMost)?.spanMilliseconds()
        if keys.mark(of: .atLeast) == nil, keys.mark(of: .atMost) == nil {
            value.error("\(value.subject) sets no bound; write 'atLeast', 'atMost' or both")
        }
        if let atLeast, let atMost, atMost < atLeast {
            keys.optional(.atMost)?.error(
                "'atMost' is '\(span(ofMilliseconds: atMost))', which is less than 'atLeast' with "
                    + "'\(span(ofMilliseconds: atLeast))', so the rule can never hold; swap the two")
        }
        return SpanRange(atLeastMilliseconds: atLeast, atMostMilliseconds: atMost)
    }

    // MARK: - Offers

    private func offer(_ value: ValueReader, variants: [Variant], places: inout RulePlaces) -> CampaignOffer? {
        guard let keys = value.mapping(keys: OfferKey.self, refusing: Self.refusedOfOffers) else { return nil }
        let chosen = keys.exactlyOne(of: OfferKey.kinds)
        let productId = keys.optional(.productId).flatMap {
            identifier($0, wanted: "a product identifier such as 'reader.annual'")
        }
        let variant = keys.optional(.variant).flatMap { self.variant($0, among: variants) }
        guard let (key, named) = chosen, let kind = kind(key, named) else { return nil }
        if key == .alternateProduct {
            keys.optional(.productId)?.error("'alternateProduct' names the product itself; remove 'productId'")
        }
        places.offers.append(OfferPlaces(offer: named.mark, productId: keys.optional(.productId)?.mark))
        return CampaignOffer(
            kind, productId: productId.map(ProductID.init(_:)), variant: variant.map(VariantName.init(_:)))
    }

    private static let refusedOfOffers = [
        "price": "App Store Connect owns the terms of offers",
        "duration": "App Store Connect owns the terms of offers",
        "discount": "App Store Connect owns the terms of offers",
        "message": "write it beside 'offers', for the whole rule",
    ]

    private func kind(_ key: OfferKey, _ value: ValueReader) -> CampaignOffer.Kind? {
        if key == .alternateProduct {
            return identifier(value, wanted: "a product identifier such as 'reader.monthly'")
                .map { .alternateProduct(ProductID($0)) }
        }
        guard let text = offerIdentifier(value) else { return nil }
        switch key {
        case .promotionalOffer: return .promotionalOffer(OfferIdentifier(text))
        case .winBackOffer: return .winBackOffer(OfferIdentifier(text))
        default: return .offerCode(OfferIdentifier(text))
        }
    }

    /// The reference name of a code offer may hold spaces.
    private func offerIdentifier(_ value: ValueReader) -> String? {
        let wanted = "an offer of the catalogue such as 'save_50_3mo'"
        guard let text = value.text(wanted: wanted) else { return nil }
        guard text.utf8.count <= Limits.identifierBytes, !text.unicodeScalars.contains(where: \.isInvisible) else {
            value.wrong(wanted: wanted)
            return nil
        }
        return text
    }

    private func variant(_ value: ValueReader, among variants: [Variant]) -> String? {
        guard !variants.isEmpty else {
            value.error("\(value.subject) names an arm, but the campaign has no 'variants'; add them or remove the key")
            return nil
        }
        return value.word(among: variants.map(\.name.rawValue))
    }
}

extension SendTime {
    /// Reads `opens`, `opens+1h` or `closes-2d`; nil for anything else.
    ///
    /// Before the window opens nobody knows that it will, and after its end there is nothing to send.
    init?(_ text: String) {
        if text == Anchor.opens.rawValue {
            self.init(anchor: .opens, offsetMilliseconds: 0)
        } else if text.hasPrefix("opens+"), let span = milliseconds(ofSpan: String(text.dropFirst(6))) {
            self.init(anchor: .opens, offsetMilliseconds: span)
        } else if text.hasPrefix("closes-"), let span = milliseconds(ofSpan: String(text.dropFirst(7))), span > 0 {
            self.init(anchor: .closes, offsetMilliseconds: -span)
        } else {
            return nil
        }
    }
}
