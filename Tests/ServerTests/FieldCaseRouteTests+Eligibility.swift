import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

// Eligibility, and the sandbox's clock.

extension `Field cases over HTTP` {
    @Test func `E01 and E02 introductory offers are told for each product of the catalogue that has one`() throws {
        try post("EXPIRED", "VOLUNTARY", day: 0, status: 2) {
            $0.offerType = .introductoryOffer
            $0.purchaseDate = self.day(-30)
            $0.expiresDate = self.day(0)
        } renewal: {
            $0.autoRenewStatus = .off
            $0.expirationIntent = .customerCancelled
        }
        let introductory = try reasons().filter { $0.offer.hasSuffix(" introductoryOffer") }
        #expect(
            introductory.map { "\($0.offer) \($0.codes)" } == [
                "tide.monthly introductoryOffer [\"introductoryOfferUsed\"]",
                "tide.yearly introductoryOffer [\"introductoryOfferUsed\"]",
                "tide.kids.monthly introductoryOffer []",
            ])
    }

    @Test func `E03 Apple's order of win-back offers is kept, and unknown ones are dropped and counted`() throws {
        try post("EXPIRED", "VOLUNTARY", day: 30, status: 2) { _ in
        } renewal: {
            $0.autoRenewStatus = .off
            $0.expirationIntent = .customerCancelled
            $0.eligibleWinBackOfferIds = ["wb_year_half", "wb_month_free", "wb_old"].map { OfferIdentifier($0) }
        }
        wait(untilDay: 35)
        let answer = try server.subscriber("100", key: key)
        #expect(answer.json["eligibleWinBackOfferIds"] as? [String] == ["wb_month_free", "wb_old"])
        let winBack = try reasons().filter { $0.offer.contains("winBackOffer") }
        #expect(
            winBack.map { "\($0.offer) \($0.codes)" } == [
                "tide.monthly winBackOffer wb_month_free []", "tide.monthly winBackOffer wb_old []",
            ])
        let metrics = try curl("GET", port: server.port, path: "/metrics", key: server.makeKey(.operator)).text
        #expect(metrics.contains("\nholdfast_unknown_win_back_offers_total 1\n"), "\(metrics)")
    }

    @Test func `E04 who cancelled has a save offer while entitled and a win-back offer afterwards`() throws {
        try post("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", day: 4) { _ in
        } renewal: {
            $0.autoRenewStatus = .off
        }
        let before = try status()
        #expect(before["status"] == "active" && before["message"] == "saveOffer" && before["saveWindow"] != nil)
        #expect(try codes("tide.monthly promotionalOffer save50") == [])
        #expect(try codes("tide.monthly winBackOffer wb_old") == ["stillSubscribed"])
        try post("EXPIRED", "VOLUNTARY", day: 30, status: 2) { _ in
        } renewal: {
            $0.autoRenewStatus = .off
            $0.expirationIntent = .customerCancelled
            $0.eligibleWinBackOfferIds = ["wb_old"].map { OfferIdentifier($0) }
        }
        wait(untilDay: 35)
        let after = try status()
        #expect(after["status"] == "expired" && after["message"] == "winBack" && after["saveWindow"] == nil)
        #expect(try codes("tide.monthly winBackOffer wb_old") == [])
    }

    @Test func `E05 codes for existing customers are judged by the group`() throws {
        // Only in the other group, active and lapsed; nobody can be asked about who was never seen at all.
        try post("SUBSCRIBED", "INITIAL_BUY", of: "1", day: 1) {
            $0.productId = ProductID("tide.kids.monthly")
            $0.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("21500002")
        } renewal: {
            $0.productId = ProductID("tide.kids.monthly")
            $0.autoRenewProductId = ProductID("tide.kids.monthly")
        }
        try post("SUBSCRIBED", "INITIAL_BUY", of: "2", day: 1)
        try post("EXPIRED", "VOLUNTARY", of: "3", day: 4, status: 2) {
            $0.purchaseDate = self.day(-26)
            $0.expiresDate = self.day(4)
        } renewal: {
            $0.autoRenewStatus = .off
            $0.expirationIntent = .customerCancelled
        }
        try post("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", of: "4", day: 4) { _ in
        } renewal: {
            $0.autoRenewStatus = .off
        }
        let code = "tide.monthly offerCode THANKS"
        #expect(try codes(code, "1") == ["codeEligibilityDiffers"])
        #expect(try codes(code, "2") == [])
        #expect(try codes(code, "3") == ["codeEligibilityDiffers"])
        // Between them lies who cancelled and is still entitled, of whom Apple says nothing.
        #expect(try codes(code, "4") == ["cancelledButActive"])
    }

    @Test func `the configured months stand in where Apple's list is not known`() throws {
        // Two paid months in a row that ended at T+30d; the rule wants two, and one to three months since.
        try post("EXPIRED", "VOLUNTARY", day: 30, status: 2) {
            $0.purchaseDate = self.day(-32)
            $0.price = 9980
        } renewal: {
            $0.autoRenewStatus = .off
            $0.expirationIntent = .customerCancelled
        }
        let expected: [(Int64, [String])] = [(45, ["lapseTooShort"]), (65, []), (125, ["lapseTooLong"])]
        for (number, codes) in expected {
            wait(untilDay: number)
            #expect(try self.codes("tide.monthly winBackOffer wb_month_free") == codes, "T+\(number)d")
            #expect(try self.codes("tide.monthly winBackOffer wb_old") == ["winBackEligibilityUnknown"])
        }
    }

    @Test func `T03 a Sandbox month of five minutes has its windows and its retry in minutes`() throws {
        let minute: Int64 = 60_000
        let bought = TestServer.start
        func post(
            _ type: String, _ subtype: String?, after: Int64, _ change: (inout JWSRenewalInfoDecodedPayload) -> Void
        )
            throws
        {
            let signed = bought.adding(milliseconds: after)
            var notice = TestServer.Notice(
                type: type, subtype: subtype, signedDate: signed,
                transaction: server.transaction("100") {
                    $0.environment = .sandbox
                    $0.purchaseDate = bought
                    $0.expiresDate = bought.adding(milliseconds: 5 * minute)
                    $0.signedDate = signed
                },
                renewalInfo: server.renewalInfo("100", signedDate: signed) {
                    $0.environment = .sandbox
                    change(&$0)
                })
            notice.environment = .sandbox
            let answer = try server.post(notice)
            try #require(answer.status == 200, "\(answer.text)")
        }
        func told() throws -> [String: Any] { try server.subscriber("100", key: key, environment: "Sandbox").json }

        try post("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", after: 2 * minute) { $0.autoRenewStatus = .off }
        server.clock.advance(milliseconds: 3 * minute)
        let window = try #require(try told()["saveWindow"] as? [String: Int64])
        #expect(window["opensDate"] == bought.millisecondsSince1970 + 2 * minute)
        #expect(window["closesDate"] == bought.millisecondsSince1970 + 5 * minute)
        try post("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", after: 3 * minute) { _ in }
        try post("DID_FAIL_TO_RENEW", nil, after: 5 * minute + 1000) { $0.isInBillingRetryPeriod = true }
        // Sixty days of retry are ten minutes at this rate.
        for (minutes, status) in [(6, "billingRetry"), (14, "billingRetry"), (16, "expired")] as [(Int64, String)] {
            server.clock.advance(
                milliseconds: bought.millisecondsSince1970 + minutes * minute - server.clock.now.millisecondsSince1970)
            #expect(try told()["status"] as? String == status, "after \(minutes) minutes")
        }
    }
}
