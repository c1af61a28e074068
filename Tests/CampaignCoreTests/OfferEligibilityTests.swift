import CampaignCore
import Foundation
import TestSupport
import Testing

private func instant(_ text: String) -> Instant { Instant(rfc3339: text + "T12:00:00Z") ?? Moment.start }

/// A period by its dates, paid unless it is said to be free.
private func period(
    _ transactionId: TransactionID, _ from: String, _ until: String, original: OriginalTransactionID = "1",
    product: ProductID = "tide.monthly", group: SubscriptionGroupIdentifier = "21500001", isFree: Bool = false,
    offerType: OfferType? = nil, revoked: String? = nil
) -> TransactionFact {
    var period = fact(
        transactionId, original: original, product: product, group: group, from: instant(from), until: instant(until),
        revoked: revoked.map(instant), offerType: offerType)
    period.price = isFree ? 0 : 4990
    period.currency = "EUR"
    return period
}

@Suite struct `Offers explained` {
    private func eligibilities(
        _ transactions: [TransactionFact], _ renewals: [RenewalFact] = [], now: Instant = Moment.day(5),
        rules: [OfferIdentifier: WinBackRule] = [:], isListKnown: Bool = false,
        environment: AppStoreEnvironment = .production, catalog: Catalog? = nil
    ) throws -> [OfferEligibility] {
        let subscriptions = Dictionary(grouping: transactions, by: \.originalTransactionId).compactMap { id, facts in
            Subscription(transactions: facts, renewals: renewals.filter { $0.originalTransactionId == id })
        }
        return try (catalog ?? CatalogFixtures.tide()).offerEligibilities(
            transactions: transactions, subscriptions: subscriptions, winBackRules: rules,
            isWinBackListKnown: isListKnown, environment: environment, now: now)
    }

    private func codes(_ offers: [OfferEligibility], _ identifier: OfferIdentifier) throws -> [String] {
        try #require(offers.first { $0.offerIdentifier == identifier }).refusals.map(\.code)
    }

