import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// The whole base, a page at a time, against reading each subscription by its name.
struct SubscriptionPageTests {
    let fixture: Fixture
    let store: Store
    let app = BundleID("com.example.tide")

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    /// Subscriptions of two apps in turns, each with some versions of some periods.
    private func fill(_ count: Int, using generator: inout SeededGenerator) throws {
        try store.connection.begin()
        for number in 0..<count {
            let isOther = number % 3 == 2
            for period in 0..<Int.random(in: 1...3, using: &generator) {
                for version in 0..<Int.random(in: 1...3, using: &generator) {
                    var payload = JWSTransactionDecodedPayload.sample(
                        "\(number)0\(period)", of: "\(number)",
                        signed: 1_000_000 * Int64(period) + Int64(version) * 1_000 + 1,
                        token: Bool.random(using: &generator) ? UUID() : nil)
                    payload.purchaseDate = Fixture.now.adding(milliseconds: Int64(period) * 86_400_000)
                    payload.bundleId = isOther ? BundleID("com.example.other") : app
                    let fact = try TransactionFact(payload)
                    let recorded = try store.recordTransaction(
                        fact, bundleId: isOther ? BundleID("com.example.other") : app, environment: .production,
                        payload: nil)
                    if let id = recorded?.subscription { try store.refold(id) }
                }
            }
        }
        try store.connection.commit()
    }

    private func all(signedBy: Instant? = nil) throws -> [SubscriptionInPage] {
        let reader = try Store(reading: fixture.path)
        var all: [SubscriptionInPage] = []
        var last: SubscriptionRowID?
        repeat {
            let page = try reader.subscriptionPage(
                bundleId: app, environment: .production, after: last, signedBy: signedBy)
            #expect(page.subscriptions.count <= Limits.subscriptionsInPage)
            #expect(!reader.connection.isInTransaction)
            all += page.subscriptions
            last = page.last
        } while last != nil
        return all
    }

    @Test func `pages hold every subscription once, with what reading it alone gives`() throws {
        let seed = propertySeed()
        print("pages of the base: HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        // Two full pages and a part, and as many again of another app between them.
        try fill(1_800, using: &generator)
        let pages = try all()
        #expect(pages.count == 1_200)
        #expect(
            try "\(pages.count)"
                == fixture.sqlite3(
                    """
                    SELECT count(*) FROM subscription WHERE app_id IN
                        (SELECT id FROM app WHERE bundle_id = 'com.example.tide')
                    """))
        #expect(try store.subscriptionCount(bundleId: app, environment: .production) == 1_200)
        #expect(pages.map(\.known.id) == pages.map(\.known.id).sorted())
        for one in pages {
            let name = one.known.originalTransactionId
            let known = try store.subscription(originalTransactionId: name, bundleId: app, environment: .production)
            let transactions = try store.transactions(
                originalTransactionId: name, bundleId: app, environment: .production)
            guard one.known == known, one.transactions == transactions else {
                Issue.record("seed \(seed): the page tells \(one), the subscription is \(transactions)")
                return
            }
        }
    }

    @Test func `a page as of an instant holds what was signed by then`() throws {
        var generator = SeededGenerator(seed: 6)
        try fill(30, using: &generator)
        let then = Instant(millisecondsSince1970: 1_000_000)
        let pages = try all(signedBy: then)
        #expect(pages.count == 20)
        #expect(pages.allSatisfy { $0.transactions.count == 1 && $0.transactions[0].signedDate <= then })
        #expect(pages.allSatisfy { $0.known.subscription?.purchaseDate == Fixture.now })
        #expect(try all(signedBy: Instant(millisecondsSince1970: 0)).isEmpty)
    }

    @Test func `an app that nobody has told of has no page`() throws {
        let page = try store.subscriptionPage(bundleId: BundleID("com.example.none"), environment: .production)
        #expect(page == SubscriptionPage(subscriptions: [], last: nil))
    }
}
