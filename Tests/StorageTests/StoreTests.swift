import CampaignCore
import Foundation
import Synchronization
import Testing

@testable import Storage

/// API keys, grants and health, each compared with what `sqlite3` sees in the file.
struct StoreTests {
    let fixture: Fixture
    let store: Store
    let digest = [UInt8](repeating: 0xab, count: 32)

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    @Test(arguments: APIRole.allCases)
    func `a key is found by the digest of its secret`(role: APIRole) throws {
        let key = APIKey(name: "back end", role: role, bundleId: .init("com.example.tide"), createdDate: Fixture.now)
        try store.createAPIKey(key, digest: digest)
        #expect(try store.apiKey(digest: digest) == key)
        #expect(try store.apiKey(digest: [UInt8](repeating: 0, count: 32)) == nil)
        let row = "back end|\(role.rawValue)|com.example.tide|1790000000000|\(String(repeating: "AB", count: 32))"
        #expect(try fixture.sqlite3("SELECT name, role, bundle_id, created_date, hex(key_digest) FROM api_key") == row)
    }

    @Test func `a name is used once, even after it was revoked`() throws {
        let key = APIKey(name: "ops", role: .operator, bundleId: nil, createdDate: Fixture.now)
        try store.createAPIKey(key, digest: digest)
        let other = [UInt8](repeating: 1, count: 32)
        #expect(throws: StorageError.nameTaken("ops")) { try store.createAPIKey(key, digest: other) }
        #expect(try store.revokeAPIKey("ops", now: Fixture.now) == .revoked)
        #expect(throws: StorageError.nameTaken("ops")) { try store.createAPIKey(key, digest: other) }
        #expect(try store.apiKeys().count == 1)
    }

    @Test func `revoking tells what it found and keeps the first date`() throws {
        let key = APIKey(name: "ops", role: .operator, bundleId: nil, createdDate: Fixture.now)
        try store.createAPIKey(key, digest: digest)
        #expect(try store.revokeAPIKey("opps", now: Fixture.now) == .unknownName)
        #expect(try store.revokeAPIKey("ops", now: Fixture.now) == .revoked)
        let later = Fixture.now.adding(milliseconds: 1)
        #expect(try store.revokeAPIKey("ops", now: later) == .alreadyRevoked(Fixture.now))
        #expect(try store.apiKey(digest: digest)?.revokedDate == Fixture.now)
        #expect(try store.apiKey(digest: digest)?.isRevoked == true)
    }

    @Test func `keys are listed by name`() throws {
        for (index, name) in ["b", "'); DROP TABLE api_key; --", "a", "ä"].enumerated() {
            let key = APIKey(name: name, role: .client, bundleId: nil, createdDate: Fixture.now)
            try store.createAPIKey(key, digest: [UInt8](repeating: UInt8(index), count: 32))
        }
        #expect(try store.apiKeys().map(\.name) == ["'); DROP TABLE api_key; --", "a", "b", "ä"])
    }

    @Test(arguments: ["", "line\nbreak", "nul\u{0}", String(repeating: "n", count: 101)])
    func `a name that would spoil a list is refused`(name: String) throws {
        let key = APIKey(name: name, role: .client, bundleId: nil, createdDate: Fixture.now)
        #expect(throws: StorageError.nameNotAllowed) { try store.createAPIKey(key, digest: digest) }
    }

    @Test func `a grant comes back as it was written`() throws {
        let grant = Grant.sample(answer: "{\"decision\":\"offered\",\"text\":\"'é'\"}")
        try store.insertGrant(grant)
        #expect(try store.newestGrant(requestId: grant.requestId) == grant)
        #expect(try store.newestGrant(requestId: UUID()) == nil)
        let row = try fixture.sqlite3("SELECT hex(request_id), decision, timestamp, answer FROM offer_grant")
        let identifier = grant.requestId.uuidString.replacingOccurrences(of: "-", with: "")
        #expect(row == "\(identifier)|offered|1790000000000|{\"decision\":\"offered\",\"text\":\"'é'\"}")
    }

    @Test func `a grant without the optional fields comes back without them`() throws {
        let grant = Grant(
            requestId: UUID(), kind: "introductoryOfferEligibility", bodyDigest: digest, keyName: nil,
            bundleId: .init("com.example.tide"), environment: .production, productId: nil, decision: .refused,
            issuedDate: Fixture.now, expiresDate: Fixture.now, answer: [])
        try store.insertGrant(grant)
        #expect(try store.newestGrant(requestId: grant.requestId) == grant)
    }

