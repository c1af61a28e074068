import CampaignCore
import Foundation
import Synchronization
import Testing

@testable import Storage

/// The schema, and who may upgrade it.
struct MigrationTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private let two = Migrations(known: [
        Migration(number: 1, name: "first", script: "CREATE TABLE schema_migration (number, name, applied_date)"),
        Migration(number: 2, name: "second", script: "CREATE TABLE second (x); INSERT INTO second VALUES (1)"),
    ])

    @Test func `a new database has the tables of the schema and says who made it`() throws {
        _ = try fixture.open()
        let tables = """
            api_key
            app
            campaign_arm
            campaign_arm_total
            campaign_file
            campaign_grant
            campaign_total
            code_batch
            code_block
            code_claim
            code_claim_hour
            code_ledger
            code_redemption
            custom_code
            erased_subscription
            health_check
            jws_header
            offer_code
            offer_grant
            renewal_fact
            schema_migration
            signed_payload
            subscription
            subscription_download
            subscription_token
            subscription_transaction
            transaction_fact
            """
        #expect(try fixture.sqlite3("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") == tables)
        #expect(try fixture.sqlite3("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict") == "27")
        let migrations = """
            1|keys, grants and transaction facts|1790000000000
            2|signed payloads and subscriptions|1790000000000
            3|first signing of a period|1790000000000
            4|offer codes|1790000000000
            5|campaigns|1790000000000
            """
        #expect(try fixture.sqlite3("SELECT * FROM schema_migration") == migrations)
        #expect(try fixture.sqlite3("PRAGMA integrity_check") == "ok")
    }

    @Test func `migrations count from one without gaps and no two share a name`() {
        let known = Schema.migrations.known
        #expect(known.map(\.number) == Array(1...Int64(known.count)))
        #expect(Set(known.map(\.name)).count == known.count)
    }

    @Test func `opening again writes nothing`() throws {
        _ = try fixture.open()
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        _ = try Store(fixture.path, now: Fixture.now.adding(milliseconds: 1))
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == before)
    }

    @Test func `an older database gets what it lacks and keeps what it has`() throws {
        let connection = try Connection(fixture.path, mode: .readWriteCreate)
        try Migrations(known: [two.known[0]]).apply(to: connection, now: Fixture.now)
        #expect(throws: StorageError.olderSchema(found: "1 first", known: "2 second")) {
            try two.requireApplied(on: connection)
        }
        try two.apply(to: connection, now: Fixture.now.adding(milliseconds: 5))
        try two.requireApplied(on: connection)
        let migrations = "1|first|1790000000000\n2|second|1790000000005"
        #expect(try fixture.sqlite3("SELECT * FROM schema_migration") == migrations)
    }

    @Test func `an upgrade that fails leaves the database as it was`() throws {
        let connection = try Connection(fixture.path, mode: .readWriteCreate)
        let broken = Migrations(
            known: two.known + [Migration(number: 3, name: "third", script: "CREATE TABLE second (x)")])
        #expect(throws: StorageError.self) { try broken.apply(to: connection, now: Fixture.now) }
        #expect(try fixture.sqlite3("SELECT count(*) FROM sqlite_schema") == "0")
        try two.apply(to: connection, now: Fixture.now)
        #expect(try fixture.sqlite3("SELECT count(*) FROM schema_migration") == "2")
    }

    @Test(arguments: [
        "INSERT INTO schema_migration VALUES (99, 'phone numbers', 0)",
        "UPDATE schema_migration SET name = 'phone numbers'",
    ])
    func `a database of a newer version is refused by the name of its migration`(change: String) throws {
        _ = try fixture.open()
        try fixture.sqlite3(change)
        for open in [{ try fixture.open() }, { try Store(reading: fixture.path) }] {
            let error = #expect(throws: StorageError.self) { try open() }
            guard case .newerSchema(let found, let known) = error else {
                Issue.record("expected a newer schema, found \(String(describing: error))")
                return
            }
            #expect(found.hasSuffix(" phone numbers"))
            #expect(known == Schema.migrations.known.last?.title)
        }
    }

    @Test func `a database that nobody upgraded yet cannot be opened for reading alone`() throws {
        try fixture.sqlite3("PRAGMA application_id = 1213156420")
        let expected = StorageError.olderSchema(found: "none", known: Schema.migrations.known.last?.title ?? "")
        #expect(throws: expected) { try Store(reading: fixture.path) }
    }

    @Test(arguments: 0..<5)
    func `several that come at once migrate once`(round: Int) throws {
        let path = fixture.path
        let errors = Mutex<[StorageError]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            do throws(StorageError) {
                let store = try Store(path, now: Fixture.now)
                try store.insertGrant(.sample(answer: "\(index)"))
            } catch {
                errors.withLock { $0.append(error) }
            }
        }
        #expect(errors.withLock { $0 } == [])
        #expect(try fixture.sqlite3("SELECT count(*) FROM schema_migration") == "\(Schema.migrations.known.count)")
        #expect(try fixture.sqlite3("SELECT count(*) FROM offer_grant") == "8")
    }

    @Test func `who waited for another's upgrade finds the work done`() throws {
        let first = try Connection(fixture.path, mode: .readWriteCreate)
        try first.begin()
        try two.apply(to: first, now: Fixture.now)
        let (path, migrations) = (fixture.path, two)
        let error = Mutex<StorageError?>(nil)
        let second = DispatchGroup()
        let opened = DispatchSemaphore(value: 0)
        DispatchQueue.global().async(group: second) {
            defer { opened.signal() }
            do throws(StorageError) {
                // Sees an empty database, then waits for the lock.
                let connection = try Connection(path, mode: .readWrite)
                opened.signal()
                try migrations.apply(to: connection, now: Fixture.now)
            } catch let caught {
                error.withLock { $0 = caught }
            }
        }
        opened.wait()
        Thread.sleep(forTimeInterval: 0.3)
        try first.commit()
        second.wait()
        #expect(error.withLock { $0 } == nil)
        #expect(try fixture.sqlite3("SELECT name FROM schema_migration ORDER BY number") == "first\nsecond")
    }

    @Test func `an upgrade waits for another process's transaction`() throws {
        try fixture.sqlite3("PRAGMA journal_mode = WAL")
        let holder = try LockHolder(of: fixture.path)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) { try? holder.finish() }
        _ = try fixture.open()
        #expect(try fixture.sqlite3("SELECT count(*) FROM schema_migration") == "\(Schema.migrations.known.count)")
    }
}
