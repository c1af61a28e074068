import CampaignCore
import Crypto
import Foundation
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `Signing a promotional offer over HTTP` {
    private let server: TestServer
    private let key: String

    init() throws {
        server = try TestServer()
        key = try server.makeKey(.client)
    }

    @Test func `ten thousand offers in a row all verify over the bytes of Apple's own library`() throws {
        let tokens: [UUID?] = [UUID(), nil, UUID(), UUID(), nil]
        var lines = ""
        for (index, token) in tokens.enumerated() {
            try server.subscribe("10\(index)", token: token)
            lines +=
                "{\"originalTransactionId\": \"10\(index)\", \"appAccountToken\": "
                + "\(token.map { "\"\($0.uuidString)\"" } ?? "null")}\n"
        }
        let keyFile = try server.folder.write(server.signingKey.exportSecretPEM(), to: "key.p8")
        let script = Surroundings.project.appendingPathComponent("Fixtures/Oracles/promotional_offers.py").path
        let result = try run(
            Surroundings.python,
            [
                script, "\(server.port)", key, keyFile.path, "\(TestServer.keyId)", "\(TestServer.issuerId)",
                "\(TestServer.bundleId)", "tide.monthly", "save50", "10000",
            ], input: Data(lines.utf8))
        #expect(
            result.text == "10000 verified, 6000 with a token, 40 also by the openssl command line\n",
            "\(result.text)\(result.errorText)")
    }

    @Test func `without a token the field stays empty and the answer says null`() throws {
        try server.subscribe("100", token: UUID())
        let answer = try server.offer(key: key)
        #expect(answer.decision == "offered")
        #expect(answer.v1?["appAccountToken"] is NSNull)
        #expect(answer.contentType == "application/json")
        #expect(answer.json["expiresDate"] as? Int64 == TestServer.start.millisecondsSince1970 + 86_400_000)
    }

    @Test(arguments: [["v1"], ["v2"], ["v1", "v2"], ["v2", "v2"]])
    func `only the formats that were asked for are signed`(formats: [String]) throws {
        try server.subscribe("100")
        let answer = try server.offer(key: key, ["formats": formats])
        #expect((answer.v1 != nil) == formats.contains("v1"))
        #expect((answer.compactJWS != nil) == formats.contains("v2"))
    }

    @Test func `S03 the signature is Base64 once, with padding and without line breaks`() throws {
        try server.subscribe("100")
        let text = try #require(try server.offer(key: key).v1?["signature"] as? String)
        let der = try #require(Data(base64Encoded: text))
        #expect(der.first == 0x30 && (68...72).contains(der.count))
        #expect(text.count % 4 == 0 && !text.contains("\n") && !text.contains("-") && !text.contains("_"))
    }

    @Test func `S05 a literal name in place of the token is refused with the field's name, and counted`() throws {
        try server.subscribe("100")
        let answer = try server.offer(key: key, ["appAccountToken": "appAccountToken"])
        #expect(answer.status == 422)
        #expect(answer.problem == "invalidValue" && answer.fields == ["appAccountToken"])
        let metrics = try curl("GET", port: server.port, path: "/metrics", key: server.makeKey(.operator))
        #expect(
            metrics.text.contains("holdfast_answers_total{route=\"promotionalOffer\",outcome=\"invalidValue\"} 1\n"),
            "\(metrics.text)")
        #expect(try grants() == 0)
    }

    @Test func `S06 an offer that is not on the product is a refusal, never a signature`() throws {
        try server.subscribe("100")
        let answer = try server.offer(key: key, ["productId": "tide.yearly"])
        #expect(answer.status == 200 && answer.decision == "refused" && answer.reasons == ["offerNotOnProduct"])
        #expect(answer.json["v1"] is NSNull && answer.json["v2"] is NSNull && answer.json["expiresDate"] is NSNull)
        #expect(answer.text.contains("tide.monthly"), "the detail says where the offer is: \(answer.text)")
    }

    @Test(arguments: ["productId", "offerIdentifier", "bundleId", "environment"])
    func `S07 an empty identifier is refused and nothing is signed`(field: String) throws {
        try server.subscribe("100")
        let answer = try server.offer(key: key, [field: ""])
        #expect(answer.status == 422 && answer.fields == [field], "\(answer.text)")
        #expect(try grants() == 0)
    }

    @Test func `S08 within a day the same request has the same answer, afterwards a fresh one`() throws {
        try server.subscribe("100")
        let fields: [String: Any?] = ["requestId": "0c9de4c5-6b43-4b3e-9a3e-59dd4fb4e1a8"]
        let first = try server.offer(key: key, fields)
        server.clock.advance(milliseconds: 86_400_000 - 1)
        #expect(try server.offer(key: key, fields).text == first.text)
        server.clock.advance(milliseconds: 3_600_001)
        let fresh = try server.offer(key: key, fields)
        #expect(fresh.decision == "offered")
        for field in ["nonce", "signature"] {
            #expect(fresh.v1?[field] as? String != first.v1?[field] as? String, "\(field)")
        }
        #expect(fresh.v1?["timestamp"] as? Int64 == server.clock.now.millisecondsSince1970)
        #expect(try grants() == 2)
    }

    @Test func `S08 a timestamp of the caller's own is no field, so it is never signed`() throws {
        try server.subscribe("100")
        let answer = try server.offer(key: key, ["timestamp": 1_789_041_600])
        #expect(answer.status == 400 && answer.problem == "wrongShape" && answer.fields == ["timestamp"])
    }

    @Test func `S09 a customer who never subscribed is refused with a hint`() throws {
        let token = UUID().uuidString
        let answer = try server.offer(key: key, ["originalTransactionId": nil, "appAccountToken": token])
        #expect(answer.decision == "refused" && answer.reasons == ["neverSubscribed"])
        #expect(answer.text.contains("introductory offer") && answer.text.contains("'new'"))
    }

    @Test func `every reason is named at once`() throws {
        try server.subscribe("100", token: UUID()) { $0.type = .consumable }
        let answer = try server.offer(
            key: key, ["productId": "tide.yearly", "appAccountToken": UUID().uuidString])
        #expect(answer.reasons == ["offerNotOnProduct", "neverSubscribed", "appAccountTokenDiffers"])
    }

    @Test func `a token in capitals is the same token, and comes back in lower case`() throws {
        let token = UUID()
        try server.subscribe("100", token: token)
        let answer = try server.offer(key: key, ["appAccountToken": token.uuidString.uppercased()])
        #expect(answer.v1?["appAccountToken"] as? String == token.uuidString.lowercased())
    }

    @Test func `a subscriber of another environment or app is nobody here`() throws {
        try server.subscribe("100") { $0.environment = .sandbox }
        #expect(try server.offer(key: key).reasons == ["neverSubscribed"])
        #expect(try server.offer(key: key, ["environment": "Sandbox"]).decision == "offered")
        #expect(
            try server.offer(key: key, ["environment": "Sandbox", "bundleId": "com.example.other"]).reasons
                == ["neverSubscribed"])
    }

    @Test func `a refusal is remembered as well, and a new requestId is decided afresh`() throws {
        let fields: [String: Any?] = ["requestId": UUID().uuidString]
        let refused = try server.offer(key: key, fields)
        try server.subscribe("100")
        #expect(try server.offer(key: key, fields).text == refused.text)
        #expect(try server.offer(key: key).decision == "offered")
    }

    @Test func `the grant keeps what the answer was decided from`() throws {
        let token = UUID()
        try server.subscribe("100", token: token)
        let requestId = UUID()
        let answer = try server.offer(
            key: key, ["requestId": requestId.uuidString, "appAccountToken": token.uuidString])
        let columns =
            "decision, original_transaction_id, offer_identifier, key_id, timestamp, lower(hex(nonce)), answer"
        let row = try run(
            "sqlite3", ["-json", server.database, "SELECT \(columns) FROM offer_grant"])
        let rows = try #require(JSONSerialization.jsonObject(with: row.output) as? [[String: Any]])
        let grant = try #require(rows.first)
        #expect(grant["decision"] as? String == "offered")
        #expect(grant["original_transaction_id"] as? String == "100")
        #expect(grant["key_id"] as? String == "K3YTESTID1")
        #expect(grant["timestamp"] as? Int64 == answer.v1?["timestamp"] as? Int64)
        let nonce = try #require(answer.v1?["nonce"] as? String)
        #expect(grant["lower(hex(nonce))"] as? String == nonce.replacingOccurrences(of: "-", with: ""))
        #expect(grant["answer"] as? String == answer.text)
    }

    private func grants() throws -> Int? {
        Int(
            try run("sqlite3", [server.database, "SELECT count(*) FROM offer_grant"]).text
                .trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