    @Test func `of several grants of one request the newest is found`() throws {
        let requestId = UUID()
        for answer in ["first", "second", "third"] {
            try store.insertGrant(.sample(answer: "between"))
            try store.insertGrant(.sample(requestId: requestId, answer: answer))
        }
        #expect(try store.newestGrant(requestId: requestId)?.answer == Array("third".utf8))
    }

    @Test(arguments: [
        ("UPDATE api_key SET role = 'king'", "api_key", "role"),
        ("UPDATE api_key SET name = CAST(x'ff' AS TEXT)", "api_key", "name"),
        ("UPDATE offer_grant SET decision = 'maybe'", "offer_grant", "decision"),
        ("UPDATE offer_grant SET nonce = x'00'", "offer_grant", "nonce"),
        ("UPDATE transaction_fact SET is_upgraded = 7", "transaction_fact", "is_upgraded"),
    ])
    func `a value that breaks its rule is a corrupt row`(change: String, table: String, column: String) throws {
        let grant = Grant.sample()
        try store.insertGrant(grant)
        let key = APIKey(name: "ops", role: .operator, bundleId: nil, createdDate: Fixture.now)
        try store.createAPIKey(key, digest: digest)
        try store.record(.sample())
        try fixture.sqlite3("PRAGMA ignore_check_constraints = ON; \(change)")
        #expect(throws: StorageError.corruptRow(table: table, column: column)) {
            _ = try store.apiKey(digest: digest)
            _ = try store.newestGrant(requestId: grant.requestId)
            _ = try store.transactions(
                originalTransactionId: .init("2000000000000001"), bundleId: .init("com.example.tide"),
                environment: .production)
        }
    }

    @Test func `the health check reads and writes`() throws {
        try store.check(now: Fixture.now)
        try store.check(now: Fixture.now.adding(milliseconds: 9))
        #expect(try fixture.sqlite3("SELECT * FROM health_check") == "1|1790000000009")
        #expect(throws: StorageError.self) { try Store(reading: fixture.path).check(now: Fixture.now) }
    }

    @Test func `a sound file has no faults and its size is known`() throws {
        for _ in 0..<50 { try store.insertGrant(.sample(answer: String(repeating: "x", count: 900))) }
        #expect(try store.quickCheck() == [])
        try fixture.sqlite3("DELETE FROM offer_grant")
        let size = try store.size()
        #expect(size.free > 40_000)
        #expect(size.file > size.free)
        let log = try FileManager.default.attributesOfItem(atPath: fixture.path + "-wal")[.size] as? Int64
        #expect(size.writeAheadLog == log)
    }

    /// Runs each statement's plan in `sqlite3`; a scan of a table would grow with the number of customers.
    @Test func `every look-up is an index seek`() throws {
        let app = BundleID("com.example.tide")
        _ = try store.apiKey(digest: digest)
        _ = try store.newestGrant(requestId: UUID())
        let token = UUID()
        var sample = JWSTransactionDecodedPayload.sample("1", of: "1", token: token)
        sample.appTransactionId = .init("7")
        let subscription = try #require(try store.record(sample)).subscription
        _ = try store.transactions(originalTransactionId: .init("1"), bundleId: app, environment: .production)
        _ = try store.transactions(appAccountToken: token, bundleId: app, environment: .production)
        _ = try store.transactions(appTransactionId: .init("7"), bundleId: app, environment: .production)
        _ = try store.transactions(transactionId: .init("1"), bundleId: app, environment: .production)
        _ = try store.subscription(originalTransactionId: .init("1"), bundleId: app, environment: .production)
        _ = try store.subscriptions(originalTransactionId: .init("1"))
        _ = try store.subscriptions(appAccountToken: token, bundleId: app, environment: .production)
        _ = try store.subscriptions(appTransactionId: .init("7"), bundleId: app, environment: .production)
        _ = try store.facts(of: subscription)
        _ = try store.history(of: subscription)
        let lookups = store.connection.statements.texts.filter {
            $0.hasPrefix("SELECT") && !$0.contains("sqlite_schema") && !$0.contains("schema_migration")
        }
        #expect(lookups.count == 19)
        for text in lookups {
            let plan = try fixture.sqlite3("EXPLAIN QUERY PLAN \(text)")
            #expect(plan.contains("SEARCH") && !plan.contains("SCAN"), "\(text)\n\(plan)")
        }
    }
}