    @Test func `every offer of the catalogue is told once, with its product and kind`() throws {
        let offers = try eligibilities([])
        let told = offers.map { "\($0.productId) \($0.offerType.rawValue) \($0.offerIdentifier?.rawValue ?? "-")" }
        #expect(
            told == [
                "tide.monthly 1 -", "tide.monthly 2 save50", "tide.monthly 2 gift_month", "tide.monthly 3 THANKS",
                "tide.yearly 1 -", "tide.monthly 4 wb_month_free", "tide.kids.monthly 1 -",
            ])
        #expect(offers.map(\.isEligible) == [true, false, false, false, true, false, true])
        #expect(try codes(offers, "save50") == ["neverSubscribed"])
        #expect(try codes(offers, "wb_month_free") == ["neverSubscribedInGroup"])
    }

    @Test func `E01 and E02 introductory offers are judged as their signatures are`() throws {
        let used = fact(offerType: .introductoryOffer)
        let offers = try eligibilities([used]).filter { $0.offerType == .introductoryOffer }
        #expect(offers.map(\.productId) == ["tide.monthly", "tide.yearly", "tide.kids.monthly"])
        #expect(offers.map { $0.refusals.map(\.code) } == [["introductoryOfferUsed"], ["introductoryOfferUsed"], []])
    }

    @Test func `E03 the offers of Apple's list come first, in its order, and others are refused`() throws {
        let catalog = try CatalogFixtures.tide(adding: "wb_old", to: "wb_month_free")
        func winBacks(_ list: [OfferIdentifier]) throws -> [String] {
            let lapsed = renewal(signed: Moment.day(31), status: .off, winBack: list)
            return try eligibilities([month()], [lapsed], now: Moment.day(35), catalog: catalog)
                .filter { $0.offerType == .winBackOffer }
                .map { "\($0.offerIdentifier?.rawValue ?? "") \($0.refusals.map(\.code))" }
        }
        #expect(try winBacks(["wb_year_half", "wb_month_free", "wb_old"]) == ["wb_month_free []", "wb_old []"])
        #expect(try winBacks(["wb_old", "wb_month_free"]) == ["wb_old []", "wb_month_free []"])
        #expect(
            try winBacks(["wb_month_free"]) == ["wb_month_free []", "wb_old [\"notInEligibleWinBackOfferIds\"]"])
        #expect(
            try winBacks([]) == [
                "wb_old [\"winBackEligibilityUnknown\"]", "wb_month_free [\"winBackEligibilityUnknown\"]",
            ])
    }

    @Test func `E04 who cancelled may have a promotional offer before the end, and a win-back only after it`() throws {
        let cancelled = renewal(signed: Moment.day(2), status: .off, winBack: ["wb_month_free"])
        let before = try eligibilities([month()], [cancelled], now: Moment.day(5))
        #expect(try codes(before, "save50") == [])
        #expect(try codes(before, "wb_month_free") == ["stillSubscribed"])
        let after = try eligibilities([month()], [cancelled], now: Moment.day(35))
        #expect(try codes(after, "wb_month_free") == [])
    }

    @Test(arguments: [
        (renewal(signed: Moment.day(30), inRetry: true, grace: Moment.day(46)), "inBillingRetry"),
        (renewal(signed: Moment.day(30), inRetry: true), "inBillingRetry"),
    ])
    func `N05 and N06 nobody in billing trouble is won back`(failing: RenewalFact, code: String) throws {
        var failing = failing
        failing.eligibleWinBackOfferIds = ["wb_month_free"]
        let offers = try eligibilities([month()], [failing], now: Moment.day(35), isListKnown: true)
        #expect(try codes(offers, "wb_month_free") == [code])
    }

    @Test func `a refund is a reason, a failed card is none by Apple's rules`() throws {
        let refunded = try eligibilities([month(revoked: Moment.day(4), signed: Moment.day(4))])
        #expect(try codes(refunded, "wb_month_free") == ["subscriptionRevoked"])
        #expect(try codes(refunded, "THANKS") == ["subscriptionRevoked"])
        #expect(try codes(refunded, "save50") == [])
        let failed = renewal(
            signed: Moment.day(91), status: .off, intent: .billingError, inRetry: false, winBack: ["wb_month_free"])
        let offers = try eligibilities([month()], [failed], now: Moment.day(92))
        #expect(try codes(offers, "wb_month_free") == [])
    }

    @Test func `a list that is known to be empty holds nothing`() throws {
        let lapsed = renewal(signed: Moment.day(31), status: .off)
        let offers = try eligibilities([month()], [lapsed], now: Moment.day(35), isListKnown: true)
        #expect(try codes(offers, "wb_month_free") == ["notInEligibleWinBackOfferIds"])
    }

    @Test(
        arguments: [
            // Never in the group, active, lapsed, active in the other group alone.
            ([], nil, ["codeEligibilityDiffers"]),
            ([month()], renewal(signed: Moment.day(1)), []),
            ([fact()], renewal(signed: Moment.start, status: .off), ["codeEligibilityDiffers"]),
            (
                [fact(product: "tide.kids.monthly", group: "21500002", until: Moment.day(30))], nil,
                ["codeEligibilityDiffers"]
            ),
            ([month()], renewal(signed: Moment.day(1), status: .off), ["cancelledButActive"]),
            ([fact()], renewal(signed: Moment.start, inRetry: true), []),
            ([fact()], renewal(signed: Moment.start, inRetry: true, grace: Moment.day(6)), []),
            (
                [month(product: "tide.yearly", until: Moment.day(365))], renewal(signed: Moment.day(1)),
                ["codeWouldDowngrade"]
            ),
            ([month(product: "tide.plain")], renewal(signed: Moment.day(1)), []),
            ([month()], nil, []),
        ] as [([TransactionFact], RenewalFact?, [String])])
    func `E05 codes for existing customers are judged by the group`(
        transactions: [TransactionFact], renewal: RenewalFact?, expected: [String]
    ) throws {
        let offers = try eligibilities(transactions, renewal.map { [$0] } ?? [])
        #expect(try codes(offers, "THANKS") == expected)
    }

    @Test func `one code of an offer is all a customer gets, except in Sandbox`() throws {
        var redeemed = TransactionFact(
            originalTransactionId: "1", transactionId: "1", productId: "tide.monthly",
            subscriptionGroupIdentifier: "21500001", type: .autoRenewableSubscription, purchaseDate: Moment.start,
            expiresDate: Moment.day(30), offerType: .offerCode, offerIdentifier: "THANKS", signedDate: Moment.start)
        redeemed.price = 0
        #expect(try codes(eligibilities([redeemed]), "THANKS") == ["offerCodeUsed"])
        #expect(try codes(eligibilities([redeemed], environment: .sandbox), "THANKS") == [])
    }

    @Test func `a subscription that only transactions tell of counts`() throws {
        let offers = try CatalogFixtures.tide().offerEligibilities(
            transactions: [month()], subscriptions: [], environment: .production, now: Moment.day(5))
        #expect(try codes(offers, "THANKS") == [])
        #expect(try codes(offers, "wb_month_free") == ["stillSubscribed"])
    }

    // A year of paid months, the last of which ends on 31 March.
    private static let year = period("1", "2025-03-31", "2026-03-31")

    @Test(
        arguments: [
            ([year], "2026-04-30", []), ([year], "2026-04-29", ["lapseTooShort 0 of 1"]),
            ([year], "2026-09-30", []), ([year], "2026-10-01", ["lapseTooLong 6 of 6"]),
            ([period("1", "2026-01-31", "2026-03-31")], "2026-05-01", ["paidDurationTooShort 2 of 3"]),
            ([period("1", "2025-12-31", "2026-03-31")], "2026-05-01", []),
            // Any product of the group counts, and what a later period replaced ends there.
            (
                [
                    period("1", "2025-12-31", "2026-02-28"),
                    period("2", "2026-02-15", "2026-03-31", product: "tide.yearly"),
                ], "2026-05-01", []
            ),
            (
                [
                    period("1", "2025-12-31", "2026-12-31"),
                    period("2", "2026-02-15", "2026-03-31", product: "tide.yearly"),
                ],
                "2026-05-01", []
            ),
            // A free month is no paid one, wherever in the stretch it is.
            (
                [period("1", "2025-12-31", "2026-01-31", isFree: true), period("2", "2026-01-31", "2026-03-31")],
                "2026-05-01", ["paidDurationTooShort 2 of 3"]
            ),
            (
                [
                    period("1", "2025-12-31", "2026-01-31"), period("2", "2026-01-31", "2026-02-28", isFree: true),
                    period("3", "2026-02-28", "2026-03-31"),
                ], "2026-05-01", ["paidDurationTooShort 2 of 3"]
            ),
            // A gap or a refund begins a new stretch.
            (
                [period("1", "2025-01-31", "2026-01-31"), period("2", "2026-02-28", "2026-03-31")], "2026-05-01",
                ["paidDurationTooShort 1 of 3"]
            ),
            (
                [
                    period("1", "2025-12-31", "2026-01-31"),
                    period("2", "2026-01-31", "2026-02-28", revoked: "2026-02-10"),
                    period("3", "2026-02-28", "2026-03-31"),
                ], "2026-05-01", ["paidDurationTooShort 1 of 3"]
            ),
            // The other group is another matter.
            (
                [
                    period("1", "2026-02-28", "2026-03-31"),
                    period(
                        "9", "2020-01-01", "2026-04-20", original: "9", product: "tide.kids.monthly", group: "21500002"),
                ], "2026-05-01", ["paidDurationTooShort 1 of 3"]
            ),
            // Won back before, and the wait of four months counts from the end of that period.
            (
                [period("1", "2025-12-31", "2026-03-31", offerType: .winBackOffer)], "2026-07-30",
                ["winBackTooSoon 3 of 4"]
            ),
            ([period("1", "2025-12-31", "2026-03-31", offerType: .winBackOffer)], "2026-07-31", []),
            // Each missed rule is told.
            (
                [period("1", "2026-02-28", "2026-03-31", offerType: .winBackOffer)], "2026-04-01",
                ["paidDurationTooShort 1 of 3", "lapseTooShort 0 of 1", "winBackTooSoon 0 of 4"]
            ),
        ] as [([TransactionFact], String, [String])])
    func `month rules stand in for Apple's list`(
        transactions: [TransactionFact], now: String, expected: [String]
    ) throws {
        let rule = WinBackRule(
            paidSubscriptionDurationInMonths: 3, timeSinceLastSubscribedInMonthsMinimum: 1,
            timeSinceLastSubscribedInMonthsMaximum: 6, waitBetweenOffersInMonths: 4)
        let offers = try eligibilities(transactions, now: instant(now), rules: ["wb_month_free": rule])
        let refusals = try #require(offers.first { $0.offerType == .winBackOffer }).refusals
        let told = refusals.map { refusal -> String in
            switch refusal {
            case .paidDurationTooShort(_, let months, let limit), .lapseTooShort(_, let months, let limit),
                .lapseTooLong(_, let months, let limit), .winBackTooSoon(_, let months, let limit):
                "\(refusal.code) \(months) of \(limit)"
            default: refusal.code
            }
        }
        #expect(told == expected)
    }

    @Test func `Apple's list decides before month rules`() throws {
        let rule = WinBackRule(paidSubscriptionDurationInMonths: 60, timeSinceLastSubscribedInMonthsMinimum: 24)
        let lapsed = renewal(signed: Moment.day(31), status: .off, winBack: ["wb_month_free"])
        let offers = try eligibilities(
            [month()], [lapsed], now: Moment.day(35), rules: ["wb_month_free": rule])
        #expect(try codes(offers, "wb_month_free") == [])
    }

    @Test func `a change to summer time costs no month`() throws {
        // Apple keeps the local hour, so the second of these months ends an hour early in UTC.
        let begin = try #require(Instant(rfc3339: "2026-02-15T20:00:00Z"))
        let end = try #require(Instant(rfc3339: "2026-04-15T19:00:00Z"))
        let rule = WinBackRule(paidSubscriptionDurationInMonths: 2, timeSinceLastSubscribedInMonthsMinimum: 0)
        let offers = try eligibilities(
            [month(from: begin, until: end)], now: end, rules: ["wb_month_free": rule])
        #expect(try codes(offers, "wb_month_free") == [])
    }
}
