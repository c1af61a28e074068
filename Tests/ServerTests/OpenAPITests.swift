import CampaignCore
import Foundation
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `The description of the HTTP interface` {
    private let server: TestServer
    private let document: [String: Any]

    init() throws {
        let catalog = Surroundings.project.appendingPathComponent("Fixtures/Catalog/valid/Tide.storekit")
        server = try TestServer(
            catalogText: String(contentsOf: catalog, encoding: .utf8), campaigns: [TestServer.save])
        let answer = try curl("GET", port: server.port, path: "/openapi.json")
        #expect(answer.status == 200 && answer.contentType == "application/json")
        document = answer.json
    }

    private func object(_ keys: String...) throws -> [String: Any] {
        try keys.reduce(document) { object, key in try #require(object[key] as? [String: Any], "\(key)") }
    }

    @Test func `has every route and nothing else`() throws {
        var described: Set<String> = []
        for (path, operations) in try object("paths") {
            for method in try #require(operations as? [String: Any]).keys {
                described.insert("\(method.uppercased()) \(path)")
            }
        }
        #expect(described == Set(Route.table.map { "\($0.method) \($0.path.text)" }))
        #expect(document["openapi"] as? String == "3.1.0")
    }

    @Test func `has every code of a problem with its status, and every reason of a refusal`() throws {
        let responses = try object("components", "responses")
        for code in ProblemCode.allCases {
            let response = try #require(responses["Problem\(code.status)"] as? [String: Any], "\(code)")
            let text = String(decoding: try JSONSerialization.data(withJSONObject: response), as: UTF8.self)
            #expect(text.contains("\"\(code.rawValue)\"") && text.contains(code.title), "\(code)")
        }
        let reason = try object("components", "schemas", "Reason", "properties", "code")
        #expect(reason["enum"] as? [String] == Refusal.allCodes)
    }

    @Test func `every reference leads somewhere`() throws {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
            .replacingOccurrences(of: "\\/", with: "/")
        let references = text.matches(of: /#\/components\/([A-Za-z]+)\/([A-Za-z0-9]+)/)
        #expect(references.count > 20)
        for reference in references {
            let found = try object("components", String(reference.output.1))[String(reference.output.2)]
            #expect(found != nil, "\(reference.output.0)")
        }
    }

    /// The seed may be given in `HOLDFAST_SEED`, the examples of an operation in `HOLDFAST_EXAMPLES`.
    @Test(.timeLimit(.minutes(3)))
    func `schemathesis finds no answer that the description does not allow`() throws {
        try server.subscribe("100")
        let key = try server.makeKey(.operator)
        try #require(server.loadCodes("TIDE1\nTIDE2\nTIDE3\n", key: key).decision == "loaded")
        let grant = try #require(server.campaignOffer(key: key).text("grantId"))
        let variables = ProcessInfo.processInfo.environment
        let seed = variables["HOLDFAST_SEED"] ?? "20261130"
        print("schemathesis runs with the seed \(seed)")
        let result = try run(
            Surroundings.python,
            [
                "-m", "schemathesis.cli", "--config-file",
                Surroundings.project.path + "/Fixtures/OpenAPI/schemathesis.toml", "run",
                "http://127.0.0.1:\(server.port)/openapi.json",
                "--header", "Authorization: Bearer \(key)", "--seed", seed,
                "--max-examples", variables["HOLDFAST_EXAMPLES"] ?? "40",
                "--phases", "examples,coverage,fuzzing", "--generation-database", "none", "--no-color",
            ],
            environment: [
                "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": Surroundings.project.path + "/Fixtures/OpenAPI",
                "PYTHONDONTWRITEBYTECODE": "1", "HOLDFAST_CAMPAIGN": "save", "HOLDFAST_GRANT": grant,
                "HOLDFAST_BUNDLE_ID": "\(TestServer.bundleId)",
                "HOLDFAST_PRODUCT_ID": "tide.monthly", "HOLDFAST_OFFER_IDENTIFIER": "save50",
                "HOLDFAST_CUSTOMER": "100", "HOLDFAST_CODE_OFFER": "THANKS",
            ], in: server.folder.url)
        #expect(result.exitCode == 0, "\(result.text)\(result.errorText)")
        let query = "SELECT count(DISTINCT kind) FROM offer_grant WHERE decision = 'offered'"
        let granted = try run("sqlite3", [server.database, query])
        #expect(granted.text == "3\n", "the run reached an offer on every route that gives one: \(granted.text)")
        let codes = try run(
            "sqlite3",
            [server.database, "SELECT group_concat(DISTINCT decision) FROM offer_grant WHERE kind = 'codeClaim'"])
        #expect(Set(codes.text.dropLast().split(separator: ",")) == ["granted", "refused"], "\(codes.text)")
    }
}
