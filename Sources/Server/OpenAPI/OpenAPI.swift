import CampaignCore
import Storage

/// The description of the HTTP interface that `GET /openapi.json` answers, in OpenAPI 3.1.
///
/// Routes, problem codes, refusal codes and roles are taken from the enums that the service answers with, so that the
/// description cannot name others.
enum OpenAPI {
    /// The document, made once.
    static let document = JSON.object([
        .init("openapi", "3.1.0"),
        .init("info", info),
        .init("security", [["apiKey": []]]),
        .init("paths", paths),
        .init("components", components),
    ]).bytes

    private static let info: JSON = [
        "title": "Holdfast",
        "version": "1",
        "summary": "Offers and retention for apps that sell subscriptions on the App Store.",
        "description": .string(
            "JSON in UTF-8. Instants are integer milliseconds since 1970, absent values are null in answers, and null "
                + "in a request counts as absent. Unknown request fields are refused by name. A refusal is an answer "
                + "(200) with its reasons; whatever is not an answer is application/problem+json with a stable code."),
        "license": ["name": "MIT", "identifier": "MIT"],
    ]

    /// One object a path, one member a method.
    private static var paths: JSON {
        var paths: [JSON.Member] = []
        for path in Route.table.map(\.path) where !paths.contains(where: { $0.key == path.text }) {
            let operations = Route.table.filter { $0.path == path }
            paths.append(
                .init(
                    path.text,
                    .object(operations.map { .init($0.method.lowercased(), operation($0.route, path)) })))
        }
        return .object(paths)
    }

    private static func operation(_ route: Route, _ path: PathPattern) -> JSON {
        var members: [JSON.Member] = [
            .init("operationId", .string(route.name)),
            .init("summary", .string(route.summary)),
        ]
        if route.roles.isEmpty {
            members.append(.init("security", []))
        } else {
            let roles = route.roles.map(\.rawValue)
            members.append(.init("description", .string("For keys with the role \(roles.joined(separator: " or ")).")))
            members.append(.init("x-roles", .array(roles.map(JSON.string))))
        }
        let parameters = parameters(of: route, path)
        if !parameters.isEmpty { members.append(.init("parameters", .array(parameters))) }
        if let body = route.requestSchema {
            let content: JSON = [
                "application/json": ["schema": reference("schemas", body), "example": route.requestExample]
            ]
            members.append(.init("requestBody", ["required": .bool(true), "content": content]))
        }
        if let content = route.fileContent {
            members.append(.init("requestBody", ["required": .bool(true), "content": content]))
        }
        let success = JSON.Member("200", ["description": .string(route.success), "content": route.answerContent])
        let problems = route.problemStatuses.map { status in
            JSON.Member(String(status), reference("responses", responseName(status)))
        }
        members.append(.init("responses", .object([success] + problems)))
        return .object(members)
    }

    private static func parameters(of route: Route, _ path: PathPattern) -> [JSON] {
        let inPath = path.argumentName.map { name -> JSON in
            let (schema, example): (JSON, JSON) =
                route == .recordOutcome
                ? (
                    ["type": "string", "format": "uuid", "description": "that of the answer which gave the offer"],
                    "9d0a2f6f-0f5f-4c11-8c1d-6f1f3a7e1c15"
                ) : (transactionId("string", "the subscription, in any app and environment"), "2000000000000001")
            return [
                "name": .string(name), "in": "path", "required": .bool(true), "schema": schema, "example": example,
            ]
        }
        return [inPath].compactMap(\.self) + route.queryParameters
    }

    private static var components: JSON {
        let security: JSON = [
            "apiKey": [
                "type": "http", "scheme": "bearer",
                "description": "A key of 'holdfast key create'; its role and its app say what it may do.",
            ]
        ]
        return ["securitySchemes": security, "schemas": schemas, "responses": problemResponses]
    }

    static func reference(_ kind: String, _ name: String) -> JSON {
        ["$ref": .string("#/components/\(kind)/\(name)")]
    }
}
