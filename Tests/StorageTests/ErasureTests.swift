import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// One customer goes, and nobody else.
struct ErasureTests {
    let fixture: Fixture
    let store: Store
    let app = BundleID("com.example.tide")
    let now = Fixture.now.adding(milliseconds: 1_000_000)

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    private func erase(_ name: String, now: Instant? = nil) throws -> Erasure? {
        try store.eraseSubscriber(
            originalTransactionId: .init(name), bundleId: app, environment: .production, now: now ?? self.now)
    }

    /// How often the bytes of `text` are in the file and its log.
    private func occurrences(of text: [UInt8]) throws -> Int {
        var count = 0
        for name in ["", "-wal"] {
            let file = URL(fileURLWithPath: fixture.path + name)
            guard let data = try? Data(contentsOf: file) else { continue }
            var rest = data[...]
            while let range = rest.range(of: Data(text)) {
                count += 1
                rest = rest[range.upperBound...]
            }
        }
        return count
    }

    private func notification(_ number: Int, token: UUID?) -> Notification {
        let name = "2000000000\(100_000 + number)"
        var notification = Notification()
        notification.signed = Fixture.now.millisecondsSince1970 + Int64(number)
        var transaction = JWSTransactionDecodedPayload.sample(name, of: name, signed: notification.signed, token: token)
        transaction.appTransactionId = .init("7048000000\(100_000 + number)")
        notification.transaction = transaction
        return notification
    }

    @Test func `no byte of the customer's names is left in the file`() throws {
        let token = UUID()
        let tokenBytes = withUnsafeBytes(of: token.uuid) { Array($0) }
        let order = (0..<400).shuffled()
        for number in order { try store.take(notification(number, token: number == 200 ? token : UUID())) }
        let name = "2000000000100200"
        var grant = Grant.sample(answer: "{\"appAccountToken\":\"\(token.uuidString.lowercased())\"}")
        grant.environment = .production
        grant.originalTransactionId = .init(name)
        grant.appAccountToken = token
        try store.insertGrant(grant)
        var other = Grant.sample(answer: "other")
        other.environment = .production
        try store.insertGrant(other)
        _ = try store.cutLog()
        let texts = [
            Array(name.utf8), Array("7048000000100200".utf8), tokenBytes, Array(token.uuidString.lowercased().utf8),
        ]
        for text in texts.prefix(3) { #expect(try occurrences(of: text) > 0) }

        let erasure = try #require(try erase(name))
        #expect(erasure.subscriptions == 1 && erasure.payloads == 1 && erasure.facts == 1 && erasure.grants == 1)
        #expect(erasure.isLogCut)
        try store.rewriteFile()
        for text in texts { #expect(try occurrences(of: text) == 0) }
        #expect(try fixture.sqlite3("SELECT count(*) FROM subscription") == "399")
        #expect(try fixture.sqlite3("SELECT count(*) FROM signed_payload") == "399")
        let grants = "SELECT kind, decision, original_transaction_id, length(answer) FROM offer_grant ORDER BY id"
        #expect(
            try fixture.sqlite3(grants) == "promotionalOffer|offered||0\npromotionalOffer|offered|2000000000000001|5")
        #expect(try erase(name) == nil)
    }

    @Test func `subscriptions with the same token or download go together, across a replay too`() throws {
        let token = UUID()
        var second = notification(2, token: token)
        second.transaction?.appTransactionId = .init("7048000000100003")
        for notification in [
            notification(1, token: token), second, notification(3, token: nil), notification(4, token: nil),
        ] {
            try store.take(notification)
        }
        try store.connection.execute(Schema.factTables(suffix: "_replay"))
        try fixture.sqlite3("INSERT INTO transaction_fact_replay SELECT * FROM transaction_fact")
        #expect(try erase("2000000000100001")?.subscriptions == 3)
        #expect(try fixture.sqlite3("SELECT original_transaction_id FROM subscription") == "2000000000100004")
        #expect(try fixture.sqlite3("SELECT count(*) FROM transaction_fact_replay") == "1")
        let links = "SELECT (SELECT count(*) FROM subscription_token) || (SELECT count(*) FROM subscription_download)"
        #expect(try fixture.sqlite3(links + " || (SELECT count(*) FROM subscription_transaction)") == "011")
    }

    @Test func `what was signed before the erasure does not come back, and what is signed later does`() throws {
        let first = notification(1, token: nil)
        try store.take(first)
        _ = try erase("2000000000100001")
        #expect(try store.take(first) == .erased)
        #expect(try store.record(try #require(first.transaction)) == nil)
        #expect(try fixture.sqlite3("SELECT count(*) FROM subscription") == "0")

        var renewed = first
        renewed.uuid = UUID()
        renewed.signed = now.millisecondsSince1970 + 1
        renewed.transaction?.signedDate = Instant(millisecondsSince1970: renewed.signed)
        guard case .logged = try store.take(renewed) else {
            Issue.record("it was refused")
            return
        }
        // Still not the old ones, now that there is a row again.
        var late = first
        late.uuid = UUID()
        #expect(try store.take(late) == .erased)
        #expect(try fixture.sqlite3("SELECT count(*) FROM transaction_fact") == "1")
    }

    @Test func `a payload of no subscription that names the customer goes too`() throws {
        try store.take(notification(1, token: nil))
        var rescind = Notification()
        rescind.type = "RESCIND_CONSENT"
        rescind.subtype = "7048000000100001"
        _ = try store.logNotification(rescind.entry(outcome: .notFolded))
        var test = Notification()
        test.type = "TEST"
        _ = try store.logNotification(test.entry(outcome: .notFolded))
        #expect(try erase("2000000000100001")?.payloads == 2)
        #expect(try fixture.sqlite3("SELECT notification_type FROM signed_payload") == "TEST")
    }

    @Test func `a token that everybody has names nobody`() throws {
        let token = UUID()
        for number in 0..<(Limits.subscriptionsRead + 1) { try store.take(notification(number, token: token)) }
        #expect(throws: StorageError.tooManyLinked(limit: Limits.subscriptionsRead)) {
            _ = try erase("2000000000100001")
        }
        #expect(try fixture.sqlite3("SELECT count(*) FROM subscription") == "101")
    }

    @Test func `an unknown customer has nothing to erase`() throws {
        #expect(try erase("1") == nil)
    }
}
