import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// What a commit promises, and what is undone when something fails.
struct TransactionTests {
    struct Failed: Error {}

    let fixture: Fixture
    let store: Store
    var connection: Connection { store.connection }

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    private func grants(in file: String? = nil) throws -> String {
        try fixture.sqlite3("SELECT count(*) FROM offer_grant", file: file)
    }

    @Test func `nothing is seen before the commit and all of it after`() throws {
        try connection.begin()
        for _ in 0..<20 { try store.insertGrant(.sample()) }
        #expect(try grants() == "0")
        try connection.commit()
        #expect(try grants() == "20")
    }

    @Test func `a rollback leaves nothing`() throws {
        try connection.begin()
        try store.insertGrant(.sample())
        try connection.rollback()
        #expect(try grants() == "0")
        #expect(connection.isInTransaction == false)
    }

    @Test func `a request that fails inside a batch is undone alone`() throws {
        try connection.begin()
        for number in 0..<6 {
            let result = try connection.withSavepoint {
                try store.insertGrant(.sample(answer: "\(number)"))
                if number % 2 == 1 { throw Failed() }
                return number
            }
            switch result {
            case .success(let value): #expect(value == number && number % 2 == 0)
            case .failure(let error): #expect(error is Failed && number % 2 == 1)
            }
        }
        try connection.commit()
        #expect(try fixture.sqlite3("SELECT CAST(answer AS TEXT) FROM offer_grant ORDER BY id") == "0\n2\n4")
    }

    @Test func `a statement that breaks a rule of the schema fails its request alone`() throws {
        try connection.begin()
        try store.insertGrant(.sample(answer: "before"))
        let result = try connection.withSavepoint { () throws(StorageError) in
            try store.insertGrant(.sample(answer: "same request"))
            var grant = Grant.sample(answer: "bad")
            grant.bodyDigest = [1]
            try store.insertGrant(grant)
        }
        guard case .failure(.other) = result else {
            Issue.record("expected a constraint, found \(result)")
            return
        }
        try store.insertGrant(.sample(answer: "after"))
        try connection.commit()
        #expect(try fixture.sqlite3("SELECT CAST(answer AS TEXT) FROM offer_grant ORDER BY id") == "before\nafter")
    }

