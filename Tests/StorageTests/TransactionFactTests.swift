import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// One row for each transaction, whatever came when.
struct TransactionFactTests {
    let fixture: Fixture
    let store: Store
    let app = BundleID("com.example.tide")
    let token = UUID()

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    @Test func `N02 the fact that was signed last holds, so a late renewal undoes no refund`() throws {
        var refunded = JWSTransactionDecodedPayload.sample(signed: 2000)
        refunded.revocationDate = Fixture.now
        refunded.revocationReason = 1
        #expect(try store.recordTransaction(.sample(signed: 1000)))
        #expect(try store.recordTransaction(refunded))
        #expect(try store.recordTransaction(refunded) == false)
        #expect(try store.recordTransaction(.sample(signed: 1500)) == false)
        #expect(try fixture.sqlite3("SELECT signed_date, revocation_reason FROM transaction_fact") == "2000|1")
        // A reversed refund is signed later still and has no revocation.
        #expect(try store.recordTransaction(.sample(signed: 3000)))
        #expect(try fixture.sqlite3("SELECT signed_date, revocation_date FROM transaction_fact") == "3000|")
    }

    @Test func `N09 a null token never erases a known one`() throws {
        try store.recordTransaction(.sample(signed: 1000, token: token))
        try store.recordTransaction(.sample(signed: 2000))
        let facts = try store.transactions(
            originalTransactionId: .init("2000000000000001"), bundleId: app, environment: .production)
        #expect(facts.map(\.appAccountToken) == [token])
        #expect(facts.map(\.signedDate.millisecondsSince1970) == [2000])
    }

    @Test func `a token that arrives late counts by when it was signed`() throws {
        let other = UUID()
        try store.recordTransaction(.sample(signed: 1000, token: token))
        try store.recordTransaction(.sample(signed: 3000))
        #expect(try store.recordTransaction(.sample(signed: 2000, token: other)))
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
        for transaction in [first, renewal, elsewhere, sandbox] { try store.recordTransaction(transaction) }
        try store.recordTransaction(.sample("9", of: "9", token: UUID()))

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
        try store.connection.transaction { () throws(StorageError) in
            for number in 0..<(Limits.transactionsRead + 5) {
                var transaction = JWSTransactionDecodedPayload.sample("\(number)", of: "0", token: token)
                transaction.purchaseDate = Instant(millisecondsSince1970: Int64(number))
                try store.recordTransaction(transaction)
            }
        }
        for facts in [
            try store.transactions(originalTransactionId: .init("0"), bundleId: app, environment: .production),
            try store.transactions(appAccountToken: token, bundleId: app, environment: .production),
        ] {
            #expect(facts.count == Limits.transactionsRead)
            #expect(facts.first?.transactionId.rawValue == "504")
            #expect(facts.last?.transactionId.rawValue == "5")
        }
    }

    @Test(arguments: [
        "transactionId", "bundleId", "environment", "originalTransactionId", "productId", "type", "purchaseDate",
        "signedDate",
    ])
    func `a transaction without a field that each one has is refused by its name`(field: String) throws {
        var object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(JWSTransactionDecodedPayload.sample()))
                as? [String: Any])
        object[field] = nil
        let data = try JSONSerialization.data(withJSONObject: object)
        let transaction = try JWSTransactionDecodedPayload(json: Array(data))
        #expect(throws: StorageError.incompleteTransaction(field: field)) {
            try store.recordTransaction(transaction)
        }
        #expect(try fixture.sqlite3("SELECT count(*) FROM transaction_fact") == "0")
    }
}
