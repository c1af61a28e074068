import CampaignCore

extension OpenAPI {
    static var schemas: JSON {
        [
            "Problem": problemSchema,
            "Reason": reason,
            "PromotionalOfferRequest": promotionalOfferRequest,
            "PromotionalOfferAnswer": promotionalOfferAnswer,
            "IntroductoryOfferEligibilityRequest": introductoryOfferRequest,
            "IntroductoryOfferEligibilityAnswer": introductoryOfferAnswer,
            "NotificationRequest": notificationRequest,
            "NotificationAnswer": notificationAnswer,
            "SubscriberStatusRequest": subscriberStatusRequest,
            "Subscriber": subscriber,
            "Eligibility": eligibility,
            "OfferRequest": offerRequest,
            "OfferAnswer": offerAnswer,
            "OfferOutcomeRequest": offerOutcomeRequest,
            "OfferOutcomeAnswer": offerOutcomeAnswer,
            "Campaigns": campaigns,
            "CodeClaimRequest": codeClaimRequest,
            "CodeClaimAnswer": codeClaimAnswer,
            "CodeLoadAnswer": codeLoadAnswer,
            "CodeBatches": codeBatches,
        ]
    }

    // MARK: - Requests

    private static var promotionalOfferRequest: JSON {
        request(
            required: ["offerIdentifier"],
            [
                .init("offerIdentifier", identifier("the promotional offer on the product")),
                .init(
                    "formats",
                    [
                        "type": ["array", "null"], "minItems": .integer(1),
                        "items": ["enum": .array(PromotionalOfferWanted.formats.map(JSON.string))],
                        "description": "the forms of signature; all when left out",
                    ]),
            ])
    }

    private static var introductoryOfferRequest: JSON {
        request(
            required: ["transactionId"],
            [
                .init(
                    "transactionId",
                    transactionId("string", "any transactionId of the customer, or their appTransactionId")),
                .init(
                    "allowIntroductoryOffer",
                    [
                        "type": ["boolean", "null"],
                        "description": .string(
                            "signed as said, but for a true from a device, which our own eligibility has to confirm; "
                                + "when left out, our own eligibility decides"),
                    ]),
            ])
    }

    /// The fields of every route that signs, with those of one route.
    private static func request(required: [String], _ own: [JSON.Member]) -> JSON {
        let common: [JSON.Member] = [
            .init(
                "requestId",
                ["type": "string", "format": "uuid", "description": "a new UUID for each purchase attempt"]),
            .init("bundleId", identifier("a configured app")),
            .init("environment", ["enum": ["Production", "Sandbox"]]),
            .init("productId", identifier("a subscription of the app's catalogue")),
        ]
        let required = ["requestId", "bundleId", "environment", "productId"] + required
        return naming(required: required, common + own)
    }

    /// A request whose customer is named in at least one of four ways.
    static func naming(required: [String], _ members: [JSON.Member]) -> JSON {
        let customer: [JSON.Member] = [
            .init("originalTransactionId", transactionId(["string", "null"], "the customer's subscription")),
            .init(
                "appAccountToken",
                [
                    "type": ["string", "null"], "format": "uuid",
                    "description": "the token that the app passes to StoreKit; what is signed into V1",
                ]),
            .init("signedTransactionInfo", signed("a transaction of the customer, as StoreKit gives it")),
            .init("signedAppTransactionInfo", signed("the customer's download, as StoreKit gives it")),
        ]
        return [
            "type": "object", "additionalProperties": .bool(false),
            "required": .array(required.map(JSON.string)),
            "anyOf": .array(
                CustomerFields.names.map { name in
                    [
                        "required": [.string(name)],
                        "properties": .object([.init(name, ["type": "string"])]),
                    ]
                }),
            "properties": .object(members + customer),
        ]
    }

    static func identifier(_ description: String) -> JSON {
        [
            "type": "string", "minLength": .integer(1), "maxLength": .integer(Int64(Limits.identifierLength)),
            "description": .string(description),
        ]
    }

    static func transactionId(_ type: JSON, _ description: String) -> JSON {
        [
            "type": type, "pattern": "^[!-~]+$", "maxLength": .integer(Int64(Limits.identifierLength)),
            "description": .string(description),
        ]
    }

    static func signed(_ description: String) -> JSON {
        [
            "type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$",
            "description": .string(description),
        ]
    }

    // MARK: - Answers

    static let reason: JSON = [
        "type": "object", "required": ["code", "detail"],
        "properties": [
            "code": ["enum": .array(Refusal.allCodes.map(JSON.string))],
            "detail": ["type": "string", "description": "what a client's developer can do about it"],
        ],
    ]

    static let absent: JSON = ["type": "null"]

    private static var promotionalOfferAnswer: JSON {
        let names: [JSON.Member] = [
            .init("productId", ["type": "string"]), .init("offerIdentifier", ["type": "string"]),
        ]
        return answer(
            offered: names + [
                .init("expiresDate", ["type": "integer"]), .init("v1", v1Signature), .init("v2", v2Signature),
            ],
            refused: names + [.init("expiresDate", absent), .init("v1", absent), .init("v2", absent)])
    }

    /// The first form of a signature; null when it was not asked for.
    static let v1Signature: JSON = [
        "type": ["object", "null"],
        "required": ["keyIdentifier", "nonce", "timestamp", "signature", "appAccountToken"],
        "properties": [
            "keyIdentifier": ["type": "string"],
            "nonce": ["type": "string", "format": "uuid"],
            "timestamp": ["type": "integer"],
            "signature": ["type": "string", "contentEncoding": "base64"],
            "appAccountToken": [
                "type": ["string", "null"], "format": "uuid",
                "description": "what was signed; pass exactly this to StoreKit",
            ],
        ],
    ]

    /// The second.
    static let v2Signature: JSON = [
        "type": ["object", "null"], "required": ["compactJWS"], "properties": ["compactJWS": ["type": "string"]],
    ]

    private static var introductoryOfferAnswer: JSON {
        answer(
            offered: [
                .init("allowIntroductoryOffer", ["type": "boolean"]), .init("compactJWS", ["type": "string"]),
            ],
            refused: [
                .init("allowIntroductoryOffer", ["const": .bool(false)]), .init("compactJWS", absent),
            ])
    }

    /// An answer that offers without a reason against it, or refuses with at least one.
    static func answer(offered: [JSON.Member], refused: [JSON.Member]) -> JSON {
        func object(_ decision: String, _ members: [JSON.Member], reasons: JSON) -> JSON {
            let all = [JSON.Member("decision", ["const": .string(decision)])] + members + [.init("reasons", reasons)]
            return [
                "type": "object", "required": .array(all.map { .string($0.key) }), "properties": .object(all),
                "additionalProperties": .bool(false),
            ]
        }
        return [
            "oneOf": [
                object("offered", offered, reasons: ["type": "array", "maxItems": .integer(0)]),
                object(
                    "refused", refused,
                    reasons: ["type": "array", "minItems": .integer(1), "items": reference("schemas", "Reason")]),
            ]
        ]
    }
}
