import CampaignCore

/// The schemas of offer codes.
extension OpenAPI {
    static var codeClaimRequest: JSON {
        [
            "type": "object", "additionalProperties": .bool(false),
            "required": ["requestId", "bundleId", "environment", "offer"],
            "anyOf": .array(
                CodeClaimRequest.customerFields.map { name in
                    ["required": [.string(name)], "properties": .object([.init(name, ["type": "string"])])]
                }),
            "properties": [
                "requestId": ["type": "string", "format": "uuid", "description": "a new UUID for each claim"],
                "bundleId": identifier("a configured app"),
                "environment": ["enum": ["Production", "Sandbox"]],
                "offer": identifier("the reference name of a code offer"),
                "customer": [
                    "type": ["string", "null"], "minLength": .integer(1), "maxLength": .integer(255),
                    "description": "the caller's own id for the person; a device is named by its proof alone",
                ],
                "signedTransactionInfo": signed("a transaction of the customer, as StoreKit gives it"),
                "signedAppTransactionInfo": signed("the customer's download, as StoreKit gives it"),
            ],
        ]
    }

    static var codeClaimAnswer: JSON {
        let absent: JSON = ["type": "null"]
        let offer = JSON.Member("offer", ["type": "string"])
        return [
            "oneOf": [
                object([
                    .init("decision", ["const": "granted"]), offer, .init("productId", ["type": "string"]),
                    .init("code", ["type": "string", "pattern": "^[A-Z0-9]+$"]),
                    .init("redemptionURL", ["type": "string", "format": "uri"]),
                    .init("expiresDate", ["type": "integer"]),
                    .init("reasons", ["type": "array", "maxItems": .integer(0)]),
                ]),
                object([
                    .init("decision", ["const": "refused"]), offer, .init("productId", absent),
                    .init("code", absent), .init("redemptionURL", absent), .init("expiresDate", absent),
                    .init(
                        "reasons",
                        ["type": "array", "minItems": .integer(1), "items": reference("schemas", "Reason")]),
                ]),
            ]
        ]
    }

    static var codeLoadAnswer: JSON {
        let count: JSON = ["type": ["integer", "null"]]
        return object([
            .init("decision", ["enum": ["loaded", "unchanged", "refused"]]),
            .init("batch", ["type": ["string", "null"]]),
            .init("new", count), .init("duplicates", count), .init("expiresDate", count),
            .init(
                "quota",
                [
                    "oneOf": [
                        object(
                            quarter + [.init("limit", ["type": "integer"]), .init("timeZone", ["type": "string"])]),
                        ["type": "null"],
                    ]
                ]),
            .init(
                "reasons",
                [
                    "type": "array",
                    "items": object([
                        .init("code", ["enum": .array(CodeLoad.reasonCodes.map(JSON.string))]),
                        .init("detail", ["type": "string"]),
                    ]),
                ]),
            .init("linesRefused", ["type": "integer"]),
            .init(
                "lines",
                [
                    "type": "array", "maxItems": .integer(Int64(Limits.refusedLinesTold)),
                    "description": "the first of the refused lines",
                    "items": object([.init("line", ["type": "integer"]), .init("detail", ["type": "string"])]),
                ]),
        ])
    }

    static var codeBatches: JSON {
        let text: JSON = ["type": "string"]
        let number: JSON = ["type": "integer"]
        func numbers(_ names: String...) -> [JSON.Member] { names.map { .init($0, number) } }
        let pool: [JSON.Member] = [
            .init("bundleId", text), .init("environment", ["enum": ["Production", "Sandbox"]]), .init("offer", text),
        ]
        let product = JSON.Member("productId", text)
        let batch = object(
            pool + [
                product, .init("batch", text), .init("state", ["enum": ["ready", "exhausted", "expired", "void"]]),
            ]
                + numbers("total", "free", "claimed", "void", "expired", "expiresDate"))
        let offer = object(
            pool
                + numbers(
                    "free", "claimable", "claimed", "expiringIn7Days", "expiringIn30Days", "claimedIn7Days",
                    "redemptions",
                    "probableRedemptions") + [
                    .init("daysLeft", ["type": ["integer", "null"]]),
                    .init("lowStockThreshold", ["type": ["integer", "null"]]),
                    .init("isLow", ["type": "boolean"]), .init("isDrainingFast", ["type": "boolean"]),
                ])
        let customCode = object(
            pool + [
                product, .init("code", ["type": "string", "description": "masked"]),
                .init("redemptionLimit", number), .init("expiresDate", ["type": ["integer", "null"]]),
            ])
        let quota = object([
            .init("bundleId", text), .init("timeZone", text), .init("limit", number),
            .init("quarters", ["type": "array", "items": object(quarter)]),
        ])
        func list(_ name: String, _ items: JSON) -> JSON.Member { .init(name, ["type": "array", "items": items]) }
        return object([
            list("batches", batch), list("offers", offer), list("customCodes", customCode), list("quotas", quota),
        ])
    }

    private static let quarter: [JSON.Member] = [
        .init("quarter", ["type": "string", "pattern": "^[0-9]{4}-Q[1-4]$"]), .init("used", ["type": "integer"]),
        .init("left", ["type": "integer"]), .init("resetsDate", ["type": "integer"]),
    ]

    /// The parameters of a load, as its query has them.
    static var codeLoadParameters: [JSON] {
        func parameter(_ name: String, _ isRequired: Bool, _ schema: JSON, example: JSON? = nil) -> JSON {
            var members: [JSON.Member] = [
                .init("name", .string(name)), .init("in", "query"), .init("required", .bool(isRequired)),
                .init("schema", schema),
            ]
            if let example { members.append(.init("example", example)) }
            return .object(members)
        }
        return [
            parameter(
                "requestId", true, ["type": "string", "format": "uuid"],
                example: "6f1f3a7e-8c1d-4a56-9d0a-2f6f0f5f1c12"),
            parameter("bundleId", true, identifier("a configured app"), example: "com.example.reader"),
            parameter("environment", true, ["enum": ["Production", "Sandbox"]], example: "Production"),
            parameter("productId", true, identifier("a subscription of the catalogue"), example: "reader.annual"),
            parameter("offer", true, identifier("the reference name of a code offer on it"), example: "BACK30"),
            parameter(
                "expires", true,
                ["type": "string", "description": "the last day of the codes, or an instant as RFC 3339 has it"],
                example: "2027-03-05"),
            parameter(
                "batch", false,
                [
                    "type": "string", "minLength": .integer(1), "maxLength": .integer(100),
                    "description": "what lists call it; made of offer, day and content when left out",
                ]),
            parameter(
                "created", false,
                [
                    "type": "string", "format": "date-time",
                    "description": "when App Store Connect made the codes, which decides the quarter",
                ]),
            parameter(
                "timeZone", false,
                ["type": "string", "description": "the IANA zone whose day 'expires' names; that of the quota"]),
        ]
    }
}
