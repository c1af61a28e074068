import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// What is kept of campaigns; the sqlite3 program counts it.
struct CampaignStoreTests {
    let fixture: Fixture
    let store: Store
    let app = BundleID("com.example.tide")

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    /// Milliseconds after `Fixture.now`.
    private func at(_ milliseconds: Int64) -> Instant { Fixture.now.adding(milliseconds: milliseconds) }

    private func fact(
        _ id: String, of name: String = "100", purchased: Int64, signed: Int64? = nil, offer: String? = nil,
        type: OfferType = .promotionalOffer
    ) throws -> TransactionFact {
        var payload = JWSTransactionDecodedPayload.sample(
            id, of: name, signed: at(signed ?? purchased).millisecondsSince1970)
        payload.purchaseDate = at(purchased)
        payload.expiresDate = at(purchased + 1_000_000)
        payload.offerType = offer.map { _ in type }
        payload.offerIdentifier = offer.map { OfferIdentifier($0) }
        return try TransactionFact(payload)
    }

    @discardableResult
    private func record(_ fact: TransactionFact) throws -> SubscriptionRowID {
        let recorded = try store.recordTransaction(
            fact, bundleId: app, environment: .production, payload: nil)
        return try #require(recorded).subscription
    }

    @discardableResult
    private func give(
        _ subscription: SubscriptionRowID, at given: Int64, offer: String = "save50", campaign: String = "save"
    ) throws -> UUID {
        let id = UUID()
        var grant = CampaignGrant(
            grantId: id, subscription: subscription, bundleId: app, environment: .production,
            campaign: CampaignName(campaign), rule: RuleName("half"), via: .app,
            fileDigest: [UInt8](repeating: 7, count: 32), givenDate: at(given))
        grant.offerType = .promotionalOffer
        grant.offerIdentifier = OfferIdentifier(offer)
        grant.facts = ["status": "active"]
        try store.insertCampaignGrant(grant, answer: nil)
        return id
    }

    /// Redeemed grants by their order of giving, then the total.
    private func redeemed() throws -> String {
        try fixture.sqlite3(
            """
            SELECT group_concat(coalesce(redeemed_transaction_id, CASE WHEN redeemed_date IS NULL THEN '-' ELSE '+' END), ' ')
            FROM (SELECT * FROM campaign_grant ORDER BY given_date);
            SELECT sum(redeemed) FROM campaign_total
            """
        ).replacingOccurrences(of: "\n", with: " = ")
    }

