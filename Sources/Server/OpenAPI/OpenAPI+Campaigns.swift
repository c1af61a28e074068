import CampaignCore

/// The schemas of campaigns and what they give.
extension OpenAPI {
    private static let requestId: JSON.Member = .init(
        "requestId", ["type": "string", "format": "uuid", "description": "a new UUID for each attempt"])

    static var offerRequest: JSON {
        naming(
            required: ["requestId", "bundleId", "environment", "via"],
            [
                requestId, .init("bundleId", identifier("a configured app")),
                .init("environment", ["enum": ["Production", "Sandbox"]]),
                .init("via", ["const": .string(OfferRequest.via.rawValue)]),
                .init(
                    "campaign",
                    [
                        "type": ["string", "null"], "minLength": .integer(1),
                        "maxLength": .integer(Int64(Limits.identifierLength)),
                        "description": "the only campaign that is asked; all when left out",
                    ]),
                .init(
                    "timeZone",
                    [
                        "type": ["string", "null"],
                        "description": "the customer's IANA time zone, such as Europe/Berlin; kept for later",
                    ]),
            ])
    }

    static var offerAnswer: JSON {
        let text: JSON = ["type": "string"]
        let textOrNull: JSON = ["type": ["string", "null"]]
        return answer(
            offered: [
                .init("grantId", ["type": "string", "format": "uuid", "description": "names it in the outcome"]),
                .init("campaign", text), .init("rule", text), .init("variant", textOrNull),
                .init("offerType", ["enum": ["promotionalOffer", "winBackOffer", "offerCode", "message"]]),
                .init("productId", textOrNull), .init("offerIdentifier", textOrNull),
                .init("expiresDate", ["type": ["integer", "null"], "description": "of the signature or the code"]),
                .init("v1", v1Signature), .init("v2", v2Signature),
                .init("code", ["type": ["string", "null"], "pattern": "^[A-Z0-9]+$"]),
                .init("redemptionURL", ["type": ["string", "null"], "format": "uri"]),
                .init("message", textOrNull),
            ], refused: Service.offerMembers.map { .init($0, absent) })
    }

    private static let outcome: JSON = ["enum": .array(GivenOffer.Outcome.allCases.map { .string($0.rawValue) })]

    static var offerOutcomeRequest: JSON {
        [
            "type": "object", "additionalProperties": .bool(false), "required": ["requestId", "outcome"],
            "properties": .object([
                requestId, .init("outcome", outcome),
                .init(
                    "error",
                    [
                        "type": ["string", "null"],
                        "description": "the app's own word about a purchase that failed, at most 1000 bytes",
                    ]),
            ]),
        ]
    }

    static var offerOutcomeAnswer: JSON {
        object([.init("grantId", ["type": "string", "format": "uuid"]), .init("outcome", outcome)])
    }

    static var campaigns: JSON {
        let text: JSON = ["type": "string"]
        let number: JSON = ["type": "integer"]
        let instantOrNull: JSON = ["type": ["integer", "null"]]
        let campaign = object([
            .init("campaign", text), .init("bundleId", text),
            .init("environment", ["enum": ["Production", "Sandbox"]]),
            .init("status", ["enum": .array(Campaign.Status.allCases.map { .string($0.rawValue) })]),
            .init("priority", number), .init("starts", instantOrNull), .init("ends", instantOrNull),
            .init("digest", ["type": "string", "description": "SHA-256 of the campaign's file"]),
            .init("rules", ["type": "array", "items": text]), .init("given", number), .init("redeemed", number),
            .init("heldOut", number),
        ])
        return object([.init("campaigns", ["type": "array", "items": campaign])])
    }
}
