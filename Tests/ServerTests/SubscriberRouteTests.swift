import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `The routes about a subscriber` {
    private let server: TestServer
    private let key: String
    private static let day: Int64 = 86_400_000

    init() throws {
        server = try TestServer()
        key = try server.makeKey(.client)
        try server.post(
            TestServer.Notice(
                type: "SUBSCRIBED", subtype: "INITIAL_BUY", signedDate: TestServer.start,
                transaction: server.transaction("100"), renewalInfo: server.renewalInfo("100")))
    }

    @Test func `the status has exactly the keys of the contract`() throws {
        let answer = try server.subscriber("100", key: key)
        #expect(
            Set(answer.json.keys) == [
                "originalTransactionId", "bundleId", "environment", "productId", "status", "autoRenewStatus",
                "expiresDate", "gracePeriodExpiresDate", "daysRemaining", "expirationIntent", "access", "accessLevel",
                "message", "pendingChange", "saveWindow", "eligibleWinBackOfferIds",
            ])
    }

    @Test func `time alone ends a period`() throws {
        server.clock.advance(milliseconds: 26 * Self.day)
        let answer = try server.subscriber("100", key: key)
        #expect(answer.json["status"] as? String == "expired")
        #expect(answer.json["access"] as? String == "none")
    }

    @Test func `a subscriber never seen is 404, and so is one of another app or environment`() throws {
        #expect(try server.subscriber("999", key: key).status == 404)
        #expect(try server.subscriber("100", key: key, app: TestServer.otherBundleId).status == 404)
        #expect(try server.subscriber("100", key: key, environment: "Sandbox").status == 404)
    }

    @Test func `parameters are judged by name`() throws {
        let cases: [(query: String, status: Int, code: String, fields: [String])] = [
            ("", 400, "wrongShape", ["bundleId", "environment"]),
            ("?bundleId=com.example.tide", 400, "wrongShape", ["environment"]),
            ("?bundleId=com.example.tide&environment=Production&app=1", 400, "wrongShape", ["app"]),
            ("?bundleId=com.example.tide&bundleId=x&environment=Production", 400, "wrongShape", ["bundleId"]),
            ("?bundleId=com.example.nobody&environment=Production", 422, "unknownApp", ["bundleId"]),
            ("?bundleId=com.example.tide&environment=Xcode", 422, "unknownEnvironment", ["environment"]),
            ("?bundleId=com.example%2Etide&environment=Production", 200, "", []),
            ("?bundleId=com.example%2tide&environment=Production", 400, "wrongShape", []),
        ]
        for one in cases {
            let answer = try curl("GET", port: server.port, path: "/v1/subscribers/100\(one.query)", key: key)
            #expect(answer.status == one.status, "\(one.query): \(answer.text)")
            #expect(answer.problem ?? "" == one.code, "\(one.query)")
            #expect(answer.fields == one.fields, "\(one.query)")
        }
        let encoded = try curl(
            "GET", port: server.port, path: "/v1/subscribers/%00?bundleId=com.example.tide&environment=Production",
            key: key)
        #expect(encoded.status == 422)
    }

    @Test func `roles and bound keys are kept apart`() throws {
        #expect(try server.subscriber("100", key: try server.makeKey(.marketer)).status == 200)
        #expect(try server.subscriber("100", key: try server.makeKey(.device)).status == 403)
        let bound = try server.makeKey(.client, app: TestServer.otherBundleId)
        #expect(try server.subscriber("100", key: bound).problem == "appNotAllowed")
        #expect(try server.subscriber("100", key: "nobody").status == 401)
    }

    @Test func `every offer is told with eligible or the reasons`() throws {
        let answer = try server.subscriber("100", key: key, suffix: "/eligibility")
        #expect(answer.status == 200)
        let offers = try #require(answer.json["offers"] as? [[String: Any]])
        #expect(!offers.isEmpty)
        for offer in offers {
            let reasons = try #require(offer["reasons"] as? [[String: Any]])
            #expect(offer["eligible"] as? Bool == reasons.isEmpty)
        }
        let save = try #require(offers.first { $0["offerIdentifier"] as? String == "save50" })
        #expect(save["eligible"] as? Bool == true)
        #expect(save["offerType"] as? String == "promotionalOffer")
        #expect(try server.subscriber("999", key: key, suffix: "/eligibility").status == 404)
    }

    @Test func `a device asks for its own status with its own proof, which is remembered`() throws {
        let device = try server.makeKey(.device)
        let jws = try server.appStore.signedTransaction(
            server.transaction("200") { $0.appTransactionId = AppTransactionID("7") })
        let body: [String: Any] = [
            "bundleId": "com.example.tide", "environment": "Production", "signedTransactionInfo": jws,
            "timeZone": "Europe/Berlin",
        ]
        let answer = try curl(
            "POST", port: server.port, path: "/v1/subscribers/status", key: device,
            body: JSONSerialization.data(withJSONObject: body))
        #expect(answer.status == 200)
        #expect(answer.json["originalTransactionId"] as? String == "200")
        #expect(answer.json["status"] as? String == "active")
        #expect(try server.subscriber("200", key: key).status == 200)
        let zone = try run(
            "sqlite3", [server.database, "SELECT time_zone FROM subscription WHERE original_transaction_id = '200'"])
        #expect(zone.text == "Europe/Berlin\n")
        let wrong = try curl(
            "POST", port: server.port, path: "/v1/subscribers/status", key: device,
            body: JSONSerialization.data(withJSONObject: body.merging(["timeZone": "+02:00"]) { $1 }))
        #expect(wrong.status == 422)
        #expect(wrong.fields == ["timeZone"])
    }
}