    @Test func `an arm is given once, whoever comes later`() throws {
        let one = SubscriptionRowID(rawValue: 1)
        try store.assignCampaignArms(
            [.init(key: "holdout/save", arm: "heldOut"), .init(key: "variant/save", arm: "a")], to: one,
            now: Fixture.now)
        try store.assignCampaignArms(
            [.init(key: "holdout/save", arm: "treated")], to: one, now: at(1))
        try store.assignCampaignArms(
            [.init(key: "holdout/save", arm: "heldOut")], to: .init(rawValue: 2), now: at(1))
        #expect(try store.campaignArms(of: one) == ["holdout/save": "heldOut", "variant/save": "a"])
        #expect(try store.campaignArmTotals()[.init(key: "holdout/save", arm: "heldOut")] == 2)
        #expect(try store.campaignArmTotals()[.init(key: "holdout/save", arm: "treated")] == nil)
        #expect(
            try fixture.sqlite3("SELECT * FROM campaign_arm WHERE key = 'holdout/save' ORDER BY 1")
                == "1|holdout/save|heldOut|1790000000000\n2|holdout/save|heldOut|1790000000001")
    }

    @Test func `a file is kept once by its digest`() throws {
        let digest = [UInt8](repeating: 1, count: 32)
        try store.recordCampaignFile(CampaignName("save"), digest: digest, text: "schema: 1\n", loadedDate: at(0))
        try store.recordCampaignFile(CampaignName("save"), digest: digest, text: "schema: 1\n", loadedDate: at(9))
        #expect(try fixture.sqlite3("SELECT count(*), loaded_date FROM campaign_file") == "1|1790000000000")
        #expect(try store.campaignFile(digest: digest) == "schema: 1\n")
        #expect(try store.campaignFile(digest: [UInt8](repeating: 2, count: 32)) == nil)
    }

    @Test func `a grant is read as it was written, the newest first`() throws {
        let subscription = try record(fact("100", purchased: 0))
        try give(subscription, at: 10)
        let id = try give(subscription, at: 20, offer: "gift_month", campaign: "gift")
        let given = try store.givenOffers(to: subscription)
        #expect(given.map(\.campaign.rawValue) == ["gift", "save"])
        #expect(given[0].offerType == .promotionalOffer && given[0].offerIdentifier?.rawValue == "gift_month")
        let found = try store.campaignGrant(id)
        let grant = try #require(found)
        #expect(grant.facts == ["status": "active"] && grant.bundleId == app && grant.subscription == subscription)
        #expect(try store.campaignGrants(of: subscription).first == grant)
        #expect(try store.campaignTotal(CampaignName("gift")) == CampaignTotal(given: 1, redeemed: 0))
        #expect(try store.campaignTotal(CampaignName("none")) == CampaignTotal())
    }

    @Test func `a transaction redeems one grant of its offer, and no renewal or repeat another`() throws {
        let subscription = try record(fact("100", purchased: 0))
        try give(subscription, at: 10)
        try give(subscription, at: 20)
        try record(fact("101", purchased: 15, offer: "other"))
        try record(fact("102", purchased: 5, signed: 30, offer: "save50"))
        #expect(try redeemed() == "- - = 0")
        try record(fact("103", purchased: 30, offer: "save50", type: .offerCode))
        #expect(try redeemed() == "- - = 0")
        try record(fact("104", purchased: 40, offer: "save50"))
        #expect(try redeemed() == "- 104 = 1")
        try record(fact("104", purchased: 40, signed: 45, offer: "save50"))
        try record(fact("105", purchased: 50, offer: "save50"))
        #expect(try redeemed() == "- 104 = 1")
        // Another grant after it can be redeemed again.
        try give(subscription, at: 60)
        try record(fact("105", purchased: 50, signed: 65, offer: "save50"))
        #expect(try redeemed() == "- 104 - = 1")
        try record(fact("106", purchased: 70, offer: "save50"))
        #expect(try redeemed() == "- 104 106 = 2")
    }

    @Test func `the grant whose purchase the app told is the one that is redeemed`() throws {
        let subscription = try record(fact("100", purchased: 0))
        let first = try give(subscription, at: 10)
        try give(subscription, at: 20)
        #expect(try store.recordCampaignOutcome(.purchased, error: nil, of: first, now: at(25)) == .purchased)
        #expect(try redeemed() == "+ - = 1")
        try record(fact("101", purchased: 30, offer: "save50"))
        #expect(try redeemed() == "101 - = 1")
        // A grant that was cancelled is the last that a transaction is taken for.
        let third = try give(subscription, at: 40)
        #expect(try store.recordCampaignOutcome(.cancelled, error: nil, of: third, now: at(41)) == .cancelled)
        try record(fact("102", purchased: 50, offer: "save50"))
        #expect(try redeemed() == "101 102 - = 2")
        #expect(try store.recordCampaignOutcome(.failed, error: nil, of: UUID(), now: at(60)) == nil)
    }

    @Test func `an erasure takes arms and grants along, and totals and files stay`() throws {
        let subscription = try record(fact("100", purchased: 0))
        let other = try record(fact("200", of: "200", purchased: 0))
        for id in [subscription, other] {
            let grant = try give(id, at: 10)
            _ = try store.recordCampaignOutcome(.purchased, error: "none", of: grant, now: at(11))
            try store.assignCampaignArms([.init(key: "holdout/save", arm: "treated")], to: id, now: at(10))
        }
        let erased = try store.eraseSubscriber(
            originalTransactionId: .init("100"), bundleId: app, environment: .production, now: at(100))
        let erasure = try #require(erased)
        #expect(erasure.campaignGrants == 1)
        #expect(try fixture.sqlite3("SELECT subscription_id FROM campaign_grant") == "\(other.rawValue)")
        #expect(try fixture.sqlite3("SELECT subscription_id FROM campaign_arm") == "\(other.rawValue)")
        #expect(try fixture.sqlite3("SELECT given, redeemed FROM campaign_total") == "2|2")
        #expect(try fixture.sqlite3("SELECT assigned FROM campaign_arm_total") == "2")
    }

    @Test func `a transaction is held against grants by their index alone, and only when it carries an offer`() throws {
        let plan = try fixture.sqlite3(
            """
            EXPLAIN QUERY PLAN SELECT id FROM campaign_grant WHERE subscription_id = 1 AND given_date <= 5
            AND offer_type = 2 AND offer_identifier = 'a' ORDER BY given_date DESC, id DESC LIMIT 20
            """)
        #expect(plan.contains("USING INDEX campaign_grant_by_subscription (subscription_id=? AND given_date<?)"))
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }
}
