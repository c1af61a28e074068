import CampaignCore
import Foundation
import Storage
import TestSupport
import Testing

@testable import Server

/// The log's old entries go while the server runs, by a clock that is moved; the sqlite3 program counts them.
@Suite(.serialized) struct `The retention of the log` {
    private static let day: Int64 = 86_400_000
    private let server: TestServer
    private let operating: String

    init() throws {
        server = try TestServer()
        operating = try server.makeKey(.operator)
    }

    /// A subscription with its renewal info, posted now.
    private func notify(_ originalTransactionId: String) throws {
        let now = server.clock.now
        let answer = try server.post(
            TestServer.Notice(
                type: "SUBSCRIBED", subtype: "INITIAL_BUY", signedDate: now,
                transaction: server.transaction(originalTransactionId) { $0.signedDate = now },
                renewalInfo: server.renewalInfo(originalTransactionId, signedDate: now)))
        try #require(answer.status == 200, "\(answer.text)")
    }

    private func metric(_ name: String) throws -> Double? {
        try curl("GET", port: server.port, path: "/metrics", key: operating).text.split(separator: "\n")
            .first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    /// Waits until the log has `count` entries; gives how many there are after five seconds at most.
    private func entries(becoming count: Int) throws -> Int {
        for _ in 0..<1200 where try server.logged() != count { Thread.sleep(forTimeInterval: 0.05) }
        return try server.logged()
    }

    @Test func `removes what is older than 400 days, keeps its facts, and tells how much`() throws {
        for id in ["100", "200", "300"] { try notify(id) }
        server.clock.advance(milliseconds: 399 * Self.day)
        try notify("400")
        // The round that the first move of the clock has begun finds nothing.
        for _ in 0..<1200 where try metric("holdfast_retention_timestamp_seconds") == nil {
            Thread.sleep(forTimeInterval: 0.05)
        }
        #expect(try server.logged() == 4)
        #expect(try metric("holdfast_retention_removed_entries_total") == 0)

        server.clock.advance(milliseconds: 2 * Self.day)
        #expect(try entries(becoming: 1) == 1)
        for _ in 0..<1200 where !server.log.contains("\"event\":\"retention\"") { Thread.sleep(forTimeInterval: 0.05) }
        #expect(server.log.contains("\"removedEntries\":3"), "\(server.log)")
        #expect(try metric("holdfast_retention_removed_entries_total") == 3)
        let client = try server.makeKey(.client)
        #expect(try server.subscriber("100", key: client).status == 200)

        // A second round, a day later, takes the last one; nothing was done in between.
        server.clock.advance(milliseconds: 399 * Self.day)
        #expect(try entries(becoming: 0) == 0)
    }

    @Test func `goes on in pieces until nothing old is left, while requests are answered`() throws {
        try notify("100")
        // 2,499 more like it: five pieces, and the one that finds nothing.
        let copies = """
            INSERT INTO signed_payload (app_id, subscription_id, source, outcome, signed_date, received_date, body)
            SELECT app_id, subscription_id, 'transaction', 'stale', signed_date, received_date, body
            FROM signed_payload, (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2499)
            SELECT i FROM n)
            """
        let inserted = try run("sqlite3", [server.database, copies])
        try #require(inserted.exitCode == 0, "\(inserted.errorText)")
        #expect(try server.logged() == 2500)
        server.clock.advance(milliseconds: 401 * Self.day)
        try notify("200")
        #expect(try entries(becoming: 1) == 1)
        #expect(try metric("holdfast_retention_removed_entries_total") == 2500)
    }

    @Test func `begins anew at once when a reload shortens it`() throws {
        let lane = try DatabaseLane { [path = server.folder.path("other.sqlite")] () throws(StorageError) in
            LaneContext(
                store: try Store(path, now: TestServer.start), environment: .system(), log: Log(descriptor: 2))
        }
        defer { lane.stop() }
        let log = Log(descriptor: open("/dev/null", O_WRONLY))
        let start = TestServer.start
        let retention = LogRetention(lane: lane, log: log, keptMilliseconds: 400 * Self.day, now: start)
        func finished(_ date: Instant) -> Bool {
            for _ in 0..<100 {
                var text = PrometheusText()
                retention.write(to: &text)
                if text.text.contains("holdfast_retention_timestamp_seconds \(date.millisecondsSince1970 / 1000)") {
                    return true
                }
                Thread.sleep(forTimeInterval: 0.02)
            }
            return false
        }
        let first = start.adding(milliseconds: 60_000)
        retention.look(at: first)
        #expect(finished(first))
        // Not due again for a day, but for the change.
        let second = first.adding(milliseconds: 60_000)
        retention.replace(keptMilliseconds: 30 * Self.day, now: second)
        retention.look(at: second)
        #expect(finished(second))
    }

    @Test func `tries again later when the database takes no write`() throws {
        try notify("100")
        let held = try run("sqlite3", [server.database, "ALTER TABLE signed_payload RENAME TO gone"])
        try #require(held.exitCode == 0)
        server.clock.advance(milliseconds: 401 * Self.day)
        for _ in 0..<1200 where !server.log.contains("\"event\":\"storage\"") { Thread.sleep(forTimeInterval: 0.05) }
        #expect(server.log.contains("\"event\":\"storage\""))
        try #require(
            try run("sqlite3", [server.database, "ALTER TABLE gone RENAME TO signed_payload"]).exitCode == 0)
        server.clock.advance(milliseconds: 11 * 60_000)
        #expect(try entries(becoming: 0) == 0)
    }
}
