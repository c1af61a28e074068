import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// Everything that is known of subscriptions comes out of the log again.
struct ReplayTests {
    let fixture: Fixture
    let store: Store

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    private static let state = """
        SELECT * FROM subscription ORDER BY id; SELECT * FROM transaction_fact ORDER BY 1, 2, 3, 4, 5, 6;
        SELECT * FROM renewal_fact ORDER BY 1, 2, 3; SELECT id, outcome FROM signed_payload ORDER BY id;
        SELECT * FROM subscription_transaction; SELECT * FROM subscription_download; SELECT * FROM subscription_token
        """

    private static func read(_ entry: LoggedPayload, _ text: String) -> ReplayedPayload {
        (try? Notification.read(text)) ?? ReplayedPayload(outcome: .failed)
    }

    private func replay() throws -> (ReplaySummary, [ReplayDifference]) {
        var differences: [ReplayDifference] = []
        let summary = try store.replay(reading: Self.read) { differences.append($0) }
        return (summary, differences)
    }

    @Test(arguments: 0..<3)
    func `a replay of random histories changes nothing`(round: UInt64) throws {
        let given = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...UInt64.max) &+ round
        print("HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 { try store.take(.random(using: &generator)) }
        // Facts that no log entry carries: one that was in none, and one whose entry retention has taken.
        let alone = try #require(try store.record(.sample("9", of: "9")))
        try store.refold(alone.subscription)
        var pruned = Notification()
        pruned.transaction = .sample("8", of: "8", signed: 5)
        try store.take(pruned)
        try fixture.sqlite3("DELETE FROM signed_payload WHERE id = 301")
        let before = try fixture.sqlite3(Self.state)
        let (summary, differences) = try replay()
        #expect(differences == [], "HOLDFAST_SEED=\(seed)")
        #expect(summary.payloads == 300 && summary.subscriptions == 7 && summary.differences == 0)
        #expect(try fixture.sqlite3(Self.state) == before, "HOLDFAST_SEED=\(seed)")
        let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%replay%' OR name LIKE '%old%'"
        #expect(try fixture.sqlite3(left) == "0")
        #expect(try store.quickCheck() == [])
    }

    @Test func `what was spoilt is listed and mended`() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<60 { try store.take(.random(using: &generator)) }
        let before = try fixture.sqlite3(Self.state)
        try fixture.sqlite3(
            """
            UPDATE subscription SET expires_date = 1 WHERE original_transaction_id = '2';
            DELETE FROM renewal_fact; UPDATE transaction_fact SET price = 1;
            UPDATE signed_payload SET outcome = 'failed' WHERE id = 1
            """)
        let (_, differences) = try replay()
        #expect(differences.map(\.originalTransactionId.rawValue) == ["2"])
        #expect(differences.first?.before?.expiresDate.millisecondsSince1970 == 1)
        #expect(try fixture.sqlite3(Self.state) == before)
    }

    @Test func `what arrives while a replay goes on is in it`() throws {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<40 { try store.take(.random(using: &generator)) }
        let other = try fixture.open()
        var late = Notification()
        late.transaction = .sample("77", of: "77", signed: 4_000)
        var arrived = false
        _ = try store.replay(reading: { entry, text in
            if !arrived, entry.id.rawValue == 40 {
                arrived = true
                // As the server would, over a connection of its own.
                _ = try? other.take(late)
            }
            return Self.read(entry, text)
        }) { _ in }
        #expect(arrived)
        let facts = try store.transactions(
            originalTransactionId: .init("77"), bundleId: .init("com.example.tide"), environment: .production)
        #expect(facts.count == 1)
        // The other connection goes on with the tables that took the place of its own.
        var later = Notification()
        later.transaction = .sample("78", of: "77", signed: 5_000)
        try other.take(later)
        #expect(try fixture.sqlite3("SELECT count(*) FROM transaction_fact WHERE transaction_id = '78'") == "1")
    }

    @Test func `a replay that was killed leaves what the next one removes`() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<20 { try store.take(.random(using: &generator)) }
        let before = try fixture.sqlite3(Self.state)
        try store.connection.execute(Schema.factTables(suffix: "_replay") + Schema.factTables(suffix: "_old"))
        try fixture.sqlite3("INSERT INTO transaction_fact_replay SELECT * FROM transaction_fact")
        _ = try replay()
        #expect(try fixture.sqlite3(Self.state) == before)
    }
}
