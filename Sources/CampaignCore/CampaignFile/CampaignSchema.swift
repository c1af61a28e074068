/// The JSON Schema of campaign files, for editors that complete keys and mark faults while one writes.
///
/// It is made of the reader's own tables of keys, so that no key is in one and not in the other. What a schema cannot say,
/// such as that an offer is in the catalogue, `campaign check` says. Source: JSON Schema 2020-12.
public enum CampaignSchema {
    /// Of one campaign's file; that of `messages.yaml` is at `#/$defs/messages`.
    public static var json: JSON {
        var members: [JSON.Member] = [
            .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
            .init("title", "Holdfast campaign"),
        ]
        let campaign = mapping(CampaignKey.self, required: [.schema, .campaign, .status, .audience, .rules], property)
        guard case .object(let own) = campaign else { return campaign }
        members += own
        members.append(
            .init("$defs", ["messages": mapping(MessagesKey.self, required: [.schema, .messages], property)]))
        return .object(members)
    }

    private static func property(_ key: CampaignKey) -> JSON {
        switch key {
        case .schema: described(["const": .integer(CampaignLimits.schema)], "the version of the format")
        case .campaign: described(name, "never used again: caps, holdouts and results are counted under it")
        case .priority: described(integer(CampaignLimits.priorities), "higher is asked first; 0 when left out")
        case .owner: described(["type": "string"], "whom to ask about the campaign; nothing is sent there")
        case .status:
            described(words(Campaign.Status.allCases.map(\.rawValue)), "a draft is seen by test customers alone")
        case .starts: described(instant, "gives nothing before")
        case .ends: described(instant, "gives nothing from here on")
        case .audience:
            described(
                mapping(AudienceKey.self, required: [.bundleId, .environment], property),
                "whom the campaign is for; a condition that is left out holds for everyone")
        case .holdout:
            described(mapping(HoldoutKey.self, required: [.percent], property), "the control group, which gets nothing")
        case .variants:
            described(
                [
                    "type": "array", "minItems": .integer(2), "maxItems": .integer(Int64(CampaignLimits.variants)),
                    "items": mapping(VariantKey.self, required: [.name, .weight], property),
                ], "the arms that are compared; offers may name the one that they are for")
        case .testCustomers:
            described(oneOrMore(identifier), "who see a draft: appAccountTokens or originalTransactionIds")
        case .limits: described(mapping(LimitsKey.self, property), "how often, and when not")
        case .rules:
            described(
                oneOrMore(
                    mapping(RuleKey.self, required: [.rule], property), atMost: CampaignLimits.rules),
                "tried in order; the first that holds is used")
        }
    }

    private static func property(_ key: AudienceKey) -> JSON {
        switch key {
        case .bundleId: described(identifier, "the app, as in App Store Connect")
        case .environment: words(AppStoreEnvironment.inCampaigns.map(\.rawValue))
        case .productId: described(condition(identifier), "of the current period")
        case .subscriptionGroupIdentifier: condition(identifier)
        case .inAppOwnershipType:
            described(
                condition(words(InAppOwnershipType.inCampaigns.map(\.rawValue))), "the payer, or family members")
        case .storefront:
            described(condition(["type": "string", "pattern": "^[A-Z]{3}$"]), "three letters, such as DEU")
        }
    }

    private static func property(_ key: HoldoutKey) -> JSON {
        switch key {
        case .percent: integer(0...100)
        case .salt: described(name, "another salt draws another group; the campaign's name when left out")
        case .global:
            described(["type": "boolean"], "whether all campaigns with this salt hold out the same customers")
        }
    }

    private static func property(_ key: VariantKey) -> JSON {
        switch key {
        case .name: name
        case .weight: described(integer(CampaignLimits.weights), "its share of the sum of all weights")
        }
    }

    private static func property(_ key: MessagesKey) -> JSON {
        switch key {
        case .schema: ["const": .integer(CampaignLimits.schema)]
        case .messages:
            described(
                [
                    "type": "object", "propertyNames": ["pattern": .string(namePattern)],
                    "additionalProperties": [
                        "type": "object", "minProperties": .integer(1),
                        "additionalProperties": [
                            "type": "string",
                            "pattern":
                                "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
                        ],
                    ],
                ], "Apple's messageIdentifier of each message by locale")
        }
    }
}
