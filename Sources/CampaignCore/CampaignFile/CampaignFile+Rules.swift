import YAML

extension CampaignFile {
    /// What the rules alone are wrong about: those that can never hold, and those that get in one another's way.
    func checkRules(into diagnostics: Diagnostics) {
        var holding: [(rule: Rule, place: RulePlaces)] = []
        for (rule, place) in zip(campaign.rules, places.rules) where place.knowsConditions {
            if let contradiction = contradiction(in: rule.when, place) {
                diagnostics.error(
                    "\(contradiction.message), so the rule can never hold; change one of the two",
                    at: contradiction.mark)
            } else if !places.knowsAudience || !isOutsideAudience(rule, place, diagnostics) {
                checkOffers(rule, place, diagnostics)
                checkSends(rule, place, diagnostics)
                holding.append((rule, place))
            }
        }
        checkOrder(holding, diagnostics)
    }

    /// Whether none of the audience's products is one of the rule's.
    private func isOutsideAudience(_ rule: Rule, _ place: RulePlaces, _ diagnostics: Diagnostics) -> Bool {
        guard !overlap(rule.when.productId, campaign.audience.productId), let mark = place.when[.productId] else {
            return false
        }
        diagnostics.error(
            "'productId' names no product of the audience, so the rule can never hold; change one of the two", at: mark)
        return true
    }

    /// Two conditions of which one excludes the other, at the one that depends on the state.
    private func contradiction(in when: When, _ place: RulePlaces) -> (mark: Mark, message: String)? {
        let status = when.status?.allowed(of: When.State.allCases) ?? Set(When.State.allCases)
        if status.isEmpty, let mark = place.when[.status] {
            return (mark, "'status' excludes every state there is")
        }
        if when.untilExpires?.atMostMilliseconds == 0, let mark = place.when[.untilExpires] {
            return (mark, "'untilExpires' holds only before the period's end, and 'atMost' leaves no time before it")
        }
        if let mark = place.when[.untilExpires], when.untilExpires != nil,
            status.isDisjoint(with: [.active, .revoked])
        {
            return (mark, "'untilExpires' holds only before the period's end, which 'status' leaves out")
        }
        if let mark = place.when[.sinceExpired], when.sinceExpired != nil {
            if !status.contains(.expired) {
                return (mark, "'sinceExpired' holds only of an expired subscription, which 'status' leaves out")
            }
            if when.untilExpires != nil {
                return (mark, "'sinceExpired' holds only after the period's end and 'untilExpires' only before it")
            }
        }
        if let mark = place.when[.expirationIntent], when.needsIntent {
            if !status.contains(.expired) {
                return (mark, "'expirationIntent' is only known of an expired subscription, which 'status' leaves out")
            }
            if when.untilExpires != nil {
                return (
                    mark,
                    "'expirationIntent' is only known after the period's end and 'untilExpires' holds only before it"
                )
            }
        }
        return nil
    }

    /// Offers that nobody whom the rule holds for may have.
    private func checkOffers(_ rule: Rule, _ place: RulePlaces, _ diagnostics: Diagnostics) {
        if rule.when.isOfBillingTrouble, let first = place.offers.first {
            diagnostics.error(
                "no offer is ever given for a failed payment; remove 'offers' and keep a 'message'", at: first.offer)
            return
        }
        guard !rule.when.states.contains(.expired) else { return }
        for (offer, place) in zip(rule.offers, place.offers) {
            guard case .winBackOffer(let identifier) = offer.kind else { continue }
            diagnostics.error(
                "the win-back offer \(quoted(identifier.rawValue)) is only for an expired subscription, which the rule "
                    + "leaves out; use 'promotionalOffer' or 'status: expired'", at: place.offer)
        }
    }

    /// Sends that are due when the rule cannot hold.
    private func checkSends(_ rule: Rule, _ place: RulePlaces, _ diagnostics: Diagnostics) {
        let states = rule.when.states
        for (send, place) in zip(rule.sendAt, place.sendAt) {
            let outside = { (why: String) in
                diagnostics.error(
                    "\(quoted(place.value)) is outside the rule's window: \(why); choose another time", at: place.mark)
            }
            switch send.anchor {
            case .closes:
                if states.isDisjoint(with: [.active, .revoked]) {
                    outside("it is before the period's end, and the rule holds after it")
                } else if let range = rule.when.untilExpires, !range.contains(-send.offsetMilliseconds) {
                    outside("'untilExpires' is \(range.words)")
                }
            case .opens:
                if let range = rule.when.sinceExpired, !range.contains(send.offsetMilliseconds) {
                    outside("'sinceExpired' is \(range.words)")
                }
            }
        }
    }

    /// Rules of one door that can both hold: the earlier one is used.
    ///
    /// - Parameter rules: those that can hold at all.
    private func checkOrder(_ rules: [(rule: Rule, place: RulePlaces)], _ diagnostics: Diagnostics) {
        for (index, (later, place)) in rules.enumerated() where !later.name.rawValue.isEmpty {
            // Two of one name, or without one, have been reported.
            let earlier = rules[..<index].map(\.rule).filter {
                !$0.via.isDisjoint(with: later.via) && $0.name != later.name && !$0.name.rawValue.isEmpty
            }
            if let hiding = earlier.first(where: { later.via.isSubset(of: $0.via) && later.when.isWithin($0.when) }) {
                diagnostics.warning(
                    "rule \(quoted(later.name.rawValue)) is never used: \(quoted(hiding.name.rawValue)) holds whenever it "
                        + "does; move it up or narrow \(quoted(hiding.name.rawValue))", at: place.name)
                continue
            }
            for one in earlier where one.when.overlaps(later.when) {
                diagnostics.warning(
                    "rules \(quoted(one.name.rawValue)) and \(quoted(later.name.rawValue)) can both hold; "
                        + "\(quoted(one.name.rawValue)) is used", at: place.name)
            }
        }
    }
}

extension SpanRange {
    /// `at least '2d' and at most '14d'`
    var words: String {
        let bounds = [
            atLeastMilliseconds.map { "at least '\(span(ofMilliseconds: $0))'" },
            atMostMilliseconds.map { "at most '\(span(ofMilliseconds: $0))'" },
        ]
        return bounds.compactMap { $0 }.joined(separator: " and ")
    }
}
