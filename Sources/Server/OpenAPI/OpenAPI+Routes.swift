import CampaignCore

/// What the description says of each route; a route without its words does not compile.
extension Route {
    var summary: String {
        switch self {
        case .signPromotionalOffer: "Sign a promotional offer for one purchase attempt of one customer."
        case .signIntroductoryOfferEligibility:
            "Sign whether one customer may have the introductory offer, for one purchase attempt."
        case .receiveNotification: "Take an App Store Server Notification, version 2."
        case .subscriberStatus: "What one customer's subscription is now."
        case .showSubscriber: "What one subscription is now."
        case .showEligibility: "Every offer of the catalogue for one subscriber, eligible or with every reason why not."
        case .giveOffer: "Give one customer the best that any campaign has for them now."
        case .recordOutcome: "Tell what became of an offer that a campaign gave."
        case .listCampaigns: "Every campaign in force, with what it gave."
        case .claimCode: "Give one customer a code of an offer, the same one whenever they ask."
        case .loadCodes: "Load one-time codes as App Store Connect gives them, all of them or none."
        case .listCodes: "What is left of every batch, offer and quota."
        case .describeAPI: "This description."
        case .live: "Whether the process answers."
        case .ready: "Whether a row can be written and committed."
        case .metrics: "Counters and gauges as Prometheus reads them."
        }
    }

    /// What a 200 means.
    var success: String {
        switch self {
        case .signPromotionalOffer, .signIntroductoryOfferEligibility:
            "The decision, offered or refused with every reason. The same requestId and body get the very same answer "
                + "for 24 hours; another purchase attempt asks with a new requestId."
        case .receiveNotification:
            "Logged and folded in one commit, or logged before; the App Store need not send it again."
        case .subscriberStatus, .showSubscriber: "The status, derived from signed facts at this moment."
        case .showEligibility: "One entry an offer."
        case .giveOffer:
            "The decision, offered or refused with every reason. The same requestId and body get the very same answer "
                + "for 24 hours; another purchase attempt asks with a new requestId. A request that names or proves a "
                + "subscription is about that one, any other about all of the customer's."
        case .recordOutcome: "What holds now: the last word, but a purchase is final."
        case .listCampaigns: "In the order in which they are asked."
        case .claimCode:
            "The decision, granted with a code or refused with every reason. The same requestId and body get the very "
                + "same answer for 24 hours, and the same customer the same code of an offer for ever."
        case .loadCodes:
            "Loaded, unchanged because the codes are there already, or refused with every reason and nothing changed. "
                + "The same requestId, parameters and file get the very same answer for 24 hours."
        case .listCodes: "The inventory at this moment; codes are masked."
        case .describeAPI: "An OpenAPI 3.1 document."
        case .live: "It answers."
        case .ready: "The database takes writes."
        case .metrics: "The text format of Prometheus."
        }
    }

    /// The schema of the body; nil for a route that takes none.
    var requestSchema: String? {
        switch self {
        case .signPromotionalOffer: "PromotionalOfferRequest"
        case .signIntroductoryOfferEligibility: "IntroductoryOfferEligibilityRequest"
        case .receiveNotification: "NotificationRequest"
        case .subscriberStatus: "SubscriberStatusRequest"
        case .giveOffer: "OfferRequest"
        case .recordOutcome: "OfferOutcomeRequest"
        case .claimCode: "CodeClaimRequest"
        case .showSubscriber, .showEligibility, .listCampaigns, .loadCodes, .listCodes, .describeAPI, .live, .ready,
            .metrics:
            nil
        }
    }

    /// The parameters of the query.
    var queryParameters: [JSON] {
        switch self {
        case .showSubscriber, .showEligibility:
            [
                [
                    "name": "bundleId", "in": "query", "required": .bool(true),
                    "schema": OpenAPI.identifier("a configured app"), "example": "com.example.reader",
                ],
                [
                    "name": "environment", "in": "query", "required": .bool(true),
                    "schema": ["enum": ["Production", "Sandbox"]], "example": "Production",
                ],
            ]
        case .loadCodes: OpenAPI.codeLoadParameters
        case .listCodes, .listCampaigns:
            [
                [
                    "name": "bundleId", "in": "query", "required": .bool(false),
                    "schema": OpenAPI.identifier("one app; all when left out"), "example": "com.example.reader",
                ]
            ]
        case .signPromotionalOffer, .signIntroductoryOfferEligibility, .receiveNotification, .subscriberStatus,
            .giveOffer, .recordOutcome, .claimCode, .describeAPI, .live, .ready, .metrics:
            []
        }
    }

