import YAML

extension CampaignFileReader {
    /// What a rule must have to give anything through its doors.
    func checkDoors(
        _ keys: MappingReader<RuleKey>, via: Set<Rule.Via>, offers: [CampaignOffer], places: RulePlaces
    ) {
        guard !via.isEmpty else { return }
        if let sendAt = keys.optional(.sendAt), !via.contains(.webhook) {
            sendAt.error("'sendAt' is for what goes out by webhook; add 'webhook' to 'via' or remove it")
        }
        checkRetentionMessage(keys, via: via, places: places)
        for (offer, place) in zip(offers, places.offers) {
            checkDoor(of: offer, at: place.offer, via: via)
        }
        let hasOffers = has(.offers, keys)
        let hasMessage = has(.message, keys)
        guard !hasOffers, !hasMessage else { return }
        if via.contains(where: { $0 != .retentionMessage }) {
            diagnostics.error(
                "the rule gives nothing through \(doors(via.subtracting([.retentionMessage]))); add 'offers' or 'message'",
                at: places.name)
        }
    }

    private func checkRetentionMessage(
        _ keys: MappingReader<RuleKey>, via: Set<Rule.Via>, places: RulePlaces
    ) {
        if via.contains(.retentionMessage), !has(.retentionMessage, keys) {
            diagnostics.error(
                "'via' names 'retentionMessage', for which the App Store shows a message; add the key 'retentionMessage' "
                    + "with a name of 'messages.yaml'", at: places.via ?? places.name)
        }
        if !via.contains(.retentionMessage), let message = keys.optional(.retentionMessage) {
            message.error(
                "'retentionMessage' is shown through the door of that name alone; add it to 'via' or remove the key")
        }
    }

    /// Apple takes exactly one of a message, an alternate product and a promotional offer.
    ///
    /// Source: Retention Messaging API, RealtimeResponseBody.
    private func checkDoor(of offer: CampaignOffer, at mark: Mark, via: Set<Rule.Via>) {
        switch offer.kind {
        case .promotionalOffer: break
        case .alternateProduct:
            if !via.contains(.retentionMessage) {
                diagnostics.error(
                    "'alternateProduct' is only for a retention message; add 'retentionMessage' to 'via' or remove it",
                    at: mark)
            }
        case .winBackOffer, .offerCode:
            guard via == [.retentionMessage] else { break }
            let kind = if case .winBackOffer = offer.kind { "a win-back offer" } else { "an offer code" }
            diagnostics.error(
                "a retention message cannot give \(kind); use 'promotionalOffer' or 'alternateProduct', or add another "
                    + "door to 'via'", at: mark)
        }
    }

    /// Whether a key is written; one that is misspelled or wrong has been reported, and would be there once it is right.
    private func has(_ key: RuleKey, _ keys: MappingReader<RuleKey>) -> Bool {
        keys.mark(of: key) != nil || keys.isMisspelled(key)
    }

    private func doors(_ via: Set<Rule.Via>) -> String {
        Rule.Via.allCases.filter(via.contains).map { "'\($0.rawValue)'" }.joined(separator: " and ")
    }
}
