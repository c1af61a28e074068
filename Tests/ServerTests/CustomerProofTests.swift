import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `A customer's own signed information` {
    private let server: TestServer
    private let client: String
    private let device: String

    init() throws {
        server = try TestServer()
        client = try server.makeKey(.client)
        device = try server.makeKey(.device)
    }

    private func asDevice(_ jws: String, _ more: [String: Any?] = [:]) throws -> CurlAnswer {
        let fields: [String: Any?] = ["originalTransactionId": nil, "signedTransactionInfo": jws]
        return try server.offer(key: device, fields.merging(more) { $1 })
    }

    @Test func `proves the subscription, and what it proves is remembered`() throws {
        let token = UUID()
        let jws = try server.appStore.signedTransaction(server.transaction("200", token: token))
        #expect(try server.offer(key: client, ["originalTransactionId": "200"]).reasons == ["neverSubscribed"])
        let answer = try asDevice(jws)
        #expect(answer.decision == "offered" && answer.v1?["appAccountToken"] is NSNull, "\(answer.text)")
        #expect(try server.offer(key: client, ["originalTransactionId": "200"]).decision == "offered")
        let byToken = try server.offer(
            key: client, ["originalTransactionId": nil, "appAccountToken": token.uuidString])
        #expect(byToken.v1?["appAccountToken"] as? String == token.uuidString.lowercased())
    }

    @Test func `the V2 signature names the newest transaction`() throws {
        var renewal = server.transaction("200")
        renewal.transactionId = TransactionID("201")
        renewal.purchaseDate = TestServer.start
        _ = try asDevice(server.appStore.signedTransaction(renewal))
        let answer = try asDevice(server.appStore.signedTransaction(server.transaction("200")))
        let claims = try #require(answer.compactJWS?.split(separator: ".")[1])
        let decoded = try #require(Base64URL.decode(String(claims)))
        #expect(String(decoding: decoded, as: UTF8.self).contains("\"transactionId\":\"201\""))
    }

    @Test func `a download without a purchase is known and has nothing to offer`() throws {
        var download = AppTransaction()
        download.receiptType = .production
        download.bundleId = TestServer.bundleId
        download.appAppleId = 6_400_000_001
        download.receiptCreationDate = TestServer.start
        download.appTransactionId = AppTransactionID("900")
        let jws = try server.appStore.signedAppTransaction(download)
        let fields: [String: Any?] = ["originalTransactionId": nil, "signedAppTransactionInfo": jws]
        #expect(try server.offer(key: device, fields).reasons == ["neverSubscribed"])
        try server.subscribe("200") { $0.appTransactionId = AppTransactionID("900") }
        #expect(try server.offer(key: device, fields).decision == "offered")
    }

    @Test func `a device names nobody but itself`() throws {
        try server.subscribe("100")
        let without = try server.offer(key: device)
        #expect(without.status == 403 && without.problem == "proofMissing")
        let jws = try server.appStore.signedTransaction(server.transaction("200"))
        let both = try asDevice(jws, ["originalTransactionId": "100"])
        #expect(both.status == 403 && both.problem == "proofMissing" && both.fields == ["originalTransactionId"])
    }

    @Test func `a device without a proof gets no answer again that a client has had`() throws {
        try server.subscribe("100")
        let fields: [String: Any?] = ["requestId": UUID().uuidString]
        #expect(try server.offer(key: client, fields).decision == "offered")
        let replayed = try server.offer(key: device, fields)
        #expect(replayed.status == 403 && replayed.problem == "proofMissing", "\(replayed.text)")
    }

    @Test func `a proof from the other environment says which one to send`() throws {
        let jws = try server.appStore.signedTransaction(server.transaction("200") { $0.environment = .sandbox })
        let answer = try asDevice(jws)
        #expect(answer.status == 422 && answer.text.contains(#"send \"environment\": \"Sandbox\""#), "\(answer.text)")
        #expect(try asDevice(jws, ["environment": "Sandbox"]).decision == "offered")
    }

    @Test func `a device's proof is at most ninety days old`() throws {
        let jws = try server.appStore.signedTransaction(server.transaction("200"))
        server.clock.advance(milliseconds: 90 * 86_400_000)
        #expect(try asDevice(jws).status == 200)
        server.clock.advance(milliseconds: 1)
        let late = try asDevice(jws)
        #expect(late.status == 403 && late.problem == "proofTooOld", "\(late.text)")
    }

    @Test func `fields that name two customers are refused`() throws {
        try server.subscribe("100")
        let jws = try server.appStore.signedTransaction(server.transaction("200"))
        let answer = try server.offer(key: client, ["signedTransactionInfo": jws])
        #expect(answer.reasons == ["customerFieldsDisagree"], "\(answer.text)")
    }

    @Test func `a payload signed by a leaf that has since expired is judged at its signedDate`() throws {
        let longAgo = TestServer.start.adding(milliseconds: -2 * 365 * 86_400_000)
        var old = server.transaction("200")
        old.signedDate = longAgo
        let answer = try server.offer(
            key: client,
            ["originalTransactionId": nil, "signedTransactionInfo": server.appStore.signedTransaction(old)])
        #expect(answer.decision == "offered", "\(answer.text)")
    }

    /// What a hostile client might send, made from a transaction that is right.
    private enum Hostile: String, CaseIterable, CustomTestStringConvertible {
        case algNone, algHS256, twoCertificates, fourCertificates, foreignRoot, noExtension, xcode, wrongBundle
        case wrongEnvironment, changedPayload, fourParts, notATransaction
        var testDescription: String { rawValue }
    }

    @Test(arguments: Hostile.allCases)
    private func `J02 J03 J05 hostile tokens are refused with 422 and one audit line`(hostile: Hostile) throws {
        let answer = try server.offer(
            key: client, ["originalTransactionId": nil, "signedTransactionInfo": try jws(hostile)])
        #expect(answer.status == 422 && answer.problem == "unverifiableProof", "\(answer.text)")
        #expect(answer.fields == ["signedTransactionInfo"])
        #expect(server.log.split(separator: "\n").count == 1)
        let facts = try run("sqlite3", [server.database, "SELECT count(*) FROM transaction_fact"]).text
        #expect(facts == "0\n")
    }

    private func jws(_ hostile: Hostile) throws -> String {
        let appStore = server.appStore
        var transaction = server.transaction("200")
        let payload = try #require(
            Base64URL.decode(String(appStore.signedTransaction(transaction).split(separator: ".")[1])))
        switch hostile {
        case .algNone: return try appStore.sign(payload: payload) { $0.alg = "none" }
        case .algHS256: return try appStore.sign(payload: payload) { $0.alg = "HS256" }
        case .twoCertificates: return try appStore.sign(payload: payload) { $0.x5c?.removeLast() }
        case .fourCertificates:
            let root = Base64.encode(appStore.root.certificate.der)
            return try appStore.sign(payload: payload) { $0.x5c?.append(root) }
        case .foreignRoot: return try PrivateAppStore(now: TestServer.start).signedTransaction(transaction)
        case .noExtension:
            let leaf = try PrivateAppStore.issueLeaf(
                by: appStore.intermediate, "No extension",
                validity: appStore.leaf.certificate.notBefore..<appStore.leaf.certificate.notAfter, extensions: [])
            return try appStore.sign(payload: payload, with: leaf)
        case .xcode: transaction.environment = .xcode
        case .wrongBundle: transaction.bundleId = BundleID("com.example.elsewhere")
        case .wrongEnvironment: transaction.environment = .sandbox
        case .changedPayload:
            var parts = try appStore.signedTransaction(transaction).split(separator: ".").map(String.init)
            parts[1] = Base64URL.encode(
                Array(String(decoding: payload, as: UTF8.self).replacing("\"200\"", with: "\"201\"").utf8))
            return parts.joined(separator: ".")
        case .fourParts: return try appStore.signedTransaction(transaction) + ".x"
        case .notATransaction:
            var renewal = JWSRenewalInfoDecodedPayload()
            renewal.originalTransactionId = OriginalTransactionID("200")
            renewal.autoRenewStatus = .on
            renewal.environment = .production
            renewal.signedDate = TestServer.start
            return try appStore.signedRenewalInfo(renewal)
        }
        return try appStore.signedTransaction(transaction)
    }
}