    /// The media types of a body that is no JSON; nil for a route that takes none.
    var fileContent: JSON? {
        guard self == .loadCodes else { return nil }
        let file: JSON = [
            "schema": [
                "type": "string",
                "description": "one code a line, or CSV with the code and its link; also packed by gzip",
            ],
            "example": "ABCDEF123456GHIJKL\n",
        ]
        return ["text/csv": file]
    }

    /// A body that the schema allows; null for a route that takes none.
    var requestExample: JSON {
        let common: [JSON.Member] = [
            .init("requestId", "6f1f3a7e-8c1d-4a56-9d0a-2f6f0f5f1c11"), .init("bundleId", "com.example.reader"),
            .init("environment", "Production"), .init("productId", "reader.monthly"),
        ]
        return switch self {
        case .signPromotionalOffer:
            .object(
                common + [
                    .init("offerIdentifier", "save_50_3mo"), .init("originalTransactionId", "2000000000000001"),
                    .init("appAccountToken", "0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e"),
                ])
        case .signIntroductoryOfferEligibility:
            .object(
                common + [
                    .init("originalTransactionId", "2000000000000001"), .init("transactionId", "2000000000000001"),
                ])
        case .receiveNotification: ["signedPayload": "eyJhbGciOiJFUzI1NiJ9.eyJzaWduZWREYXRlIjoxfQ.c2lnbmF0dXJl"]
        case .subscriberStatus:
            [
                "bundleId": "com.example.reader", "environment": "Production",
                "originalTransactionId": "2000000000000001",
            ]
        case .claimCode:
            [
                "requestId": "6f1f3a7e-8c1d-4a56-9d0a-2f6f0f5f1c13", "bundleId": "com.example.reader",
                "environment": "Production", "offer": "BACK30", "customer": "4711",
            ]
        case .giveOffer:
            [
                "requestId": "6f1f3a7e-8c1d-4a56-9d0a-2f6f0f5f1c14", "bundleId": "com.example.reader",
                "environment": "Production", "originalTransactionId": "2000000000000001", "via": "app",
                "timeZone": "Europe/Berlin",
            ]
        case .recordOutcome:
            ["requestId": "6f1f3a7e-8c1d-4a56-9d0a-2f6f0f5f1c15", "outcome": "purchased"]
        case .showSubscriber, .showEligibility, .listCampaigns, .loadCodes, .listCodes, .describeAPI, .live, .ready,
            .metrics:
            .null
        }
    }

    /// The media type of a 200 with its schema.
    var answerContent: JSON {
        switch self {
        case .signPromotionalOffer: Self.json(OpenAPI.reference("schemas", "PromotionalOfferAnswer"))
        case .signIntroductoryOfferEligibility:
            Self.json(OpenAPI.reference("schemas", "IntroductoryOfferEligibilityAnswer"))
        case .receiveNotification: Self.json(OpenAPI.reference("schemas", "NotificationAnswer"))
        case .subscriberStatus, .showSubscriber: Self.json(OpenAPI.reference("schemas", "Subscriber"))
        case .showEligibility: Self.json(OpenAPI.reference("schemas", "Eligibility"))
        case .giveOffer: Self.json(OpenAPI.reference("schemas", "OfferAnswer"))
        case .recordOutcome: Self.json(OpenAPI.reference("schemas", "OfferOutcomeAnswer"))
        case .listCampaigns: Self.json(OpenAPI.reference("schemas", "Campaigns"))
        case .claimCode: Self.json(OpenAPI.reference("schemas", "CodeClaimAnswer"))
        case .loadCodes: Self.json(OpenAPI.reference("schemas", "CodeLoadAnswer"))
        case .listCodes: Self.json(OpenAPI.reference("schemas", "CodeBatches"))
        case .describeAPI: Self.json(["type": "object", "required": ["openapi", "info", "paths"]])
        case .live: Self.json(Self.status("live"))
        case .ready: Self.json(Self.status("ready"))
        case .metrics: ["text/plain": ["schema": ["type": "string"]]]
        }
    }

    private static func json(_ schema: JSON) -> JSON { ["application/json": ["schema": schema]] }

    private static func status(_ word: String) -> JSON {
        ["type": "object", "required": ["status"], "properties": ["status": ["const": .string(word)]]]
    }
}
