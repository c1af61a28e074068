import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Renewal facts` {
    private static let json = """
        {"originalTransactionId":"2000000000000001","productId":"tide.monthly","autoRenewProductId":"tide.yearly",
        "autoRenewStatus":0,"expirationIntent":1,"isInBillingRetryPeriod":false,"gracePeriodExpiresDate":1792411200000,
        "priceIncreaseStatus":1,"offerType":2,"offerIdentifier":"save50","eligibleWinBackOfferIds":["b","a"],
        "renewalDate":1791201600000,"renewalPrice":4990,"currency":"EUR",
        "recentSubscriptionStartDate":1785931200000,"signedDate":1788609600001,"environment":"Production"}
        """

    private static func payload() throws -> JWSRenewalInfoDecodedPayload {
        try JWSRenewalInfoDecodedPayload(json: Array(json.utf8))
    }

    @Test func `every field comes from the payload`() throws {
        let fact = try RenewalFact(Self.payload(), notificationType: nil, subtype: nil)
        var expected = RenewalFact(
            originalTransactionId: "2000000000000001", signedDate: Instant(millisecondsSince1970: 1_788_609_600_001))
        expected.productId = "tide.monthly"
        expected.autoRenewProductId = "tide.yearly"
        expected.autoRenewStatus = .off
        expected.expirationIntent = .customerCancelled
        expected.isInBillingRetryPeriod = false
        expected.gracePeriodExpiresDate = Instant(millisecondsSince1970: 1_792_411_200_000)
        expected.priceIncreaseStatus = 1
        expected.offerType = .promotionalOffer
        expected.offerIdentifier = "save50"
        expected.eligibleWinBackOfferIds = ["b", "a"]
        expected.renewalDate = Moment.day(30)
        expected.renewalPrice = 4990
        expected.currency = "EUR"
        expected.recentSubscriptionStartDate = Moment.day(-31)
        #expect(fact == expected)
    }

    @Test func `a payload without what every decision needs is refused by the names of the fields`() throws {
        #expect(throws: CampaignCoreError.renewalInfoLacks(fields: ["originalTransactionId", "signedDate"])) {
            try RenewalFact(JWSRenewalInfoDecodedPayload(), notificationType: nil, subtype: nil)
        }
        var payload = try Self.payload()
        payload.originalTransactionId = ""
        let error = try #require(throws: CampaignCoreError.self) {
            try RenewalFact(payload, notificationType: nil, subtype: nil)
        }
        #expect(
            error.description
                == "the signed renewal info lacks 'originalTransactionId'; send one that the App Store signed")
    }

    @Test(
        arguments: [
            ("DID_CHANGE_RENEWAL_PREF", "UPGRADE", PlanChange.upgrade),
            ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", .downgrade), ("OFFER_REDEEMED", "UPGRADE", .upgrade),
            ("OFFER_REDEEMED", "DOWNGRADE", .downgrade), ("DID_CHANGE_RENEWAL_PREF", nil, nil),
            ("DID_CHANGE_RENEWAL_PREF", "SOMETHING", nil), ("SUBSCRIBED", "UPGRADE", nil), (nil, "UPGRADE", nil),
        ] as [(String?, String?, PlanChange?)])
    func `the subtype of a change of plan says which way it goes`(
        type: String?, subtype: String?, change: PlanChange?
    ) throws {
        #expect(
            try RenewalFact(Self.payload(), notificationType: type, subtype: subtype).planChange == change)
    }

    @Test(arguments: [Int64.min, -1, 253_402_300_800_000, .max])
    func `dates before 1970 and after 9999 are refused with their field and value`(milliseconds: Int64) throws {
        let odd = Instant(millisecondsSince1970: milliseconds)
        for (field, path) in [
            ("gracePeriodExpiresDate", \.gracePeriodExpiresDate), ("renewalDate", \.renewalDate),
            ("recentSubscriptionStartDate", \.recentSubscriptionStartDate), ("signedDate", \.signedDate),
        ] as [(String, WritableKeyPath<JWSRenewalInfoDecodedPayload, Instant?>)] {
            var payload = try Self.payload()
            payload[keyPath: path] = odd
            #expect(throws: CampaignCoreError.dateOutOfRange(field: field, millisecondsSince1970: milliseconds)) {
                try RenewalFact(payload, notificationType: nil, subtype: nil)
            }
        }
        for (field, path) in [
            ("purchaseDate", \.purchaseDate), ("expiresDate", \.expiresDate), ("revocationDate", \.revocationDate),
            ("signedDate", \.signedDate),
        ] as [(String, WritableKeyPath<JWSTransactionDecodedPayload, Instant?>)] {
            var payload = JWSTransactionDecodedPayload()
            payload.originalTransactionId = "1"
            payload.transactionId = "1"
            payload.productId = "p"
            payload.subscriptionGroupIdentifier = "g"
            payload.type = .autoRenewableSubscription
            payload.purchaseDate = Moment.start
            payload.expiresDate = Moment.day(30)
            payload.signedDate = Moment.start
            payload[keyPath: path] = odd
            #expect(throws: CampaignCoreError.dateOutOfRange(field: field, millisecondsSince1970: milliseconds)) {
                try TransactionFact(payload)
            }
        }
    }

    @Test(arguments: [Int64(0), 253_402_300_799_999])
    func `the first and the last millisecond of those years are dates`(milliseconds: Int64) throws {
        var payload = try Self.payload()
        payload.renewalDate = Instant(millisecondsSince1970: milliseconds)
        #expect(
            try RenewalFact(payload, notificationType: nil, subtype: nil).renewalDate?.millisecondsSince1970
                == milliseconds)
    }

    @Test func `a date that cannot be is told in one line`() {
        #expect(
            CampaignCoreError.dateOutOfRange(field: "expiresDate", millisecondsSince1970: -1).description
                == "'expiresDate' is '-1' milliseconds since 1970, which is not in the years 1970 to 9999; "
                + "send a date that the App Store signed")
    }
}

@Suite struct `Notification types` {
    @Test(arguments: [
        "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "OFFER_REDEEMED",
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED", "PRICE_INCREASE", "REFUND", "REFUND_REVERSED",
        "REFUND_DECLINED", "CONSUMPTION_REQUEST", "REVOKE", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION",
    ])
    func `those about subscriptions fold`(type: String) {
        #expect(NotificationType(rawValue: type).isKnown && NotificationType(rawValue: type).folds)
    }

    @Test(arguments: [
        ("ONE_TIME_CHARGE", true), ("EXTERNAL_PURCHASE_TOKEN", true), ("RESCIND_CONSENT", true),
        ("METADATA_UPDATE", true), ("MIGRATION", true), ("MIGRATE", true), ("PRICE_CHANGE", true), ("TEST", true),
        ("SOMETHING_NEW", false), ("", false), ("subscribed", false),
    ])
    func `N03 others are only kept`(type: String, isKnown: Bool) {
        #expect(NotificationType(rawValue: type).isKnown == isKnown && !NotificationType(rawValue: type).folds)
    }

    @Test(arguments: [
        "INITIAL_BUY", "RESUBSCRIBE", "DOWNGRADE", "UPGRADE", "AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED", "VOLUNTARY",
        "BILLING_RETRY", "PRICE_INCREASE", "GRACE_PERIOD", "PENDING", "ACCEPTED", "BILLING_RECOVERY",
        "PRODUCT_NOT_FOR_SALE", "SUMMARY", "FAILURE", "UNREPORTED", "CREATED", "ACTIVE_TOKEN_REMINDER",
    ])
    func `N03 Apple's subtypes are known, others are kept`(subtype: String) {
        #expect(Subtype(rawValue: subtype).isKnown && !Subtype(rawValue: subtype + "_2").isKnown)
    }
}

@Suite struct `Names of Apple's numbers` {
    @Test(arguments: [
        (1, "customerCancelled"), (2, "billingError"), (3, "customerDidNotConsentToPriceIncrease"),
        (4, "productNotAvailable"), (5, "other"), (6, "6"), (-1, "-1"),
    ])
    func `an expiration intent has a name that reads back`(number: Int, name: String) {
        #expect(ExpirationIntent(rawValue: number).name == name)
        #expect(ExpirationIntent(name: name)?.rawValue == number)
    }

    @Test(arguments: [(0, "off"), (1, "on"), (2, "2")])
    func `an auto-renew status has a name that reads back`(number: Int, name: String) {
        #expect(AutoRenewStatus(rawValue: number).name == name)
        #expect(AutoRenewStatus(name: name)?.rawValue == number)
    }

    @Test(arguments: ["", "1", "01", "+6", "ON", "Off", "customercancelled", "0"])
    func `what no name is reads as nothing`(name: String) {
        #expect(ExpirationIntent(name: name) == nil || name == "0")
        #expect(AutoRenewStatus(name: name) == nil)
    }
}
