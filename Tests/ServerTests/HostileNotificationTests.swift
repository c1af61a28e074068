import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

/// Notifications that are properly signed and say what nobody expects.
///
/// Each is answered at once, never as a fault of ours, and what is accepted is in the log byte for byte.
@Suite(.serialized) struct `Signed notifications with unexpected contents` {
    private let server: TestServer
    private let key: String
    private static let now = TestServer.start.millisecondsSince1970
    private static let day: Int64 = 86_400_000

    init() throws {
        server = try TestServer()
        key = try server.makeKey(.client)
    }

    /// The three JSON objects of one notification, by their names.
    private typealias Parts = [String: [String: Any]]

    /// Every key that Apple's pages list, with a value that a monthly subscription could have.
    private func parts() -> Parts {
        [
            "notification": [
                "notificationType": "DID_CHANGE_RENEWAL_STATUS", "subtype": "AUTO_RENEW_DISABLED",
                "notificationUUID": UUID().uuidString.lowercased(), "version": "2.0", "signedDate": Self.now,
            ],
            "data": [
                "appAppleId": 6_400_000_001, "bundleId": "com.example.tide", "bundleVersion": "1",
                "environment": "Production", "status": 1, "consumptionRequestReason": "OTHER",
            ],
            "transaction": [
                "transactionId": "100", "originalTransactionId": "100", "webOrderLineItemId": "9",
                "bundleId": "com.example.tide", "productId": "tide.monthly", "subscriptionGroupIdentifier": "21500001",
                "purchaseDate": Self.now - 5 * Self.day, "originalPurchaseDate": Self.now - 5 * Self.day,
                "expiresDate": Self.now + 25 * Self.day, "quantity": 1, "type": "Auto-Renewable Subscription",
                "appAccountToken": "7e3f0000-0000-4000-8000-000000000001", "inAppOwnershipType": "PURCHASED",
                "signedDate": Self.now, "offerType": 2, "offerIdentifier": "save50",
                "offerDiscountType": "PAY_AS_YOU_GO", "offerPeriod": "P1M", "environment": "Production",
                "storefront": "DEU", "storefrontId": "143443", "transactionReason": "PURCHASE", "currency": "EUR",
                "price": 2490, "appTransactionId": "704",
            ],
            "renewal": [
                "originalTransactionId": "100", "productId": "tide.monthly", "autoRenewProductId": "tide.yearly",
                "autoRenewStatus": 0, "expirationIntent": 1, "isInBillingRetryPeriod": false,
                "gracePeriodExpiresDate": Self.now + 30 * Self.day, "priceIncreaseStatus": 1, "offerType": 2,
                "offerIdentifier": "save50", "offerDiscountType": "FREE_TRIAL", "offerPeriod": "P1M",
                "eligibleWinBackOfferIds": ["wb_old"], "renewalDate": Self.now + 25 * Self.day, "renewalPrice": 2490,
                "currency": "EUR", "recentSubscriptionStartDate": Self.now - 5 * Self.day, "signedDate": Self.now,
                "environment": "Production", "appAccountToken": "7e3f0000-0000-4000-8000-000000000001",
                "appTransactionId": "704",
            ],
        ]
    }

    private func signed(_ parts: Parts) throws -> String {
        let sign = { (object: [String: Any]) in
            try server.appStore.sign(payload: Array(JSONSerialization.data(withJSONObject: object)))
        }
        var notification = try #require(parts["notification"])
        if var data = parts["data"] {
            if let transaction = parts["transaction"] { data["signedTransactionInfo"] = try sign(transaction) }
            if let renewal = parts["renewal"] { data["signedRenewalInfo"] = try sign(renewal) }
            notification["data"] = data
        }
        return try sign(notification)
    }

    /// Posts it and gives the outcome, or the problem's code; the answer is never a fault of ours, and afterwards the
    /// subscriber can be told.
    private func outcome(_ parts: Parts, _ what: String) throws -> String {
        let jws = try signed(parts)
        let store = try Store(reading: server.database)
        let before = try store.payloads(after: nil, limit: 1000)
        let answer = try server.post(jws)
        #expect([200, 422].contains(answer.status), "\(what): \(answer.status) \(answer.text)")
        let added = try store.payloads(after: before.last?.id, limit: 1000)
        #expect(added.count == (answer.status == 200 ? 1 : 0), "\(what): \(answer.text)")
        if answer.status == 200 {
            #expect(try added.map { try store.text(of: $0) } == [jws], "\(what)")
            for suffix in ["", "/eligibility"] {
                let told = try server.subscriber("100", key: key, suffix: suffix)
                #expect([200, 404].contains(told.status) && !told.json.isEmpty, "\(what): \(told.text)")
            }
        }
        return try #require(answer.json["outcome"] as? String ?? answer.problem, "\(what): \(answer.text)")
    }

