import CampaignCore
import Foundation
import TestSupport
import Testing

/// A subscription of one month with one renewal info.
private func subscription(
    _ renewal: RenewalFact? = nil, revoked: Instant? = nil, product: ProductID = "tide.monthly"
) throws -> Subscription {
    try #require(
        Subscription(
            transactions: [month(product: product, revoked: revoked)], renewals: renewal.map { [$0] } ?? []))
}

@Suite struct `Subscription status` {
    private static let grace = Instant(millisecondsSince1970: 1_792_411_200_000)

    /// A row of the table of states: what Apple signed, when it is asked, and what follows.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let renewal: RenewalFact?
        var revoked: Instant?
        let now: Instant
        let state: SubscriptionStatus.State
        let access: SubscriptionStatus.Access
        let message: SubscriptionStatus.Message
        var intent: ExpirationIntent?

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(
            name: "active, will renew", renewal: renewal(signed: Moment.day(1)), now: Moment.day(2), state: .active,
            access: .full, message: .none),
        Row(
            name: "active, nothing known of renewal", renewal: nil, now: Moment.day(2), state: .active, access: .full,
            message: .none),
        Row(
            name: "active, auto-renew off", renewal: renewal(signed: Moment.day(1), status: .off), now: Moment.day(2),
            state: .active, access: .full, message: .saveOffer),
        Row(
            name: "in grace", renewal: renewal(signed: Moment.day(30), inRetry: true, grace: Moment.day(46)),
            now: Moment.day(35), state: .billingGracePeriod, access: .full, message: .graceCountdown),
        Row(
            name: "in grace, retry not told", renewal: renewal(signed: Moment.day(30), grace: Moment.day(46)),
            now: Moment.day(35), state: .billingGracePeriod, access: .full, message: .graceCountdown),
        Row(
            name: "grace is over", renewal: renewal(signed: Moment.day(30), inRetry: true, grace: Moment.day(46)),
            now: Moment.day(46), state: .billingRetry, access: .limited, message: .fixPayment),
        Row(
            name: "in retry", renewal: renewal(signed: Moment.day(30), intent: .billingError, inRetry: true),
            now: Moment.day(35), state: .billingRetry, access: .limited, message: .fixPayment),
        Row(
            name: "retry runs out", renewal: renewal(signed: Moment.day(30), inRetry: true), now: Moment.day(90),
            state: .expired, access: .none, message: .resubscribe, intent: .billingError),
        Row(
            name: "cancelled in grace",
            renewal: renewal(signed: Moment.day(32), status: .off, inRetry: false, grace: Moment.day(46)),
            now: Moment.day(35), state: .expired, access: .none, message: .winBack, intent: .customerCancelled),
        Row(
            name: "cancelled while Apple still says retry",
            renewal: renewal(signed: Moment.day(32), status: .off, inRetry: true, grace: Moment.day(46)),
            now: Moment.day(35), state: .expired, access: .none, message: .resubscribe, intent: .billingError),
        Row(
            name: "expired, customer cancelled",
            renewal: renewal(signed: Moment.day(30), status: .off, intent: .customerCancelled, inRetry: false),
            now: Moment.day(31), state: .expired, access: .none, message: .winBack, intent: .customerCancelled),
        Row(
            name: "expired, only known to be cancelled", renewal: renewal(signed: Moment.day(1), status: .off),
            now: Moment.day(31), state: .expired, access: .none, message: .winBack, intent: .customerCancelled),
        Row(
            name: "expired, billing error",
            renewal: renewal(signed: Moment.day(90), status: .off, intent: .billingError, inRetry: false),
            now: Moment.day(91), state: .expired, access: .none, message: .resubscribe, intent: .billingError),
        Row(
            name: "expired, no consent to a price",
            renewal: renewal(
                signed: Moment.day(30), status: .off, intent: .customerDidNotConsentToPriceIncrease),
            now: Moment.day(31), state: .expired, access: .none, message: .winBack,
            intent: .customerDidNotConsentToPriceIncrease),
        Row(
            name: "expired, product gone", renewal: renewal(signed: Moment.day(30), intent: .productNotAvailable),
            now: Moment.day(31), state: .expired, access: .none, message: .winBack, intent: .productNotAvailable),
        Row(
            name: "expired, other", renewal: renewal(signed: Moment.day(30), intent: .other), now: Moment.day(31),
            state: .expired, access: .none, message: .winBack, intent: .other),
        Row(
            name: "expired, a reason that is new",
            renewal: renewal(signed: Moment.day(30), intent: ExpirationIntent(rawValue: 6)), now: Moment.day(31),
            state: .expired, access: .none, message: .winBack, intent: ExpirationIntent(rawValue: 6)),
        Row(
            name: "expired, reason unknown", renewal: renewal(signed: Moment.day(1)), now: Moment.day(31),
            state: .expired, access: .none, message: .winBack),
        Row(
            name: "revoked", renewal: renewal(signed: Moment.day(6), status: .off), revoked: Moment.day(5),
            now: Moment.day(6), state: .revoked, access: .none, message: .none),
    ]

    @Test(arguments: rows)
    func `each state has its access and its message`(row: Row) throws {
        let status = try subscription(row.renewal, revoked: row.revoked).status(row.now)
        #expect(status.state == row.state)
        #expect(status.access == row.access)
        #expect(status.message == row.message)
        #expect(status.expirationIntent == row.intent)
        #expect((status.saveWindow != nil) == (row.message == .saveOffer))
        #expect((status.gracePeriodExpiresDate != nil) == (row.state == .billingGracePeriod))
        #expect((status.daysRemaining != nil) == (row.state == .billingGracePeriod))
        #expect(status.expiresDate == Moment.day(30))
        #expect(status.autoRenewStatus == row.renewal?.autoRenewStatus)
    }

    @Test(arguments: [
        (Moment.day(30).adding(milliseconds: -1), SubscriptionStatus.State.active),
        (Moment.day(30), .billingGracePeriod), (Moment.day(46).adding(milliseconds: -1), .billingGracePeriod),
        (Moment.day(46), .billingRetry), (Moment.day(90).adding(milliseconds: -1), .billingRetry),
        (Moment.day(90), .expired),
    ])
    func `a state ends in the millisecond its date names`(now: Instant, state: SubscriptionStatus.State) throws {
        let failing = renewal(signed: Moment.day(29), inRetry: true, grace: Moment.day(46))
        #expect(try subscription(failing).status(now).state == state)
    }

    @Test func `a renewal signed before its period begins is active`() throws {
        let ahead = month(from: Moment.day(1), until: Moment.day(31), signed: Moment.start)
        let subscription = try #require(Subscription(transactions: [ahead], renewals: []))
        #expect(try subscription.status(Moment.start).state == .active)
    }

    @Test func `N05 the grace period entitles and is nobody's wish to leave`() throws {
        let failing = renewal(
            signed: Moment.day(30), inRetry: true, grace: Self.grace, winBack: ["wb_month_free"])
        let status = try subscription(failing).status(Moment.day(35))
        #expect(status.state == .billingGracePeriod && status.access == .full && status.message == .graceCountdown)
        #expect(status.gracePeriodExpiresDate == Self.grace)
        #expect(status.saveWindow == nil && status.eligibleWinBackOfferIds.isEmpty)
    }

    @Test(arguments: [
        (Moment.day(43), 1), (Moment.day(43).adding(milliseconds: -1), 2), (Moment.day(30), 14),
        (Moment.day(44).adding(milliseconds: -1), 1),
    ])
    func `N05 the days that remain are rounded up`(now: Instant, days: Int) throws {
        let failing = renewal(signed: Moment.day(30), inRetry: true, grace: Moment.day(44))
        #expect(try subscription(failing).status(now).daysRemaining == days)
    }

    @Test(arguments: SubscriptionStatus.Access.allCases)
    func `N06 billing retry gives the access that the app allows, and never an offer`(
        access: SubscriptionStatus.Access
    ) throws {
        let failing = renewal(signed: Moment.day(30), inRetry: true, winBack: ["wb_month_free"])
        let policy = AccessPolicy(billingRetryAccess: access, accessLevels: ["tide.monthly": "pro"])
        let status = try subscription(failing).status(Moment.day(35), policy)
        #expect(status.state == .billingRetry && status.access == access && status.message == .fixPayment)
        #expect(status.saveWindow == nil && status.eligibleWinBackOfferIds.isEmpty)
        #expect(status.accessLevel == (access == .none ? nil : "pro"))
    }

    @Test func `E03 Apple's order of win-back offers is kept, and those the catalogue lacks are told apart`() throws {
        let listed: [OfferIdentifier] = ["wb_year_half", "wb_month_free", "wb_old"]
        let lapsed = renewal(
            signed: Moment.day(31), status: .off, intent: .customerCancelled, winBack: listed)
        let catalog = try CatalogFixtures.tide(adding: "wb_old", to: "wb_month_free")
        let known = try subscription(lapsed)
        #expect(
            try known.status(Moment.day(35), catalog: catalog).eligibleWinBackOfferIds == ["wb_month_free", "wb_old"])
        #expect(known.unknownWinBackOfferIds(catalog: catalog) == ["wb_year_half"])
        var reversed = lapsed
        reversed.eligibleWinBackOfferIds = listed.reversed()
        #expect(
            try subscription(reversed).status(Moment.day(35), catalog: catalog).eligibleWinBackOfferIds
                == ["wb_old", "wb_month_free"])
        #expect(try known.status(Moment.day(29), catalog: catalog).eligibleWinBackOfferIds.isEmpty)
    }

    @Test func `E03 a catalogue without the group hides nothing of Apple's list`() throws {
        let empty = try #require(try CatalogFixtures.reading("valid/Empty").catalog)
        let lapsed = renewal(signed: Moment.day(31), status: .off, winBack: ["wb_a", "wb_b"])
        let known = try subscription(lapsed, product: "reader.monthly")
        #expect(try known.status(Moment.day(35), catalog: empty).eligibleWinBackOfferIds == ["wb_a", "wb_b"])
        #expect(known.unknownWinBackOfferIds(catalog: empty).isEmpty)
    }

    @Test func `E04 who cancelled is met with a save offer while entitled, and with a win-back afterwards`() throws {
        let cancelled = try subscription(
            renewal(signed: Moment.day(2), status: .off, winBack: ["wb_month_free"]))
        let before = try cancelled.status(Moment.day(5))
        #expect(before.message == .saveOffer && before.eligibleWinBackOfferIds.isEmpty)
        #expect(before.saveWindow?.opensDate == Moment.day(2) && before.saveWindow?.closesDate == Moment.day(30))
        let after = try cancelled.status(Moment.day(35))
        #expect(after.message == .winBack && after.eligibleWinBackOfferIds == ["wb_month_free"])
        #expect(after.saveWindow == nil)
    }

    @Test func `T02 a failed card is not taken for a wish to leave`() throws {
        let failed = renewal(signed: Moment.day(90), status: .off, intent: .billingError, inRetry: false)
        let left = renewal(signed: Moment.day(30), status: .off, intent: .customerCancelled, inRetry: false)
        #expect(try subscription(failed).status(Moment.day(91)).message == .resubscribe)
        #expect(try subscription(left).status(Moment.day(91)).message == .winBack)
    }

    @Test func `off known only for trouble with billing asks nobody to stay`() throws {
        // An extension after the trouble makes the period run again.
        let facts = [month(), month(until: Moment.day(60), signed: Moment.day(40))]
        let off = renewal(signed: Moment.day(35), status: .off, inRetry: true)
        let status = try #require(Subscription(transactions: facts, renewals: [off])).status(Moment.day(41))
        #expect(status.state == .active && status.message == .none && status.saveWindow == nil)
    }

    @Test(
        arguments: [
            ("tide.monthly", "tide.yearly", nil, PlanChange.upgrade),
            ("tide.yearly", "tide.monthly", nil, .downgrade), ("tide.monthly", "tide.plain", nil, .crossgrade),
            // Apple calls every change that waits a downgrade; the levels know better.
            ("tide.monthly", "tide.plain", .downgrade, .crossgrade),
            ("tide.monthly", "tide.gone", .downgrade, .downgrade), ("tide.monthly", "tide.gone", nil, .change),
            ("tide.monthly", "tide.kids.monthly", nil, .change), ("tide.gone", "tide.yearly", .upgrade, .upgrade),
        ] as [(ProductID, ProductID, PlanChange?, PlanChange)])
    func `a pending change is named by levels, else by the notification`(
        product: ProductID, next: ProductID, told: PlanChange?, kind: PlanChange
    ) throws {
        let changing = renewal(signed: Moment.day(1), next: next, change: told)
        let status = try subscription(changing, product: product).status(Moment.day(2))
        #expect(status.pendingChange?.kind == kind)
        #expect(status.pendingChange?.productId == next && status.pendingChange?.effectiveDate == Moment.day(30))
        #expect(try subscription(changing, product: product).status(Moment.day(30)).pendingChange == nil)
    }

    @Test func `nothing is pending without a renewal or another product`() throws {
        let off = renewal(signed: Moment.day(1), status: .off, next: "tide.yearly")
        #expect(try subscription(off).status(Moment.day(2)).pendingChange == nil)
        let same = renewal(signed: Moment.day(1), next: "tide.monthly", change: .upgrade)
        #expect(try subscription(same).status(Moment.day(2)).pendingChange == nil)
        let unknown = renewal(signed: Moment.day(1), status: nil, next: "tide.yearly")
        #expect(try subscription(unknown).status(Moment.day(2)).pendingChange?.kind == .upgrade)
    }

    @Test func `the access level is that of the product while there is access`() throws {
        let policy = AccessPolicy(accessLevels: ["tide.monthly": "basic", "tide.yearly": "pro"])
        #expect(try subscription().status(Moment.day(1), policy).accessLevel == "basic")
        #expect(try subscription(product: "tide.plain").status(Moment.day(1), policy).accessLevel == nil)
        #expect(try subscription().status(Moment.day(30), policy).accessLevel == nil)
        #expect(try subscription(revoked: Moment.day(1)).status(Moment.day(2), policy).accessLevel == nil)
    }
}
