import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// What holds of each transaction, whatever came when.
struct TransactionFactTests {
    let fixture: Fixture
    let store: Store
    let app = BundleID("com.example.tide")
    let token = UUID()

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    private func held() throws -> [TransactionFact] {
        try store.transactions(
            originalTransactionId: .init("2000000000000001"), bundleId: app, environment: .production)
    }

    @Test func `N02 the fact that was signed last holds, so a late renewal undoes no refund`() throws {
        var refunded = JWSTransactionDecodedPayload.sample(signed: 2000)
        refunded.revocationDate = Fixture.now
        #expect(try store.record(.sample(signed: 1000))?.isNew == true)
        #expect(try store.record(refunded)?.isNew == true)
        #expect(try store.record(refunded)?.isNew == false)
        // Every version is kept, and tells what was known then.
        #expect(try store.record(.sample(signed: 1500))?.isNew == true)
        #expect(try fixture.sqlite3("SELECT signed_date FROM transaction_fact") == "1000\n1500\n2000")
        #expect(try held().map(\.revocationDate) == [Fixture.now])
        // A reversed refund is signed later still and has no revocation.
        #expect(try store.record(.sample(signed: 3000))?.isNew == true)
        #expect(try held().map(\.revocationDate) == [nil])
    }

    @Test func `N09 a null token never erases a known one`() throws {
        try store.record(.sample(signed: 1000, token: token))
        try store.record(.sample(signed: 2000))
        let facts = try store.transactions(
            originalTransactionId: .init("2000000000000001"), bundleId: app, environment: .production)
        #expect(facts.map(\.appAccountToken) == [token])
        #expect(facts.map(\.signedDate.millisecondsSince1970) == [2000])
    }

    @Test func `a token that arrives late counts by when it was signed`() throws {
        let other = UUID()
        try store.record(.sample(signed: 1000, token: token))
        try store.record(.sample(signed: 3000))
        #expect(try store.record(.sample(signed: 2000, token: other))?.isNew == true)
        let facts = try store.transactions(
            originalTransactionId: .init("2000000000000001"), bundleId: app, environment: .production)
        #expect(facts.map(\.appAccountToken) == [other])
        #expect(facts.map(\.signedDate.millisecondsSince1970) == [3000])
    }

    @Test func `a customer is found by subscription, token and download, within app and environment`() throws {
        var first = JWSTransactionDecodedPayload.sample("1", of: "1", token: token)
        first.appTransactionId = .init("7040")
        var renewal = JWSTransactionDecodedPayload.sample("2", of: "1")
        renewal.purchaseDate = Fixture.now.adding(milliseconds: 1)
        var elsewhere = first
        elsewhere.bundleId = .init("com.example.other")
        var sandbox = first
        sandbox.environment = .sandbox
        for transaction in [first, renewal, elsewhere, sandbox] { try store.record(transaction) }
        try store.record(.sample("9", of: "9", token: UUID()))

        let bySubscription = try store.transactions(
            originalTransactionId: .init("1"), bundleId: app, environment: .production)
        let byToken = try store.transactions(appAccountToken: token, bundleId: app, environment: .production)
        let byDownload = try store.transactions(
            appTransactionId: .init("7040"), bundleId: app, environment: .production)
        // Newest first; the renewal has neither token nor download but is the same subscription.
        #expect(bySubscription.map(\.transactionId.rawValue) == ["2", "1"])
        #expect(byToken == bySubscription)
        #expect(byDownload == bySubscription)
        #expect(try store.transactions(appAccountToken: UUID(), bundleId: app, environment: .production) == [])
    }

    @Test func `a customer's transactions are limited to the newest`() throws {
        try store.connection.begin()
        for number in 0..<(Limits.transactionsRead + 5) {
            var transaction = JWSTransactionDecodedPayload.sample("\(number)", of: "0", token: token)
            transaction.purchaseDate = Instant(millisecondsSince1970: Int64(number))
            try store.record(transaction)
        }
        try store.connection.commit()
        for facts in [
            try store.transactions(originalTransactionId: .init("0"), bundleId: app, environment: .production),
            try store.transactions(appAccountToken: token, bundleId: app, environment: .production),
        ] {
            #expect(facts.count == Limits.transactionsRead)
            #expect(facts.first?.transactionId.rawValue == "504")
            #expect(facts.last?.transactionId.rawValue == "5")
        }
    }
}
