extension CampaignSchema {
    static func property(_ key: LimitsKey) -> JSON {
        switch key {
        case .frequencyCap:
            described(
                oneOrMore(cap, atMost: CampaignLimits.frequencyCaps),
                "how many offers a customer is given, and in which time")
        case .quietHours:
            described(
                mapping(QuietHoursKey.self, required: [.from, .to, .timeZone], property),
                "when nothing is sent; whoever asks is answered")
        case .redemptions: mapping(RedemptionsKey.self, required: [.atMost], property)
        }
    }

    private static var cap: JSON {
        var cap = mapping(FrequencyCapKey.self, required: [.atMost], property)
        if case .object(let members) = cap {
            cap = .object(members + [.init("oneOf", .array([needs("every"), needs("per")]))])
        }
        return cap
    }

    private static func property(_ key: FrequencyCapKey) -> JSON {
        switch key {
        case .atMost: integer(CampaignLimits.frequencyCapAtMost)
        case .every: described(span, "a stretch that rolls: the last so many days, hours or minutes")
        case .per: described(words([FrequencyCap.calendarDay]), "a day of the customer's calendar")
        case .across:
            described(words(FrequencyCap.Scope.allCases.map(\.rawValue)), "what is counted; thisCampaign when left out")
        }
    }

    private static func property(_ key: QuietHoursKey) -> JSON {
        switch key {
        case .from, .to: ["type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"]
        case .timeZone: described(["type": "string"], "an IANA name, or 'subscriber' for the one that the app reported")
        case .otherwise: described(["type": "string"], "an IANA name, for whom the app reported none")
        }
    }

    private static func property(_ key: RedemptionsKey) -> JSON {
        switch key {
        case .atMost: described(integer(CampaignLimits.redemptionsAtMost), "the campaign ends itself here")
        }
    }

    static func property(_ key: RuleKey) -> JSON {
        switch key {
        case .rule: described(name, "unique in the campaign")
        case .when: described(mapping(WhenKey.self, property), "a condition that is left out always holds")
        case .via: described(oneOrMore(words(Rule.Via.allCases.map(\.rawValue))), "the doors; app when left out")
        case .sendAt:
            described(
                oneOrMore(
                    ["type": "string", "pattern": "^(opens|opens\\+(0|[1-9][0-9]*)[mhdw]|closes-[1-9][0-9]*[mhdw])$"],
                    atMost: CampaignLimits.sendsOfRule), "when a send is due, such as opens+1h or closes-2d")
        case .retentionMessage: described(name, "a message of messages.yaml")
        case .offers:
            described(
                oneOrMore(offer, atMost: CampaignLimits.offersOfRule), "tried in order; the first available is given")
        case .message: described(name, "what is said beside the offer or in its place; a word for the app")
        }
    }

    private static func property(_ key: WhenKey) -> JSON {
        switch key {
        case .status: condition(words(SubscriptionStatus.State.allCases.map(\.rawValue)))
        case .autoRenewStatus: condition(words(AutoRenewStatus.inCampaigns.map(\.name)))
        case .expirationIntent: condition(words(ExpirationIntent.inCampaigns.map(\.name)))
        case .productId: described(condition(identifier), "of the current period")
        case .offerType: described(condition(words(OfferType.named.map(\.name))), "of the current period")
        case .pendingChange: condition(words(PlanChange.allCases.map(\.rawValue)))
        case .untilExpires: described(range, "from now to the end of the period")
        case .sinceExpired: described(range, "from the end of the period to now")
        }
    }

    private static var range: JSON {
        var range = mapping(SpanRangeKey.self, property)
        if case .object(let members) = range { range = .object(members + [.init("minProperties", .integer(1))]) }
        return range
    }

    private static func property(_ key: SpanRangeKey) -> JSON {
        switch key {
        case .atLeast, .atMost: described(span, "inclusive")
        }
    }

    private static var offer: JSON {
        var offer = mapping(OfferKey.self, property)
        if case .object(let members) = offer {
            offer = .object(members + [.init("oneOf", .array(OfferKey.kinds.map { needs($0.rawValue) }))])
        }
        return offer
    }

    private static func property(_ key: OfferKey) -> JSON {
        switch key {
        case .promotionalOffer: described(identifier, "the offer's identifier in App Store Connect")
        case .winBackOffer: described(identifier, "the offer's identifier in App Store Connect")
        case .offerCode: described(identifier, "the reference name of the offer that the codes belong to")
        case .alternateProduct: described(identifier, "another product of the group; only in a retention message")
        case .productId: described(identifier, "the product that the offer is on")
        case .variant: described(name, "for this arm alone")
        }
    }

    /// An object that has the key, whatever else it has.
    private static func needs(_ key: String) -> JSON { ["required": .array([.string(key)])] }
}
