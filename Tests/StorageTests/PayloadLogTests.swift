import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// The log of what Apple signed: once each, whole, and found again by subscription.
struct PayloadLogTests {
    let fixture: Fixture
    let store: Store
    let app = BundleID("com.example.tide")

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    private func notification(_ change: (inout Notification) -> Void = { _ in }) -> Notification {
        var notification = Notification()
        notification.transaction = .sample("1", of: "1", signed: 1_000)
        change(&notification)
        return notification
    }

    private func history(_ subscription: String) throws -> [LoggedPayload] {
        try store.subscriptions(originalTransactionId: .init(subscription)).flatMap { try store.history(of: $0.id) }
    }

    @Test func `a notification is logged once and read again byte for byte`() throws {
        let first = notification { $0.subtype = "BILLING_RECOVERY" }
        guard case .logged(let id) = try store.take(first) else {
            Issue.record("it was not logged")
            return
        }
        #expect(try store.take(first) == .duplicate)
        let entries = try history("1")
        #expect(entries.map(\.id) == [id])
        #expect(entries.map(\.subtype) == ["BILLING_RECOVERY"])
        #expect(try entries.map(store.text) == [first.jws()])
        #expect(try fixture.sqlite3("SELECT count(*) FROM jws_header") == "1")
    }

    @Test func `another payload under the same name is kept beside the first, once`() throws {
        let first = notification()
        try store.take(first)
        var second = first
        second.transaction?.revocationDate = Fixture.now
        guard case .conflicting(let id) = try store.take(second) else {
            Issue.record("no conflict was told")
            return
        }
        #expect(try store.take(second) == .duplicate)
        #expect(try store.take(first) == .duplicate)
        #expect(try history("1").map(\.outcome) == [.folded, .conflicting])
        #expect(try history("1").map(\.id).last == id)
        // It tells no fact.
        #expect(try fixture.sqlite3("SELECT count(*) FROM transaction_fact WHERE revocation_date > 0") == "0")
    }

    @Test func `the history has what told no fact too, oldest signed first`() throws {
        try store.take(
            notification {
                $0.signed = 3_000; $0.transaction?.signedDate = .init(millisecondsSince1970: 3_000)
            })
        try store.take(notification { $0.signed = 2_000 })
        // The same facts in another notification.
        try store.take(notification { $0.signed = 2_500 })
        let aside = notification {
            $0.type = "PRICE_CHANGE"; $0.signed = 2_700
        }
        _ = try store.logNotification(aside.entry(outcome: .notFolded))
        let failed = notification { $0.signed = 2_800 }
        var entry = try failed.entry(outcome: .failed)
        entry.detail = "no expiresDate"
        _ = try store.logNotification(entry)
        let entries = try history("1")
        #expect(entries.map(\.signedDate.millisecondsSince1970) == [2_000, 2_500, 2_700, 2_800, 3_000])
        #expect(entries.map(\.outcome) == [.folded, .stale, .notFolded, .failed, .folded])
        #expect(entries[3].detail == "no expiresDate")
        #expect(try store.payloads(after: nil, limit: 2).map(\.id.rawValue) == [1, 2])
        #expect(try store.payloads(after: PayloadID(rawValue: 2), limit: 9).count == 3)
    }

    @Test func `a notification about no subscription is logged alone`() throws {
        var test = Notification()
        test.type = "TEST"
        let logged = try store.logNotification(test.entry(outcome: .notFolded))
        #expect(logged == .logged(PayloadID(rawValue: 1)))
        #expect(try store.logNotification(test.entry(outcome: .notFolded)) == .duplicate)
        #expect(try fixture.sqlite3("SELECT count(*) FROM subscription") == "0")
    }

    @Test func `a proof is logged when it tells more, and confirms when it does not`() throws {
        func prove(_ signed: Int64, revoked: Bool = false, token: UUID? = nil) throws -> RecordedFact? {
            var payload = JWSTransactionDecodedPayload.sample("1", of: "1", signed: signed, token: token)
            if revoked { payload.revocationDate = .init(millisecondsSince1970: 2) }
            return try store.recordProvenTransaction(
                TransactionFact(payload), bundleId: app, environment: .production,
                signed: Notification.sign(JSONEncoder().encode(payload)), receivedDate: Fixture.now)
        }
        let token = UUID()
        #expect(try prove(10, token: token)?.isNew == true)
        #expect(try prove(20)?.isNew == false)
        #expect(try prove(15)?.isNew == false)
        #expect(try prove(12, revoked: true)?.isNew == true)
        #expect(try fixture.sqlite3("SELECT signed_date, confirmed_date FROM transaction_fact") == "10|20\n12|")
        #expect(try fixture.sqlite3("SELECT count(*) FROM signed_payload WHERE source = 'transaction'") == "2")
        // The refund of 12 was known to be gone by 20, whichever came first.
        let held = try store.transactions(originalTransactionId: .init("1"), bundleId: app, environment: .production)
        #expect(held.map(\.revocationDate) == [nil])
        #expect(held.map(\.signedDate.millisecondsSince1970) == [20])
        let id = try #require(try store.subscriptions(originalTransactionId: .init("1")).first).id
        #expect(
            try store.facts(of: id, signedBy: .init(millisecondsSince1970: 12)).transactions.map(
                \.signedDate.millisecondsSince1970) == [10, 12])
        #expect(try store.facts(of: id).transactions.map(\.signedDate.millisecondsSince1970) == [10, 20, 12])
    }

    @Test func `a transaction signed for two subscriptions is told`() throws {
        #expect(try store.record(.sample("7", of: "1"))?.alsoClaimedBy == [])
        #expect(try store.record(.sample("7", of: "2"))?.alsoClaimedBy == [.init("1")])
        #expect(try store.record(.sample("7", of: "2"))?.alsoClaimedBy == [])
        let both = try store.transactions(transactionId: .init("7"), bundleId: app, environment: .production)
        #expect(Set(both.map(\.originalTransactionId.rawValue)) == ["1", "2"])
    }

    @Test func `what a rollback undid is not remembered`() throws {
        try store.connection.begin()
        let result = try store.connection.withSavepoint { () throws(StorageError) in
            _ = try store.madeAppId(app, .production)
            _ = try store.headerId(Array("header".utf8))
            throw StorageError.nameNotAllowed
        }
        #expect(throws: StorageError.nameNotAllowed) { try result.get() }
        #expect(try store.appId(app, .production) == nil)
        try store.connection.commit()
        try store.take(notification())
        #expect(try fixture.sqlite3("SELECT count(*) FROM app") == "1")
        #expect(try history("1").map(store.text).count == 1)
    }

    @Test func `retention takes the oldest and leaves the facts`() throws {
        for _ in 0..<3 { try store.take(notification()) }
        try fixture.sqlite3("UPDATE signed_payload SET received_date = id * 10")
        #expect(try store.pruneLog(before: .init(millisecondsSince1970: 30)) == 2)
        #expect(try store.pruneLog(before: .init(millisecondsSince1970: 30)) == 0)
        #expect(try fixture.sqlite3("SELECT id FROM signed_payload") == "3")
        #expect(try fixture.sqlite3("SELECT count(*) FROM transaction_fact") == "1")
    }
}