    @Test func `a commit that fails keeps nothing and leaves the connection usable`() throws {
        try connection.execute(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)
            """)
        try connection.begin()
        try store.insertGrant(.sample())
        try connection.run("INSERT INTO child (id) VALUES (\(1))")
        let error = #expect(throws: StorageError.self) { try connection.commit() }
        #expect(error?.description.contains("FOREIGN KEY constraint failed") == true)
        #expect(try grants() == "0")
        try connection.begin()
        try store.insertGrant(.sample())
        try connection.commit()
        #expect(try grants() == "1")
    }

    @Test func `a savepoint inside a savepoint is undone alone`() throws {
        try connection.begin()
        let outer = try connection.withSavepoint { () throws(StorageError) in
            try store.insertGrant(.sample(answer: "outer"))
            let inner = try connection.withSavepoint {
                try store.insertGrant(.sample(answer: "inner"))
                throw Failed()
            }
            guard case .failure = inner else { throw .nameNotAllowed }
        }
        #expect(throws: Never.self) { try outer.get() }
        try connection.commit()
        #expect(try fixture.sqlite3("SELECT CAST(answer AS TEXT) FROM offer_grant") == "outer")
    }

    /// Fills the database until SQLite refuses, with one-row inserts whose failure undoes the whole transaction.
    @Test func `a full disk fails the batch as a whole and the next one is clean`() throws {
        try store.insertGrant(.sample(answer: "kept"))
        let pages = try #require(try connection.value("PRAGMA page_count", Int.self))
        try connection.execute("PRAGMA max_page_count = \(pages + 4)")
        try connection.begin()
        let error = #expect(throws: StorageError.self) {
            for _ in 0..<100 {
                let result = try connection.withSavepoint { () throws(StorageError) in
                    try store.insertGrant(.sample(answer: String(repeating: "x", count: 900)))
                }
                if case .failure(let error) = result { throw error }
            }
        }
        #expect(error == .transactionLost(because: .full(path: fixture.path)))
        #expect(error?.isTemporary == true)
        // Until the rollback nothing goes through, or it would be committed on its own.
        #expect(throws: StorageError.transactionLost(because: .full(path: fixture.path))) {
            _ = try store.revokeAPIKey("any", now: Fixture.now)
        }
        #expect(throws: StorageError.transactionLost(because: .full(path: fixture.path))) { try connection.commit() }
        #expect(connection.isInTransaction == false)
        #expect(try fixture.sqlite3("SELECT CAST(answer AS TEXT) FROM offer_grant") == "kept")

        try connection.execute("PRAGMA max_page_count = \(pages + 1000)")
        try store.insertGrant(.sample(answer: "later"))
        #expect(try fixture.sqlite3("SELECT CAST(answer AS TEXT) FROM offer_grant ORDER BY id") == "kept\nlater")
    }

    @Test func `an error that SQLite undoes alone leaves the batch alive`() throws {
        try connection.execute("CREATE TABLE filler (bytes BLOB)")
        let pages = try #require(try connection.value("PRAGMA page_count", Int.self))
        try connection.execute("PRAGMA max_page_count = \(pages + 4)")
        try connection.begin()
        _ = try store.revokeAPIKey("any", now: Fixture.now)
        let result = try connection.withSavepoint { () throws(StorageError) in
            // A statement of many rows has a journal of its own.
            try connection.run(
                """
                INSERT INTO filler (bytes) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)
                SELECT zeroblob(900) FROM n
                """)
        }
        guard case .failure(.full) = result else {
            Issue.record("expected a full disk, found \(result)")
            return
        }
        try connection.run("INSERT INTO filler (bytes) VALUES (zeroblob(10))")
        try connection.commit()
        #expect(try fixture.sqlite3("SELECT count(*) FROM filler") == "1")
    }

    @Test func `what was committed survives a crash and what was not does not`() throws {
        try connection.begin()
        for number in 0..<30 { try store.insertGrant(.sample(answer: "\(number)")) }
        try connection.commit()
        try connection.begin()
        for number in 30..<60 { try store.insertGrant(.sample(answer: "\(number)")) }
        // The files as a crash would leave them now; nothing was closed or checkpointed.
        let copy = fixture.folder.path("copy.sqlite")
        for name in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: fixture.path + name, toPath: copy + name)
        }
        let reopened = try Store(copy, now: Fixture.now)
        #expect(try reopened.quickCheck() == [])
        #expect(try grants(in: copy) == "30")
        try connection.commit()
    }

    @Test func `a process that dies inside a transaction leaves nothing and no lock`() throws {
        let holder = try LockHolder(of: fixture.path, running: "DELETE FROM schema_migration")
        holder.kill()
        try store.insertGrant(.sample())
        #expect(try fixture.sqlite3("SELECT count(*) FROM schema_migration") == "\(Schema.migrations.known.count)")
        #expect(try grants() == "1")
    }

    @Test func `the data version tells that someone else has committed`() throws {
        let reader = try Store(reading: fixture.path).connection
        let first = try reader.dataVersion()
        #expect(try reader.dataVersion() == first)
        try store.insertGrant(.sample())
        let second = try reader.dataVersion()
        #expect(second != first)
        try fixture.sqlite3("DELETE FROM offer_grant")
        #expect(try reader.dataVersion() != second)
    }

    @Test func `a reader's transaction is one snapshot`() throws {
        let reader = try Store(reading: fixture.path).connection
        try reader.begin()
        #expect(try reader.value("SELECT count(*) FROM offer_grant", Int.self) == 0)
        try store.insertGrant(.sample())
        #expect(try reader.value("SELECT count(*) FROM offer_grant", Int.self) == 0)
        try reader.commit()
        #expect(try reader.value("SELECT count(*) FROM offer_grant", Int.self) == 1)
    }
}
