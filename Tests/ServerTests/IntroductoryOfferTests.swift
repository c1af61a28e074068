import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `Signing introductory offer eligibility over HTTP` {
    private let server: TestServer
    private let key: String

    init() throws {
        server = try TestServer()
        key = try server.makeKey(.client)
    }

    private func ask(_ fields: [String: Any?] = [:], key: String? = nil) throws -> CurlAnswer {
        let all: [String: Any?] = ["offerIdentifier": nil, "transactionId": "100"]
        return try curl(
            "POST", port: server.port, path: "/v1/signatures/introductory-offer-eligibility", key: key ?? self.key,
            body: JSONSerialization.data(withJSONObject: TestServer.request(all.merging(fields) { $1 })))
    }

    private func claims(_ answer: CurlAnswer) throws -> [String: Any] {
        let parts = try #require(answer.json["compactJWS"] as? String).split(separator: ".")
        let payload = try #require(Base64URL.decode(String(parts[1])))
        return try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    }

    private func usedOffer(_ originalTransactionId: String, token: UUID? = nil, download: String? = nil) throws {
        try server.subscribe(originalTransactionId, token: token) {
            $0.offerType = .introductoryOffer
            $0.purchaseDate = TestServer.start.adding(milliseconds: -35 * 86_400_000)
            $0.expiresDate = TestServer.start.adding(milliseconds: -5 * 86_400_000)
            $0.appTransactionId = download.map { AppTransactionID($0) }
        }
    }

    @Test func `a new customer may have it, in a JWS that the openssl command line verifies`() throws {
        let answer = try ask()
        #expect(answer.status == 200 && answer.decision == "offered", "\(answer.text)")
        #expect(answer.json["allowIntroductoryOffer"] as? Bool == true && answer.reasons.isEmpty)
        #expect(Set(answer.json.keys) == ["decision", "allowIntroductoryOffer", "compactJWS", "reasons"])
        let claims = try claims(answer)
        #expect(claims["aud"] as? String == "introductory-offer-eligibility")
        #expect(claims["bid"] as? String == "com.example.tide" && claims["productId"] as? String == "tide.monthly")
        #expect(claims["allowIntroductoryOffer"] as? Bool == true && claims["transactionId"] as? String == "100")
        #expect(claims["iat"] as? Int64 == server.clock.now.secondsSince1970)

        let jws = try #require(answer.json["compactJWS"] as? String)
        let cut = try #require(jws.lastIndex(of: "."))
        let raw = try #require(Base64URL.decode(String(jws[jws.index(after: cut)...])))
        func integer(_ bytes: ArraySlice<UInt8>) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
        let der = server.folder.path("signature")
        let structure = "asn1=SEQUENCE:s\n[s]\nr=INTEGER:0x\(integer(raw[..<32]))\ns=INTEGER:0x\(integer(raw[32...]))\n"
        let file = try server.folder.write(structure, to: "asn1")
        #expect(try run("openssl", ["asn1parse", "-genconf", file.path, "-noout", "-out", der]).exitCode == 0)
        let keyFile = try server.folder.write(server.signingKey.exportSecretPEM(), to: "key.p8")
        let input = try server.folder.write(String(jws[..<cut]), to: "input")
        let verified = try run(
            "openssl", ["dgst", "-sha256", "-prverify", keyFile.path, "-signature", der, input.path])
        #expect(verified.text == "Verified OK\n", "\(verified.text)\(verified.errorText)")
    }

    @Test(arguments: [nil, true, false])
    func `E01 a product without an introductory offer is never eligible`(said: Bool?) throws {
        let answer = try ask(["productId": "tide.plain", "allowIntroductoryOffer": said])
        #expect(answer.status == 200 && answer.decision == "refused" && answer.reasons == ["noIntroductoryOffer"])
        #expect(answer.json["allowIntroductoryOffer"] as? Bool == false && answer.json["compactJWS"] is NSNull)
    }

    @Test func `E02 an offer used on a sister product counts in its group and in no other`() throws {
        try usedOffer("100")
        let sister = try ask()
        #expect(sister.decision == "refused" && sister.reasons == ["introductoryOfferUsed"], "\(sister.text)")
        #expect(try ask(["productId": "tide.yearly"]).reasons.contains("introductoryOfferUsed"))
        #expect(try ask(["productId": "tide.kids.monthly"]).reasons == ["noIntroductoryOffer"])
    }

    @Test func `E02 an offer used through another subscription of the same download counts`() throws {
        try usedOffer("100", download: "900")
        try server.subscribe("300") {
            $0.productId = ProductID("tide.kids.monthly")
            $0.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("21500002")
            $0.appTransactionId = AppTransactionID("900")
        }
        let answer = try ask(["originalTransactionId": "300", "transactionId": "900"])
        #expect(answer.reasons == ["introductoryOfferUsed"], "\(answer.text)")
    }

    @Test func `who is subscribed now is refused, unless the caller says otherwise`() throws {
        try server.subscribe("100")
        #expect(try ask().reasons == ["subscribedInGroup"])
        let allowed = try ask(["allowIntroductoryOffer": true])
        #expect(allowed.decision == "offered" && allowed.json["allowIntroductoryOffer"] as? Bool == true)
        #expect(try claims(allowed)["allowIntroductoryOffer"] as? Bool == true)
    }

    @Test func `a caller's false is signed as said`() throws {
        let answer = try ask(["allowIntroductoryOffer": false])
        #expect(answer.decision == "offered" && answer.json["allowIntroductoryOffer"] as? Bool == false)
        #expect(try claims(answer)["allowIntroductoryOffer"] as? Bool == false)
    }

    @Test func `a device's true is not taken for its word, its false is`() throws {
        let device = try server.makeKey(.device)
        let proof = try server.appStore.signedTransaction(server.transaction("100"))
        let fields: [String: Any?] = ["originalTransactionId": nil, "signedTransactionInfo": proof]
        func asDevice(_ more: [String: Any?]) throws -> CurlAnswer {
            try ask(fields.merging(more) { $1 }, key: device)
        }
        #expect(try asDevice(["allowIntroductoryOffer": true]).reasons == ["subscribedInGroup"])
        #expect(try asDevice(["allowIntroductoryOffer": false]).decision == "offered")
        let stranger = try asDevice(["allowIntroductoryOffer": false, "transactionId": "101"])
        #expect(stranger.reasons == ["customerFieldsDisagree"], "\(stranger.text)")
        #expect(try ask(["originalTransactionId": "100"], key: device).problem == "proofMissing")
    }

    @Test func `a transaction of somebody else is refused, one that nobody knows is signed`() throws {
        try server.subscribe("100", token: UUID()) { $0.expiresDate = TestServer.start }
        try usedOffer("200", token: UUID())
        let other = try ask(["transactionId": "200"])
        #expect(other.reasons == ["customerFieldsDisagree"], "\(other.text)")
        #expect(try ask(["transactionId": "101"]).decision == "offered")
        let byToken = try ask([
            "originalTransactionId": nil, "appAccountToken": UUID().uuidString, "transactionId": "200",
        ])
        #expect(byToken.reasons == ["customerFieldsDisagree"], "\(byToken.text)")
    }

    @Test func `a transaction that leads to the customer's purchases is judged with them`() throws {
        try usedOffer("200")
        let answer = try ask([
            "originalTransactionId": nil, "appAccountToken": UUID().uuidString, "transactionId": "200",
        ])
        #expect(answer.reasons == ["introductoryOfferUsed"], "\(answer.text)")
    }

    @Test func `a token other than the subscription's is a reason`() throws {
        try server.subscribe("100", token: UUID()) { $0.expiresDate = TestServer.start }
        #expect(try ask(["appAccountToken": UUID().uuidString]).reasons == ["appAccountTokenDiffers"])
    }

    @Test func `the same request has the same answer, also as a refusal, and another body is a conflict`() throws {
        let fields: [String: Any?] = ["requestId": UUID().uuidString]
        let first = try ask(fields)
        try server.subscribe("100")
        #expect(try ask(fields).text == first.text)
        #expect(try ask(fields.merging(["allowIntroductoryOffer": true]) { $1 }).problem == "requestIdReused")
        #expect(try server.offer(key: key, fields).problem == "requestIdReused")
        server.clock.advance(milliseconds: 86_400_000)
        #expect(try ask(fields).reasons == ["subscribedInGroup"])
    }

    @Test func `a device cannot have a client's answer repeated without a proof`() throws {
        let fields: [String: Any?] = ["requestId": UUID().uuidString]
        #expect(try ask(fields).decision == "offered")
        #expect(try ask(fields, key: server.makeKey(.device)).problem == "proofMissing")
        #expect(try ask(key: server.makeKey(.marketer)).problem == "roleNotAllowed")
        #expect(try ask(key: server.makeKey(.client, app: TestServer.otherBundleId)).problem == "appNotAllowed")
    }

    @Test func `every fault of shape and of value names its field`() throws {
        let shape = try ask(["transactionId": nil, "allowIntroductoryOffer": "yes", "offerIdentifier": "save50"])
        #expect(shape.status == 400 && shape.problem == "wrongShape")
        #expect(Set(shape.fields) == ["transactionId", "allowIntroductoryOffer", "offerIdentifier"])
        let value = try ask(["transactionId": "a b", "requestId": "1"])
        #expect(value.status == 422 && Set(value.fields) == ["transactionId", "requestId"], "\(value.text)")
        #expect(try ask(["productId": "tide.coins"]).problem == "unknownProduct")
    }

    @Test func `the grant keeps what was signed and by whom it was asked`() throws {
        try server.subscribe("100") { $0.expiresDate = TestServer.start }
        let answer = try ask()
        let columns = "kind, decision, original_transaction_id, offer_identifier, lower(hex(nonce)), timestamp, answer"
        let row = try run("sqlite3", ["-json", server.database, "SELECT \(columns) FROM offer_grant"])
        let grant = try #require(
            try (JSONSerialization.jsonObject(with: row.output) as? [[String: Any]])?.first)
        #expect(grant["kind"] as? String == "introductoryOfferEligibility" && grant["decision"] as? String == "offered")
        #expect(grant["original_transaction_id"] as? String == "100" && grant["offer_identifier"] is NSNull)
        let nonce = try #require(claims(answer)["nonce"] as? String)
        #expect(grant["lower(hex(nonce))"] as? String == nonce.replacingOccurrences(of: "-", with: ""))
        #expect(grant["timestamp"] as? Int64 == server.clock.now.millisecondsSince1970)
        #expect(grant["answer"] as? String == answer.text)
    }
}
