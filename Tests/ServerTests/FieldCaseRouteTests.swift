import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

/// Field cases of notifications and eligibility, as the App Store posts them and a back end is answered.
///
/// T+5d of the field cases is `TestServer.start`; the monthly period is from T to T+30d.
@Suite(.serialized) struct `Field cases over HTTP` {
    static let day: Int64 = 86_400_000
    /// The field cases' own catalogue, with codes for existing customers and two win-back offers.
    private static let catalog = Result {
        let file = Surroundings.project.appendingPathComponent("Fixtures/Catalog/valid/Tide.storekit")
        let text = try String(contentsOf: file, encoding: .utf8)
        let old = """
            "winbackOffers" : [
                        { "internalID" : "7D1E0199", "isEligible" : true, "offerID" : "wb_old", "paymentMode" : "free",
                          "referenceName" : "Old", "subscriptionPeriod" : "P1M" },
            """
        return text.replacingOccurrences(of: "\"winbackOffers\" : [", with: old)
    }

    let server: TestServer
    let key: String

    init() throws {
        let rule = WinBackRule(
            paidSubscriptionDurationInMonths: 2, timeSinceLastSubscribedInMonthsMinimum: 1,
            timeSinceLastSubscribedInMonthsMaximum: 3)
        server = try TestServer(
            catalogText: Self.catalog.get(),
            accessPolicy: AccessPolicy(accessLevels: [ProductID("tide.monthly"): "basic"]),
            winBackRules: [OfferIdentifier("wb_month_free"): rule])
        key = try server.makeKey(.client)
    }

    func day(_ number: Int64) -> Instant {
        TestServer.start.adding(milliseconds: (number - 5) * Self.day)
    }

    /// Moves the clock to T and `number` days, with an hour on top.
    func wait(untilDay number: Int64) {
        server.clock.advance(
            milliseconds: day(number).millisecondsSince1970 + 3_600_000 - server.clock.now.millisecondsSince1970)
    }

