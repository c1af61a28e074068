import CampaignCore
import Foundation
import TestSupport
import Testing

/// The instants of the field cases.
enum Moment {
    static let start = Instant(millisecondsSince1970: 1_788_609_600_000)
    static func day(_ days: Int64) -> Instant { start.adding(milliseconds: days * 24 * 60 * 60 * 1000) }
}

/// A monthly period of the field cases' catalogue, changed where a test needs it.
func fact(
    _ transactionId: TransactionID = "2000000000000001", original: OriginalTransactionID = "2000000000000001",
    product: ProductID = "tide.monthly", group: SubscriptionGroupIdentifier? = "21500001",
    type: ProductType = .autoRenewableSubscription, from: Instant = Moment.day(-30), until: Instant? = Moment.start,
    revoked: Instant? = nil, isUpgraded: Bool = false, offerType: OfferType? = nil, token: UUID? = nil,
    signed: Instant? = nil
) -> TransactionFact {
    TransactionFact(
        originalTransactionId: original, transactionId: transactionId, productId: product,
        subscriptionGroupIdentifier: group, type: type, purchaseDate: from, expiresDate: until, revocationDate: revoked,
        isUpgraded: isUpgraded, offerType: offerType, appAccountToken: token, signedDate: signed ?? from)
}

@Suite struct `Promotional offer eligibility` {
    static let token = UUID(uuidString: "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E")
    static let otherToken = UUID(uuidString: "7E3F0000-0000-4000-8000-000000000001")

    private func refusals(
        of offer: OfferIdentifier = "save50", on product: ProductID = "tide.monthly", token: UUID? = nil,
        subscription: OriginalTransactionID? = "2000000000000001", transactions: [TransactionFact]
    ) throws -> [Refusal] {
        try CatalogFixtures.tide().promotionalOfferRefusals(
            of: offer, on: product, appAccountToken: token, subscription: subscription, transactions: transactions)
    }

    @Test func `S06 an offer that is not on that product is refused and told where it is`() throws {
        let refusals = try refusals(on: "tide.yearly", transactions: [fact()])
        #expect(refusals.map(\.code) == ["offerNotOnProduct"])
        #expect(
            refusals[0].detail
                == "the product 'tide.yearly' has no promotional offer 'save50'; "
                + "the products that have it: 'tide.monthly'"
        )
    }

    @Test func `S09 someone who never subscribed gets a machine-readable reason and a hint`() throws {
        let refusals = try refusals(subscription: nil, transactions: [])
        #expect(refusals == [.neverSubscribed])
        #expect(refusals[0].detail.contains("introductory offer"))
        #expect(refusals[0].detail.contains("'new'"))
    }

    @Test(arguments: [
        ("running", fact(until: Moment.day(10)), true),
        ("expired long ago", fact(until: Moment.day(-300)), true),
        ("refunded", fact(revoked: Moment.day(-20)), true),
        ("replaced by an upgrade", fact(isUpgraded: true), true),
        ("of another group", fact(product: "tide.kids.monthly", group: "21500002"), true),
        ("of a product that left the catalogue", fact(product: "tide.weekly", group: "999"), true),
        ("consumable", fact(product: "tide.stickers", group: nil, type: .consumable, until: nil), false),
        ("non-consumable", fact(product: "tide.charts", group: nil, type: .nonConsumable, until: nil), false),
        ("non-renewing", fact(product: "tide.season", group: nil, type: .nonRenewingSubscription), false),
        ("of a type that is new", fact(type: ProductType(rawValue: "Auto-renewable subscription")), false),
    ])
    func `S09 any auto-renewable subscription of the app counts, and nothing else`(
        purchase: String, fact: TransactionFact, isSubscriber: Bool
    ) throws {
        #expect(try refusals(transactions: [fact]) == (isSubscriber ? [] : [.neverSubscribed]), "\(purchase)")
        #expect(try refusals(transactions: [fact, fact]).isEmpty == isSubscriber)
    }

    @Test(arguments: [
        (token, token, false), (nil, token, false), (token, nil, false), (nil, nil, false), (otherToken, token, true),
    ])
    func `a token other than the known one is a reason, an unknown one is none`(
        asked: UUID?, known: UUID?, differs: Bool
    ) throws {
        let refusals = try refusals(token: asked, transactions: [fact(token: known)])
        #expect(refusals == (differs ? [.appAccountTokenDiffers] : []))
    }

    @Test func `only the token of the named subscription counts`() throws {
        let kids = fact("9", original: "9", product: "tide.kids.monthly", group: "21500002", token: Self.otherToken)
        let tide = fact(token: Self.token)
        #expect(try refusals(token: Self.token, transactions: [kids, tide]) == [])
        #expect(
            try refusals(token: Self.token, subscription: "9", transactions: [kids, tide]) == [.appAccountTokenDiffers])
        #expect(try refusals(token: Self.token, subscription: nil, transactions: [kids]) == [])
        #expect(try refusals(token: Self.token, subscription: "unknown", transactions: [kids]) == [])
    }

    @Test func `N09 a renewal without a token does not hide the known one, and a later token replaces it`() throws {
        let bought = fact("1", token: Self.token, signed: Moment.day(-30))
        let renewed = fact("2", token: nil, signed: Moment.start)
        #expect(try refusals(token: Self.otherToken, transactions: [bought, renewed]) == [.appAccountTokenDiffers])
        #expect(try refusals(token: Self.token, transactions: [renewed, bought]) == [])
        let changed = fact("3", token: Self.otherToken, signed: Moment.day(1))
        #expect(try refusals(token: Self.otherToken, transactions: [changed, renewed, bought]) == [])
        #expect(try refusals(token: Self.token, transactions: [bought, renewed, changed]) == [.appAccountTokenDiffers])
    }

    @Test func `every reason is told at once`() throws {
        let charts = fact(product: "tide.charts", group: nil, type: .nonConsumable, until: nil, token: Self.token)
        let refusals = try refusals(of: "save60", token: Self.otherToken, transactions: [charts])
        #expect(refusals.map(\.code) == ["offerNotOnProduct", "neverSubscribed", "appAccountTokenDiffers"])
    }
}

