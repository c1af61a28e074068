import CampaignCore

extension OpenAPI {
    /// The name of the response component for all problems of `status`.
    static func responseName(_ status: Int) -> String { "Problem\(status)" }

    /// One response a status, with every code that has it.
    static var problemResponses: JSON {
        .object(
            Set(ProblemCode.allCases.map(\.status)).sorted().map { status in
                .init(responseName(status), response(status))
            })
    }

    private static func response(_ status: Int) -> JSON {
        let codes = ProblemCode.allCases.filter { $0.status == status }
        let listed = codes.map { "`\($0.rawValue)`: \($0.title)" }.joined(separator: "; ")
        let schema: JSON = [
            "allOf": [
                reference("schemas", "Problem"),
                [
                    "properties": [
                        "code": ["enum": .array(codes.map { .string($0.rawValue) })],
                        "status": ["const": .integer(Int64(status))],
                    ]
                ],
            ]
        ]
        var members: [JSON.Member] = [.init("description", .string(listed))]
        if let header = header(of: status) { members.append(.init("headers", header)) }
        members.append(.init("content", ["application/problem+json": ["schema": schema]]))
        return .object(members)
    }

    /// The header that tells a client how to go on.
    private static func header(of status: Int) -> JSON? {
        switch status {
        case 401:
            ["WWW-Authenticate": ["required": .bool(true), "schema": ["type": "string"]]]
        case 405:
            ["Allow": ["required": .bool(true), "schema": ["type": "string"]]]
        case 429, 503:
            [
                "Retry-After": [
                    "description": "seconds until a new attempt makes sense", "required": .bool(true),
                    "schema": ["type": "string", "pattern": "^[0-9]+$"],
                ]
            ]
        default: nil
        }
    }

    static let problemSchema: JSON = [
        "type": "object",
        "required": ["code", "title", "status", "detail", "fields", "requestId"],
        "properties": [
            "code": [
                "description": "stable; programs may rely on it",
                "enum": .array(ProblemCode.allCases.map { .string($0.rawValue) }),
            ],
            "title": ["type": "string"],
            "status": ["type": "integer"],
            "detail": ["type": "string", "description": "what happened and what to do next, for a person"],
            "fields": [
                "type": "array", "items": ["type": "string"], "description": "the request fields at fault",
            ],
            "requestId": [
                "type": ["string", "null"], "format": "uuid", "description": "the request's own, once it could be read",
            ],
        ],
    ]
}

extension Route {
    /// Whether the same `requestId` gets the same answer.
    private var takesRequestId: Bool {
        switch self {
        case .signPromotionalOffer, .signIntroductoryOfferEligibility, .giveOffer, .recordOutcome, .claimCode,
            .loadCodes:
            true
        case .receiveNotification, .subscriberStatus, .showSubscriber, .showEligibility, .listCampaigns, .listCodes,
            .describeAPI, .live, .ready, .metrics:
            false
        }
    }

    /// The statuses of the problems that this route may answer with.
    ///
    /// Judged by status and not by code, so that a new code of a known kind is described without being listed here.
    var problemStatuses: [Int] {
        Set(ProblemCode.allCases.map(\.status)).sorted().filter { status in
            switch status {
            case 401, 403: !roles.isEmpty
            case 404:
                self == .subscriberStatus || self == .showSubscriber || self == .showEligibility
                    || self == .recordOutcome
            // Of other methods.
            case 405: false
            case 409: takesRequestId
            case 422: requestSchema != nil || !queryParameters.isEmpty
            default: true
            }
        }
    }
}
