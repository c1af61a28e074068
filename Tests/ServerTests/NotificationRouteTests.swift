import AppStore
import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `The route of App Store notifications` {
    private let server: TestServer
    private let key: String
    private static let day: Int64 = 86_400_000

    init() throws {
        server = try TestServer()
        key = try server.makeKey(.client)
    }

    private func subscribed(_ id: String) -> TestServer.Notice {
        TestServer.Notice(
            type: "SUBSCRIBED", subtype: "INITIAL_BUY", signedDate: TestServer.start,
            transaction: server.transaction(id), renewalInfo: server.renewalInfo(id))
    }

    private func cancelled(_ id: String, uuid: UUID = UUID(), after milliseconds: Int64 = 1000) -> TestServer.Notice {
        let signed = TestServer.start.adding(milliseconds: milliseconds)
        return TestServer.Notice(
            uuid: uuid, type: "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED", signedDate: signed,
            transaction: server.transaction(id) { $0.signedDate = signed },
            renewalInfo: server.renewalInfo(id, signedDate: signed) { $0.autoRenewStatus = .off })
    }

    @Test func `a notification is logged and folded, and the subscriber is told at once`() throws {
        let answer = try server.post(subscribed("100"))
        #expect(answer.status == 200)
        #expect(answer.json["outcome"] as? String == "folded")
        let status = try server.subscriber("100", key: key)
        #expect(status.status == 200)
        #expect(status.json["status"] as? String == "active")
        #expect(status.json["autoRenewStatus"] as? String == "on")
        #expect(status.json["access"] as? String == "full")
        #expect(status.json["message"] as? String == "none")
        #expect(status.json["saveWindow"] is NSNull)
    }

    @Test func `N01 the same notification six times, twice at the same moment, is one effect and six times 200`()
        async throws
    {
        try server.post(subscribed("100"))
        let jws = try server.signed(
            cancelled("100", uuid: #require(UUID(uuidString: "aaaaaaaa-0000-4000-8000-000000000001"))))
        let answers = try await withThrowingTaskGroup(of: CurlAnswer.self) { group in
            for _ in 0..<6 { group.addTask { try server.post(jws) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.map(\.status) == Array(repeating: 200, count: 6))
        let outcomes = answers.compactMap { $0.json["outcome"] as? String }.sorted()
        #expect(outcomes == ["duplicate", "duplicate", "duplicate", "duplicate", "duplicate", "folded"])
        #expect(try server.logged() == 2)
        let status = try server.subscriber("100", key: key)
        #expect(status.json["message"] as? String == "saveOffer")
        let window = try #require(status.json["saveWindow"] as? [String: Any])
        #expect(window["opensDate"] as? Int64 == TestServer.start.millisecondsSince1970 + 1000)
    }

    @Test func `N02 a late renewal after a refund changes nothing and is kept`() throws {
        let refunded = TestServer.start.adding(milliseconds: 10 * Self.day)
        server.clock.advance(milliseconds: 11 * Self.day)
        try server.post(
            TestServer.Notice(
                type: "REFUND", signedDate: refunded,
                transaction: server.transaction("100") {
                    $0.signedDate = refunded
                    $0.revocationDate = refunded
                    $0.revocationReason = 0
                }))
        let answer = try server.post(
            TestServer.Notice(
                type: "DID_RENEW", signedDate: TestServer.start, transaction: server.transaction("100")))
        #expect(answer.status == 200)
        #expect(answer.json["outcome"] as? String == "stale")
        #expect(try server.logged(where: "outcome = 'stale'") == 1)
        #expect(try server.subscriber("100", key: key).json["status"] as? String == "revoked")
        #expect(try server.logged() == 2)
    }

    @Test func `N03 unknown types and other bodies are kept, counted and touch no subscription`() throws {
        var notices: [(name: String, jws: String)] = []
        notices.append(
            (
                "unknownType",
                try server.signed(
                    TestServer.Notice(
                        type: "SOMETHING_NEW", signedDate: TestServer.start, transaction: server.transaction("100")))
            ))
        var summary = ResponseBodyV2DecodedPayload()
        summary.notificationType = "RENEWAL_EXTENSION"
        summary.subtype = "SUMMARY"
        summary.notificationUUID = UUID()
        summary.signedDate = TestServer.start
        var summaryObject = NotificationSummary()
        summaryObject.appAppleId = 6_400_000_001
        summaryObject.bundleId = TestServer.bundleId
        summaryObject.environment = .production
        summaryObject.succeededCount = 5
        summary.summary = summaryObject
        notices.append(("notFolded", try server.appStore.signedNotification(summary)))
        var purchase = ResponseBodyV2DecodedPayload()
        purchase.notificationType = "EXTERNAL_PURCHASE_TOKEN"
        purchase.subtype = "UNREPORTED"
        purchase.notificationUUID = UUID()
        purchase.signedDate = TestServer.start
        var token = ExternalPurchaseToken()
        token.externalPurchaseId = "SANDBOX_1"
        token.appAppleId = 6_400_000_001
        token.bundleId = TestServer.bundleId
        purchase.externalPurchaseToken = token
        notices.append(("notFolded", try server.appStore.signedNotification(purchase)))
        var rescind = ResponseBodyV2DecodedPayload()
        rescind.notificationType = "RESCIND_CONSENT"
        rescind.notificationUUID = UUID()
        rescind.signedDate = TestServer.start
        var appData = NotificationAppData()
        appData.appAppleId = 6_400_000_001
        appData.bundleId = TestServer.bundleId
        appData.environment = .production
        rescind.appData = appData
        notices.append(("notFolded", try server.appStore.signedNotification(rescind)))
        notices.append(
            (
                "notFolded",
                try server.signed(
                    TestServer.Notice(type: "TEST", signedDate: TestServer.start, status: nil))
            ))
        for notice in notices {
            let answer = try server.post(notice.jws)
            #expect(answer.status == 200)
            #expect(answer.json["outcome"] as? String == notice.name)
        }
        #expect(try server.logged() == notices.count)
        #expect(try server.subscriber("100", key: key).status == 404)
        let metrics = try curl("GET", port: server.port, path: "/metrics", key: try server.makeKey(.operator)).text
        #expect(metrics.contains("holdfast_notifications_total{type=\"unknown\"} 1"))
    }

    @Test func `N04 a one-time purchase without renewal info is kept and makes no subscriber`() throws {
        let answer = try server.post(
            TestServer.Notice(
                type: "ONE_TIME_CHARGE", signedDate: TestServer.start,
                transaction: server.transaction("300") {
                    $0.type = .consumable
                    $0.expiresDate = nil
                    $0.subscriptionGroupIdentifier = nil
                }, status: nil))
        #expect(answer.status == 200)
        #expect(try server.subscriber("300", key: key).status == 404)
        #expect(try server.logged(where: "outcome = 'notFolded'") == 1)
    }

    @Test func `N09 a token that later notifications lack is not forgotten`() throws {
        let token = UUID()
        var first = subscribed("100")
        first.transaction = server.transaction("100", token: token)
        try server.post(first)
        let renewed = TestServer.start.adding(milliseconds: Self.day)
        try server.post(
            TestServer.Notice(
                type: "DID_RENEW", signedDate: renewed,
                transaction: server.transaction("100") {
                    $0.transactionId = TransactionID("101")
                    $0.purchaseDate = renewed
                    $0.expiresDate = renewed.adding(milliseconds: 30 * Self.day)
                    $0.signedDate = renewed
                }, renewalInfo: server.renewalInfo("100", signedDate: renewed)))
        let body: [String: Any] = [
            "bundleId": "com.example.tide", "environment": "Production", "appAccountToken": token.uuidString,
        ]
        let answer = try curl(
            "POST", port: server.port, path: "/v1/subscribers/status", key: key,
            body: JSONSerialization.data(withJSONObject: body))
        #expect(answer.status == 200)
        #expect(answer.json["originalTransactionId"] as? String == "100")
        #expect(answer.json["expiresDate"] as? Int64 == renewed.millisecondsSince1970 + 30 * Self.day)
    }

    @Test func `another payload under the same UUID is kept beside the first and not folded`() throws {
        let uuid = UUID()
        try server.post(cancelled("100", uuid: uuid))
        var other = subscribed("100")
        other.uuid = uuid
        other.signedDate = TestServer.start.adding(milliseconds: 5000)
        other.renewalInfo = server.renewalInfo("100", signedDate: other.signedDate)
        let answer = try server.post(other)
        #expect(answer.status == 200)
        #expect(answer.json["outcome"] as? String == "conflicting")
        #expect(try server.subscriber("100", key: key).json["autoRenewStatus"] as? String == "off")
        #expect(try server.logged(where: "outcome = 'conflicting'") == 1)
        let lines = server.log.split(separator: "\n").filter { $0.contains("conflicting") }
        #expect(lines.count == 1)
    }

    @Test(arguments: [
        ("1900-01-01", Int64(-2_208_988_800_000)), ("10000-01-01", Int64(253_402_300_800_000)),
    ])
    func `dates that no calendar of ours has are kept, marked and answered with 200`(name: String, date: Int64) throws {
        var notice = subscribed("100")
        notice.transaction = server.transaction("100") { $0.expiresDate = Instant(millisecondsSince1970: date) }
        let answer = try server.post(notice)
        #expect(answer.status == 200)
        #expect(answer.json["outcome"] as? String == "failed")
        #expect(try server.logged(where: "outcome = 'failed' AND detail LIKE '%expiresDate%'") == 1)
        #expect(try server.subscriber("100", key: key).status == 404)
    }

    @Test func `what is no notification of ours is refused with one line and no trace`() throws {
        let transaction = try server.appStore.signedTransaction(server.transaction("100"))
        var wrongApp = subscribed("100")
        wrongApp.bundleId = BundleID("com.example.nobody")
        var wrongNumber = subscribed("100")
        wrongNumber.appAppleId = 6_400_000_009
        var noNumber = subscribed("100")
        noNumber.appAppleId = nil
        var wrongInside = subscribed("100")
        wrongInside.transaction = server.transaction("100") { $0.bundleId = BundleID("com.example.other") }
        let right = try server.signed(subscribed("100"))
        let cases: [(String, String)] = [
            ("a transaction", transaction), ("another app", try server.signed(wrongApp)),
            ("another number", try server.signed(wrongNumber)), ("no number", try server.signed(noNumber)),
            ("another app inside", try server.signed(wrongInside)), ("cut", String(right.dropLast(20))),
            ("half", String(right.prefix(right.count / 2))), ("nothing", ""), ("dots", "a.b.c"),
        ]
        for (name, jws) in cases {
            let answer = try server.post(jws)
            #expect(answer.status == 422, "\(name): \(answer.text)")
            #expect(answer.problem == "unverifiableProof", "\(name)")
        }
        #expect(try server.logged() == 0)
        let big = try server.post(String(repeating: "a", count: 300_000))
        #expect(big.status == 413)
        for (body, code) in [
            ("", "notJSON"), ("[]", "wrongShape"), ("{}", "wrongShape"), ("{\"signedPayload\":1}", "wrongShape"),
        ] {
            let answer = try curl(
                "POST", port: server.port, path: "/v1/app-store/notifications", body: Data(body.utf8))
            #expect(answer.status == 400)
            #expect(answer.problem == code)
        }
    }

    @Test func `fields that Apple may add are ignored`() throws {
        let jws = try server.signed(subscribed("100"))
        let answer = try curl(
            "POST", port: server.port, path: "/v1/app-store/notifications",
            body: JSONSerialization.data(withJSONObject: ["signedPayload": jws, "new": ["a": 1]]))
        #expect(answer.status == 200)
    }
}