@Suite struct `Introductory offer eligibility` {
    private func codes(
        on product: ProductID, _ transactions: [TransactionFact], now: Instant = Moment.day(5)
    ) throws -> [String] {
        try CatalogFixtures.tide().introductoryOfferRefusals(on: product, transactions: transactions, now: now).map(
            \.code)
    }

    @Test(arguments: ["tide.plain", "tide.stickers", "tide.unknown"] as [ProductID])
    func `E01 a product without an introductory offer is no product to be eligible for`(product: ProductID) throws {
        #expect(try codes(on: product, []) == ["noIntroductoryOffer"])
    }

    @Test func `E02 an introductory offer used on a sister product counts for the group alone`() throws {
        let used = fact(from: Moment.day(-30), until: Moment.day(-23), offerType: .introductoryOffer)
        #expect(try codes(on: "tide.yearly", [used]) == ["introductoryOfferUsed"])
        #expect(try codes(on: "tide.kids.monthly", [used]) == [])
        #expect(try codes(on: "tide.monthly", [used]) == ["introductoryOfferUsed"])
        #expect(try codes(on: "tide.plain", [used]) == ["noIntroductoryOffer", "introductoryOfferUsed"])
    }

    @Test func `E02 a refund does not give the introductory offer back`() throws {
        let refunded = fact(revoked: Moment.day(-29), offerType: .introductoryOffer)
        #expect(try codes(on: "tide.yearly", [refunded]) == ["introductoryOfferUsed"])
    }

    @Test(arguments: [
        (OfferType.promotionalOffer, false), (.offerCode, false), (.winBackOffer, false), (.retentionOffer, false),
        (.introductoryOffer, true),
    ])
    func `E02 only an introductory offer uses the introductory offer up`(offerType: OfferType, isUsed: Bool) throws {
        #expect(try codes(on: "tide.yearly", [fact(offerType: offerType)]) == (isUsed ? ["introductoryOfferUsed"] : []))
    }

    @Test(arguments: [
        ("one millisecond left", fact(until: Moment.day(5).adding(milliseconds: 1)), true),
        ("ends now", fact(until: Moment.day(5)), false),
        ("ended", fact(until: Moment.start), false),
        ("signed before it begins", fact(from: Moment.day(6), until: Moment.day(36)), true),
        ("revoked", fact(until: Moment.day(30), revoked: Moment.day(1)), false),
        ("replaced by an upgrade", fact(until: Moment.day(30), isUpgraded: true), false),
        (
            "family-shared in another group",
            fact(product: "tide.kids.monthly", group: "21500002", until: Moment.day(30)), false
        ),
    ])
    func `a running subscription of the group is a reason until its last millisecond`(
        period: String, fact: TransactionFact, isSubscribed: Bool
    ) throws {
        #expect(try codes(on: "tide.yearly", [fact]) == (isSubscribed ? ["subscribedInGroup"] : []), "\(period)")
    }

    @Test func `a group that Xcode numbered itself is recognised by its products`() throws {
        // App Store Connect's number of the group is unknown to a file that was never synchronised.
        let used = fact(product: "tide.monthly", group: "20999999", offerType: .introductoryOffer)
        #expect(try codes(on: "tide.yearly", [used]) == ["introductoryOfferUsed"])
        let gone = fact(product: "tide.weekly", group: "21500001", offerType: .introductoryOffer)
        #expect(try codes(on: "tide.yearly", [gone]) == ["introductoryOfferUsed"])
        let strange = fact(product: "tide.weekly", group: "20999999", offerType: .introductoryOffer)
        #expect(try codes(on: "tide.yearly", [strange]) == [])
    }

    @Test func `both reasons are told at once`() throws {
        let trial = fact(until: Moment.day(6), offerType: .introductoryOffer)
        #expect(try codes(on: "tide.monthly", [trial]) == ["introductoryOfferUsed", "subscribedInGroup"])
    }
}