    @Test func `each key that is missing is no fault of ours, and what was signed for us is kept`() throws {
        let everything = parts()
        #expect(try outcome(everything, "everything") == "folded")
        // Without these it is no notification, not for us, or not what the outer signature says.
        let refused: Set<String> = [
            "notification.notificationType", "notification.notificationUUID", "notification.signedDate",
            "data.appAppleId", "data.bundleId", "data.environment", "transaction.bundleId", "transaction.environment",
            "transaction.signedDate", "renewal.environment", "renewal.signedDate",
        ]
        // Without these no decision can be made.
        let failed: Set<String> = [
            "transaction.transactionId", "transaction.originalTransactionId", "transaction.productId",
            "transaction.subscriptionGroupIdentifier", "transaction.purchaseDate", "transaction.expiresDate",
            "transaction.type", "renewal.originalTransactionId",
        ]
        for (part, members) in everything {
            for key in members.keys {
                var parts = parts()
                parts[part]?[key] = nil
                let name = "\(part).\(key)"
                let outcome = try outcome(parts, name)
                let expected: Set<String> =
                    refused.contains(name)
                    ? ["unverifiableProof"] : failed.contains(name) ? ["failed"] : ["folded", "stale"]
                #expect(expected.contains(outcome), "\(name): \(outcome)")
                if outcome == "failed" {
                    let marked = try server.logged(where: "outcome = 'failed' AND detail LIKE '%\(key)%'")
                    #expect(marked > 0, "\(name)")
                }
            }
        }
        for part in ["transaction", "renewal", "data"] {
            var parts = parts()
            parts[part] = nil
            let expected: Set<String> = part == "data" ? ["unverifiableProof"] : ["folded", "stale"]
            #expect(expected.contains(try outcome(parts, part)))
        }
        let lines = server.log.split(separator: "\n").filter { $0.contains("\"failed\"") }
        #expect(lines.count == failed.count)
    }

    @Test func `a word or a number that nobody knows is kept as it is and folds`() throws {
        let values: [(part: String, key: String, value: Any)] = [
            ("notification", "subtype", "SOMETHING_NEW"), ("notification", "version", "3.0"),
            ("data", "status", 9), ("data", "status", -1), ("data", "consumptionRequestReason", "BOREDOM"),
            ("transaction", "inAppOwnershipType", "BORROWED"), ("transaction", "offerType", 99),
            ("transaction", "offerType", -1), ("transaction", "offerDiscountType", "PAY_NEVER"),
            ("transaction", "offerPeriod", "P1Q"), ("transaction", "transactionReason", "WHIM"),
            ("transaction", "storefront", "ATLANTIS"), ("transaction", "revocationType", "REFUND_STRANGE"),
            ("transaction", "revocationReason", 77), ("transaction", "quantity", 0), ("transaction", "price", -1),
            ("transaction", "currency", "XXXX"), ("renewal", "autoRenewStatus", 7), ("renewal", "expirationIntent", 42),
            ("renewal", "priceIncreaseStatus", 9), ("renewal", "offerType", 77),
            ("renewal", "eligibleWinBackOfferIds", [String]()), ("renewal", "eligibleWinBackOfferIds", ["", "\u{0}é"]),
            ("renewal", "currency", ""), ("renewal", "renewalPrice", Int64.max), ("renewal", "autoRenewProductId", ""),
        ]
        for (number, one) in values.enumerated() {
            var parts = parts()
            parts[one.part]?[one.key] = one.value
            // Each is signed later than the one before, so that it holds.
            for part in ["notification", "transaction", "renewal"] {
                parts[part]?["signedDate"] = Self.now + Int64(number + 1) * 1000
            }
            let name = "\(one.part).\(one.key) \(one.value)"
            #expect(try outcome(parts, name) == "folded", "\(name)")
        }
        var unknown = parts()
        unknown["notification"]?["notificationType"] = "SOMETHING_NEW"
        #expect(try outcome(unknown, "type") == "unknownType")
        var thing = parts()
        thing["transaction"]?["type"] = "Lifetime Subscription"
        #expect(try outcome(thing, "another kind of product") == "notFolded")
        for environment in ["Martian", "Xcode", "LocalTesting", ""] {
            var parts = parts()
            parts["data"]?["environment"] = environment
            #expect(try outcome(parts, environment) == "unverifiableProof")
        }
    }

