import CampaignCore

/// The schemas of notifications, of a subscriber's status and of what a subscriber is eligible for.
extension OpenAPI {
    static let notificationRequest: JSON = [
        "type": "object", "required": ["signedPayload"],
        "properties": [
            "signedPayload": [
                "type": "string", "pattern": "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$",
                "description": "the compact JWS as the App Store posts it; other fields are ignored",
            ]
        ],
    ]

    static let notificationAnswer: JSON = [
        "type": "object", "required": ["outcome"],
        "properties": [
            "outcome": [
                "enum": .array(NotificationOutcome.allCases.map { .string($0.rawValue) }),
                "description": "what became of it; the App Store ignores this",
            ]
        ],
    ]

    static var subscriberStatusRequest: JSON {
        naming(
            required: ["bundleId", "environment"],
            [
                .init("bundleId", identifier("a configured app")),
                .init("environment", ["enum": ["Production", "Sandbox"]]),
                .init(
                    "timeZone",
                    [
                        "type": ["string", "null"],
                        "description": "the customer's IANA time zone, such as Europe/Berlin, for quiet hours",
                    ]),
            ])
    }

    static var subscriber: JSON {
        object([
            .init("originalTransactionId", ["type": "string"]),
            .init("bundleId", ["type": "string"]),
            .init("environment", ["enum": ["Production", "Sandbox"]]),
            .init("productId", ["type": "string"]),
            .init("status", words(SubscriptionStatus.State.self)),
            .init("autoRenewStatus", ["type": ["string", "null"]]),
            .init("expiresDate", ["type": "integer"]),
            .init("gracePeriodExpiresDate", ["type": ["integer", "null"]]),
            .init("daysRemaining", ["type": ["integer", "null"], "description": "to the end of the grace period"]),
            .init("expirationIntent", ["type": ["string", "null"]]),
            .init("access", words(SubscriptionStatus.Access.self)),
            .init("accessLevel", ["type": ["string", "null"]]),
            .init("message", words(SubscriptionStatus.Message.self)),
            .init(
                "pendingChange",
                orNull([
                    .init("kind", words(PlanChange.self)), .init("productId", ["type": "string"]),
                    .init("effectiveDate", ["type": "integer"]),
                ])),
            .init(
                "saveWindow",
                orNull([
                    .init("opensDate", ["type": "integer"]), .init("closesDate", ["type": "integer"]),
                ])),
            .init("eligibleWinBackOfferIds", ["type": "array", "items": ["type": "string"]]),
        ])
    }

    static var eligibility: JSON {
        let offer = object([
            .init("productId", ["type": "string"]),
            .init("offerType", ["enum": .array(OfferType.named.map { .string($0.name) })]),
            .init(
                "offerIdentifier",
                ["type": ["string", "null"], "description": "an introductory offer has none"]),
            .init("eligible", ["type": "boolean"]),
            .init("reasons", ["type": "array", "items": reference("schemas", "Reason")]),
        ])
        return object([
            .init("originalTransactionId", ["type": "string"]),
            .init("bundleId", ["type": "string"]),
            .init("environment", ["enum": ["Production", "Sandbox"]]),
            .init("offers", ["type": "array", "items": offer]),
        ])
    }

    static func object(_ members: [JSON.Member]) -> JSON {
        [
            "type": "object", "required": .array(members.map { .string($0.key) }), "properties": .object(members),
            "additionalProperties": .bool(false),
        ]
    }

    private static func orNull(_ members: [JSON.Member]) -> JSON {
        ["oneOf": [object(members), ["type": "null"]]]
    }

    private static func words<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> JSON {
        ["enum": .array(Word.allCases.map { .string($0.rawValue) })]
    }
}
