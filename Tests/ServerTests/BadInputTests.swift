import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `Bad input to the signing route` {
    private let server: TestServer
    private let key: String

    init() throws {
        server = try TestServer()
        key = try server.makeKey(.client)
        try server.subscribe("100")
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let body: String
        let status: Int
        let code: String
        let fields: [String]

        init(_ name: String, _ body: String, _ status: Int, _ code: String, _ fields: [String] = []) {
            testDescription = name
            self.body = body
            self.status = status
            self.code = code
            self.fields = fields
        }
    }

    /// The body of a request that is right, with one member replaced by the text `value`; nil removes it.
    private static func body(_ field: String, _ value: String?) -> String {
        var members = [
            "requestId": "\"\(UUID().uuidString)\"", "bundleId": "\"com.example.tide\"",
            "environment": "\"Production\"", "productId": "\"tide.monthly\"", "offerIdentifier": "\"save50\"",
            "originalTransactionId": "\"100\"",
        ]
        members[field] = value
        return "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    private static let cases: [Case] =
        [
            Case("an empty body", "", 400, "notJSON"), Case("half a body", "{\"requestId\":", 400, "notJSON"),
            Case("an array", "[]", 400, "wrongShape"), Case("null", "null", 400, "wrongShape"),
            Case("text", "\"hello\"", 400, "wrongShape"),
            Case("bytes that are not UTF-8", "{\"a\":\"\u{FFFF}\\ud800\"}", 400, "notJSON"),
            Case("nesting without end", String(repeating: "[", count: 100_000), 400, "notJSON"),
            Case("a key twice", "{\"productId\":\"a\",\"productId\":\"b\"}", 400, "notJSON"),
            Case("nobody named", body("originalTransactionId", nil), 400, "wrongShape", ["originalTransactionId"]),
            Case("an unknown field", body("offerId", "\"save50\""), 400, "wrongShape", ["offerId"]),
            Case("no UUID as requestId", body("requestId", "\"1\""), 422, "invalidValue", ["requestId"]),
            Case("no UUID as token", body("appAccountToken", "\"\""), 422, "invalidValue", ["appAccountToken"]),
            Case(
                "a token with more behind a NUL character",
                body("appAccountToken", "\"0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e\\u0000x\""), 422, "invalidValue",
                ["appAccountToken"]),
            Case(
                "a token without hyphens", body("appAccountToken", "\"0f1e2d3c4b5a49688778695a4b3c2d1e\""), 422,
                "invalidValue", ["appAccountToken"]),
            Case(
                "a blank behind a transaction's id", body("originalTransactionId", "\"100 \""), 422, "invalidValue",
                ["originalTransactionId"]),
            Case(
                "an invisible character in a product", body("productId", "\"tide.monthly\\u2063\""), 422,
                "invalidValue", ["productId"]),
            Case("an unknown format", body("formats", "[\"v3\"]"), 422, "invalidValue", ["formats"]),
            Case("no format at all", body("formats", "[]"), 422, "invalidValue", ["formats"]),
            Case("formats as text", body("formats", "\"v1\""), 400, "wrongShape", ["formats"]),
            Case("an unknown app", body("bundleId", "\"com.example.unknown\""), 422, "unknownApp", ["bundleId"]),
            Case("an unknown product", body("productId", "\"tide.weekly\""), 422, "unknownProduct", ["productId"]),
            Case("a product without offers", body("productId", "\"tide.coins\""), 422, "unknownProduct", ["productId"]),
            Case("an unknown environment", body("environment", "\"Test\""), 422, "unknownEnvironment", ["environment"]),
            Case("Xcode", body("environment", "\"Xcode\""), 422, "unknownEnvironment", ["environment"]),
            Case(
                "a bundleId in another case", body("bundleId", "\"com.Example.tide\""), 422, "unknownApp", ["bundleId"]),
            Case(
                "junk for a signed transaction", body("signedTransactionInfo", "\"a.b.c\""), 422, "unverifiableProof",
                ["signedTransactionInfo"]),
        ]
        + ["requestId", "bundleId", "environment", "productId", "offerIdentifier"].flatMap { field in
            [
                Case("\(field) missing", body(field, nil), 400, "wrongShape", [field]),
                Case("\(field) null", body(field, "null"), 400, "wrongShape", [field]),
                Case("\(field) a number", body(field, "7"), 400, "wrongShape", [field]),
                Case("\(field) an object", body(field, "{}"), 400, "wrongShape", [field]),
            ]
        }
        + ["appAccountToken", "signedTransactionInfo", "signedAppTransactionInfo", "originalTransactionId"].flatMap {
            field in
            [
                Case("\(field) a number", body(field, "7"), 400, "wrongShape", [field]),
                Case("\(field) an array", body(field, "[\"x\"]"), 400, "wrongShape", [field]),
            ]
        }

    @Test(arguments: cases)
    func `gets a clear answer, and nothing is written`(input: Case) throws {
        let answer = try ask(input.body)
        #expect(answer.status == input.status && answer.problem == input.code, "\(answer.text)")
        #expect(answer.fields == input.fields, "\(answer.text)")
        #expect(answer.contentType == "application/problem+json")
        #expect(Set(answer.json.keys) == ["code", "title", "status", "detail", "fields", "requestId"])
        #expect(try count("offer_grant") == 0 && count("transaction_fact") == 1)
    }

    @Test func `an optional field that is null counts as absent`() throws {
        let answer = try ask(Self.body("appAccountToken", "null"))
        #expect(answer.decision == "offered" && answer.v1?["appAccountToken"] is NSNull)
    }

    @Test func `all faults of shape are told at once, then all faults of value`() throws {
        let shape = try ask("{\"productId\":1,\"colour\":\"red\",\"appAccountToken\":\"x\"}")
        #expect(
            shape.fields == [
                "requestId", "bundleId", "environment", "productId", "offerIdentifier", "colour",
            ], "\(shape.text)")
        let values = try ask(
            Self.body("requestId", "\"1\"").dropLast() + ",\"appAccountToken\":\"x\",\"formats\":[\"v9\"]}")
        #expect(values.fields == ["requestId", "appAccountToken", "formats"], "\(values.text)")
    }

    @Test func `a body over the limit is refused, announced or in chunks`() throws {
        let large = Data(repeating: UInt8(ascii: " "), count: 256 * 1024 + 1)
        for headers in [[], ["Transfer-Encoding: chunked"]] {
            let answer = try curl(
                "POST", port: server.port, path: "/v1/signatures/promotional-offer", key: key, body: large,
                headers: headers)
            #expect(answer.status == 413 && answer.problem == "bodyTooLarge", "\(answer.text)")
        }
        let largest = Data(Self.body("x", "\"\(String(repeating: "x", count: 200_000))\"").utf8)
        #expect(try ask(String(decoding: largest, as: UTF8.self)).fields == ["x"])
    }

    @Test func `a requestId with another body is a conflict, whatever else is wrong with it`() throws {
        let requestId = UUID().uuidString
        #expect(try server.offer(key: key, ["requestId": requestId]).decision == "offered")
        for change in [
            ["offerIdentifier": "other"], ["appAccountToken": UUID().uuidString], ["productId": "tide.weekly"],
            ["bundleId": "com.example.other"], ["formats": ["v1"]], ["signedTransactionInfo": "a.b.c"],
        ] as [[String: Any]] {
            let answer = try server.offer(key: key, change.merging(["requestId": requestId]) { $1 })
            #expect(answer.status == 409 && answer.problem == "requestIdReused", "\(change): \(answer.text)")
        }
        #expect(try count("offer_grant") == 1)
    }

    @Test func `spacing, key order and the case of the requestId make no other body`() throws {
        let first = try ask(
            "{\"requestId\":\"8f6c1fd4-9b61-4c34-8c0b-3c2d76a14a55\",\"bundleId\":\"com.example.tide\",\"environment\":"
                + "\"Production\",\"productId\":\"tide.monthly\",\"offerIdentifier\":\"save50\","
                + "\"originalTransactionId\":\"100\"}")
        let second = try ask(
            "{ \"originalTransactionId\" : \"100\", \"offerIdentifier\":\"save50\",\"productId\":\"tide.monthly\",\n"
                + "\"environment\":\"Production\",\"bundleId\":\"com.example.tide\",\"appAccountToken\":null,"
                + "\"requestId\":\"8F6C1FD4-9B61-4C34-8C0B-3C2D76A14A55\"}")
        #expect(first.decision == "offered" && first.text == second.text, "\(second.text)")
    }

    @Test func `keys, roles and apps are checked before the body`() throws {
        let junk = "{\"bundleId\":\"com.example.tide\",\"productId\":1}"
        let missing = try curl(
            "POST", port: server.port, path: "/v1/signatures/promotional-offer", body: Data(junk.utf8))
        #expect(missing.status == 401 && missing.problem == "keyMissing")
        #expect(try ask(junk, key: "hf_client_unknown").problem == "keyUnknown")
        #expect(try ask(junk, key: server.makeKey(.marketer)).problem == "roleNotAllowed")
        let other = try ask(junk, key: server.makeKey(.client, app: TestServer.otherBundleId))
        #expect(other.status == 403 && other.problem == "appNotAllowed")
        let bound = try server.makeKey(.client, app: TestServer.bundleId)
        #expect(try server.offer(key: bound).decision == "offered")
    }

    @Test func `a key that another process revokes is refused by the next request`() throws {
        let key = try server.makeKey(.client, name: "leaked")
        #expect(try server.offer(key: key).status == 200)
        let store = try Store(server.database, now: server.clock.now)
        #expect(try store.revokeAPIKey("leaked", now: server.clock.now) == .revoked)
        let answer = try server.offer(key: key)
        #expect(answer.status == 401 && answer.problem == "keyRevoked")
    }

    @Test func `other paths and methods are told apart`() throws {
        #expect(try curl("GET", port: server.port, path: "/v1/nothing").status == 404)
        #expect(try curl("GET", port: server.port, path: "/v1/signatures/promotional-offer").status == 405)
        let deleted = try run(
            "curl", ["-s", "-i", "-X", "DELETE", "http://127.0.0.1:\(server.port)/v1/signatures/promotional-offer"])
        #expect(deleted.text.contains("\r\nAllow: POST\r\n"), "\(deleted.text)")
        for path in ["/metrics%00.css", "/%6detrics", "/metrics/"] {
            #expect(try curl("GET", port: server.port, path: path).status == 404, "\(path)")
        }
        #expect(try curl("GET", port: server.port, path: "/health/live").text == "{\"status\":\"live\"}")
        #expect(try curl("GET", port: server.port, path: "/health/ready").text == "{\"status\":\"ready\"}")
        #expect(try curl("GET", port: server.port, path: "/metrics").status == 401)
    }

    @Test(arguments: ["Content-Length: 5", "Host: evil.example", "Authorization: Bearer other"])
    func `a header that a proxy could read in another way is refused`(header: String) throws {
        let answer = try curl(
            "POST", port: server.port, path: "/v1/signatures/promotional-offer", key: key, body: Data("{}{}{}".utf8),
            headers: [header, header])
        #expect(answer.status == 400, "\(answer.text)")
    }

    @Test func `the log has a line for each refused request, and nothing of the customer or the key`() throws {
        let token = UUID().uuidString
        _ = try ask(Self.body("signedTransactionInfo", "\"secret.jws.here\""))
        _ = try server.offer(key: key, ["appAccountToken": token, "productId": "tide.weekly"])
        let lines = server.log.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{\"time\":\"") })
        #expect(lines[0].contains("\"code\":\"unverifiableProof\"") && lines[1].contains("\"code\":\"unknownProduct\""))
        for secret in [token, key, "secret.jws.here", "\"100\""] { #expect(!server.log.contains(secret), "\(secret)") }
    }

    private func ask(_ body: String, key: String? = nil) throws -> CurlAnswer {
        try curl(
            "POST", port: server.port, path: "/v1/signatures/promotional-offer", key: key ?? self.key,
            body: Data(body.utf8))
    }

    private func count(_ table: String) throws -> Int? {
        Int(
            try run("sqlite3", [server.database, "SELECT count(*) FROM \(table)"]).text
                .trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