    @Test func `a value of another kind refuses the whole, because the rest cannot be trusted either`() throws {
        let kinds: [Any] = ["text", 1.5, [1], ["a": 1], true]
        for (part, members) in parts() {
            for (key, value) in members {
                for kind in kinds where !isSameKind(kind, value) {
                    var parts = parts()
                    parts[part]?[key] = kind
                    let outcome = try outcome(parts, "\(part).\(key) as \(kind)")
                    #expect(["unverifiableProof", "folded", "stale"].contains(outcome), "\(part).\(key): \(outcome)")
                    break
                }
            }
        }
    }

    private func isSameKind(_ one: Any, _ other: Any) -> Bool {
        (one is String && other is String) || (one is [Any] && other is [Any])
    }

    @Test func `dates before 1970, after 9999 and beyond all calendars are answered, and told as failed`() throws {
        let dates: [Int64] = [-1, -62_135_596_800_001, 253_402_300_800_000, .max, .min]
        let keys = [
            ("transaction", ["purchaseDate", "expiresDate", "revocationDate", "signedDate", "originalPurchaseDate"]),
            ("renewal", ["gracePeriodExpiresDate", "renewalDate", "recentSubscriptionStartDate", "signedDate"]),
            ("notification", ["signedDate"]),
        ]
        for (part, keys) in keys {
            for key in keys {
                for date in dates {
                    var parts = parts()
                    parts[part]?[key] = date
                    let outcome = try outcome(parts, "\(part).\(key) \(date)")
                    let expected: Set<String> =
                        switch key {
                        // No certificate was valid then.
                        case "signedDate": ["unverifiableProof"]
                        // Nothing is decided by it.
                        case "originalPurchaseDate": ["folded", "stale"]
                        default: ["failed"]
                        }
                    #expect(expected.contains(outcome), "\(part).\(key) \(date): \(outcome)")
                }
            }
        }
        #expect(try server.subscriber("100", key: key).json["status"] as? String == "active")
    }

    @Test func `the largest that fits is taken, and a deep, a long or a doubled one is refused`() throws {
        var large = parts()
        large["notification"]?["padding"] = String(repeating: "padding ", count: 22_000)
        #expect(try outcome(large, "large") == "folded")
        var tooLarge = parts()
        tooLarge["notification"]?["padding"] = String(repeating: "padding ", count: 25_000)
        #expect(try server.post(signed(tooLarge)).status == 413)
        let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
        let uuid = UUID().uuidString
        let texts = [
            "{\"notificationType\":\"TEST\",\"notificationUUID\":\"\(uuid)\",\"x\":\(deep)}",
            "{\"notificationType\":\"TEST\",\"notificationType\":\"REFUND\",\"notificationUUID\":\"\(uuid)\"}",
            "{\"notificationType\":\"TEST\"", "[]", "null", "", "\u{FEFF}{}",
        ]
        for text in texts {
            let answer = try server.post(try server.appStore.sign(payload: Array(text.utf8)))
            #expect(answer.status == 422, "\(text.prefix(80)): \(answer.text)")
        }
        #expect(try server.logged() == 1)
    }

    @Test func `payloads about two subscriptions are kept and folded into neither`() throws {
        var parts = parts()
        parts["renewal"]?["originalTransactionId"] = "200"
        #expect(try outcome(parts, "two subscriptions") == "failed")
        #expect(try server.subscriber("200", key: key).status == 404)
        #expect(try server.logged(where: "outcome = 'failed' AND detail LIKE '%two subscriptions%'") == 1)
    }

    @Test func `six deliveries of one name with two bodies at once are one effect and one conflict`() async throws {
        let uuid = UUID().uuidString
        var first = parts()
        first["notification"]?["notificationUUID"] = uuid
        var second = first
        second["renewal"]?["autoRenewStatus"] = 1
        let (one, other) = (try signed(first), try signed(second))
        let answers = try await withThrowingTaskGroup(of: CurlAnswer.self) { group in
            for number in 0..<6 { group.addTask { try server.post(number % 2 == 0 ? one : other) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 })
        let outcomes = answers.compactMap { $0.json["outcome"] as? String }.sorted()
        #expect(outcomes == ["conflicting", "duplicate", "duplicate", "duplicate", "duplicate", "folded"])
        #expect(try server.logged() == 2)
        let facts = try run("sqlite3", [server.database, "SELECT count(*) FROM renewal_fact"])
        #expect(facts.text == "1\n")
    }
}