    /// Posts a notification about the subscription; both of its payloads are signed then, too.
    func post(
        _ type: String, _ subtype: String? = nil, of id: String = "100", day number: Int64, status: Int = 1,
        _ transaction: (inout JWSTransactionDecodedPayload) -> Void = { _ in },
        renewal: (inout JWSRenewalInfoDecodedPayload) -> Void = { _ in }
    ) throws {
        let date = day(number)
        let notice = TestServer.Notice(
            type: type, subtype: subtype, signedDate: date,
            transaction: server.transaction(id) {
                $0.signedDate = date
                transaction(&$0)
            }, renewalInfo: server.renewalInfo(id, signedDate: date, change: renewal), status: status)
        let answer = try server.post(notice)
        try #require(
            answer.status == 200 && ["folded", "stale"].contains(answer.json["outcome"] as? String ?? ""),
            "\(answer.text)")
    }

    func status(_ id: String = "100") throws -> [String: String] {
        let answer = try server.subscriber(id, key: key)
        try #require(answer.status == 200, "\(answer.text)")
        return answer.json.compactMapValues { value in
            switch value {
            case let text as String: text
            case let number as NSNumber: number.stringValue
            case is [String: Any]: "object"
            default: nil
            }
        }
    }

    /// The reasons against each offer, by product, kind and identifier.
    func reasons(_ id: String = "100") throws -> [(offer: String, codes: [String])] {
        let answer = try server.subscriber(id, key: key, suffix: "/eligibility")
        let offers = try #require(answer.json["offers"] as? [[String: Any]], "\(answer.text)")
        return try offers.map { offer in
            let reasons = try #require(offer["reasons"] as? [[String: Any]])
            #expect(reasons.allSatisfy { ($0["detail"] as? String)?.isEmpty == false })
            let name = [offer["productId"], offer["offerType"], offer["offerIdentifier"]]
                .compactMap { $0 as? String }.joined(separator: " ")
            return (name, reasons.compactMap { $0["code"] as? String })
        }
    }

    func codes(_ offer: String, _ id: String = "100") throws -> [String] {
        let found = try reasons(id)
        return try #require(found.first { $0.offer == offer }, "\(found.map(\.offer))").codes
    }

    @Test func `N05 a billing grace period entitles, wins nobody back and is no wish to leave`() throws {
        let graceEnd = Instant(millisecondsSince1970: 1_792_411_200_000)
        try post("DID_FAIL_TO_RENEW", "GRACE_PERIOD", day: 30, status: 4) { _ in
        } renewal: {
            $0.isInBillingRetryPeriod = true
            $0.gracePeriodExpiresDate = graceEnd
            $0.eligibleWinBackOfferIds = ["wb_month_free"].map { OfferIdentifier($0) }
        }
        wait(untilDay: 35)
        try #require(server.clock.now < graceEnd)
        let told = try status()
        #expect(told["status"] == "billingGracePeriod" && told["access"] == "full" && told["accessLevel"] == "basic")
        #expect(told["message"] == "graceCountdown" && told["saveWindow"] == nil)
        #expect(told["gracePeriodExpiresDate"] == "1792411200000" && told["daysRemaining"] != nil)
        #expect(try codes("tide.monthly winBackOffer wb_month_free") == ["inBillingRetry"])
    }

    @Test func `N06 billing retry without a grace date is limited access and no offer`() throws {
        try post("DID_FAIL_TO_RENEW", day: 30, status: 3) { _ in
        } renewal: {
            $0.isInBillingRetryPeriod = true
        }
        wait(untilDay: 35)
        let told = try status()
        #expect(told["status"] == "billingRetry" && told["access"] == "limited" && told["message"] == "fixPayment")
        #expect(told["saveWindow"] == nil && told["expirationIntent"] == nil)
        #expect(try codes("tide.monthly winBackOffer wb_month_free") == ["inBillingRetry"])
    }

    @Test(arguments: [SubscriptionStatus.Access.full, .limited, .none])
    func `N06 the access in billing retry is the configured one`(access: SubscriptionStatus.Access) throws {
        let server = try TestServer(accessPolicy: AccessPolicy(billingRetryAccess: access))
        let signed = TestServer.start
        try server.post(
            TestServer.Notice(
                type: "DID_FAIL_TO_RENEW", signedDate: signed,
                transaction: server.transaction("100") { $0.expiresDate = signed },
                renewalInfo: server.renewalInfo("100") { $0.isInBillingRetryPeriod = true }, status: 3))
        let answer = try server.subscriber("100", key: server.makeKey(.client))
        #expect(answer.json["access"] as? String == access.rawValue)
        #expect(answer.json["status"] as? String == "billingRetry")
    }

    @Test(arguments: [false, true])
    func `N07 an upgrade leaves a long old period behind, in either order`(isOldFirst: Bool) throws {
        let posts: [() throws -> Void] = [
            {
                try self.post("SUBSCRIBED", "INITIAL_BUY", day: 0) { $0.signedDate = self.day(0) }
            },
            {
                try self.post("DID_CHANGE_RENEWAL_PREF", "UPGRADE", day: 5) {
                    $0.transactionId = TransactionID("102")
                    $0.productId = ProductID("tide.yearly")
                    $0.purchaseDate = self.day(5)
                    $0.expiresDate = self.day(20)
                } renewal: {
                    $0.productId = ProductID("tide.yearly")
                    $0.autoRenewProductId = ProductID("tide.yearly")
                }
            },
            {
                try self.post("CONSUMPTION_REQUEST", day: 6) {
                    $0.isUpgraded = true
                    $0.revocationDate = self.day(5)
                } renewal: {
                    $0.productId = ProductID("tide.yearly")
                    $0.autoRenewProductId = ProductID("tide.yearly")
                }
            },
        ]
        for post in isOldFirst ? posts : posts.reversed() { try post() }
        wait(untilDay: 7)
        let told = try status()
        #expect(told["productId"] == "tide.yearly" && told["status"] == "active" && told["message"] == "none")
        #expect(told["expiresDate"] == "\(day(20).millisecondsSince1970)")
        // The old period would have run until T+30d; it gives nothing after the end of the new one.
        wait(untilDay: 25)
        #expect(try status()["status"] == "expired")
        #expect(try status()["access"] == "none")
    }

    @Test func `N08 a reversed refund entitles again, and both facts stay in the log`() throws {
        try post("REFUND", day: 5, status: 5) { $0.revocationDate = self.day(5) }
        wait(untilDay: 6)
        #expect(try status()["status"] == "revoked")
        #expect(try status()["access"] == "none")
        #expect(try codes("tide.monthly winBackOffer wb_month_free") == ["subscriptionRevoked"])
        try post("REFUND_REVERSED", day: 15)
        wait(untilDay: 15)
        let told = try status()
        #expect(told["status"] == "active" && told["access"] == "full")
        #expect(try codes("tide.monthly winBackOffer wb_month_free") == ["stillSubscribed"])
        #expect(try server.logged(where: "notification_type LIKE 'REFUND%' AND outcome = 'folded'") == 2)
        let versions = try run(
            "sqlite3",
            [server.database, "SELECT revocation_date IS NULL FROM transaction_fact ORDER BY signed_date"])
        #expect(versions.text == "0\n1\n")
    }

    @Test func `N09 another token is taken over, and both values find the customer`() throws {
        let (first, second) = (UUID(), UUID())
        try post("SUBSCRIBED", "INITIAL_BUY", day: 1) { $0.appAccountToken = first }
        try post("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", day: 2)
        try post("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", day: 3) { $0.appAccountToken = second }
        for token in [first, second] {
            let body: [String: Any] = [
                "bundleId": "com.example.tide", "environment": "Production", "appAccountToken": token.uuidString,
            ]
            let answer = try curl(
                "POST", port: server.port, path: "/v1/subscribers/status", key: key,
                body: JSONSerialization.data(withJSONObject: body))
            #expect(answer.json["originalTransactionId"] as? String == "100", "\(answer.text)")
        }
    }
}
