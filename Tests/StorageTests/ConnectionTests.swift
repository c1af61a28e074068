import CampaignCore
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// Opening a file, and what is refused.
struct ConnectionTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func `a new database and its log are for their owner alone`() throws {
        let store = try fixture.open()
        try store.check(now: Fixture.now)
        for name in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test func `a writer waits for the disk at each commit and guards its rows`() throws {
        let connection = try fixture.open().connection
        for (pragma, expected) in [
            ("synchronous", "2"), ("foreign_keys", "1"), ("trusted_schema", "0"), ("busy_timeout", "5000"),
            ("cache_size", "-32768"),
        ] {
            let value = try connection.value("PRAGMA \(raw: SQL.Fragment(pragma))", Int64.self)
            #expect(value.map(String.init) == expected, "\(pragma)")
        }
        #expect(try fixture.sqlite3("PRAGMA journal_mode") == "wal")
        #expect(try fixture.sqlite3("PRAGMA application_id") == "1213156420")
    }

    @Test(arguments: [
        ":memory:", "file:x?mode=memory", "file:odd name.sqlite", "plain.sqlite", "ünïcode 'quoted'.sqlite",
    ])
    func `a path is a plain path whatever it looks like`(name: String) throws {
        let path = fixture.folder.path(name)
        _ = try Store(path, now: Fixture.now)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `a path that cannot be opened is refused with the reason`() throws {
        for (path, reason) in [
            ("", "the path is empty"), ("a\u{0}b", "the path has a NUL character"),
            (fixture.folder.path("absent/x.sqlite"), "no such file or directory"),
            (fixture.folder.url.path, "is a directory"),
        ] {
            #expect(throws: StorageError.cannotOpen(path: path, reason: reason)) {
                try Connection(path, mode: .readWriteCreate)
            }
        }
        for mode in [Connection.Mode.readWrite, .readOnly] {
            #expect(throws: StorageError.cannotOpen(path: fixture.path, reason: "no such file or directory")) {
                try Connection(fixture.path, mode: mode)
            }
        }
        #expect(FileManager.default.fileExists(atPath: fixture.path) == false)
    }

    @Test func `a database of another program is refused and left as it was`() throws {
        try fixture.sqlite3("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        for mode in [Connection.Mode.readWriteCreate, .readWrite, .readOnly] {
            #expect(throws: StorageError.foreignDatabase(path: fixture.path)) {
                try Connection(fixture.path, mode: mode)
            }
        }
        try fixture.sqlite3("DROP TABLE theirs; PRAGMA application_id = 7")
        #expect(throws: StorageError.foreignDatabase(path: fixture.path)) { try fixture.open() }
        try before.write(to: URL(fileURLWithPath: fixture.path))
        #expect(throws: StorageError.foreignDatabase(path: fixture.path)) { try fixture.open() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == before)
    }

    @Test(arguments: ["listen: 127.0.0.1:8080\n", String(repeating: "not a database ", count: 1000)])
    func `a file that is no database is refused and left as it was`(text: String) throws {
        try fixture.folder.write(text, to: "holdfast.sqlite")
        #expect(throws: StorageError.foreignDatabase(path: fixture.path)) { try fixture.open() }
        #expect(try String(contentsOfFile: fixture.path, encoding: .utf8) == text)
    }

    @Test func `an empty file is taken`() throws {
        try fixture.folder.write("", to: "holdfast.sqlite")
        _ = try fixture.open()
        #expect(try fixture.sqlite3("SELECT count(*) FROM schema_migration") == "\(Schema.migrations.known.count)")
    }

    @Test func `a connection for reading reads and cannot write`() throws {
        let writer = try fixture.open()
        try writer.insertGrant(.sample())
        let reader = try Store(reading: fixture.path)
        #expect(try reader.connection.value("SELECT count(*) FROM offer_grant", Int.self) == 1)
        #expect(throws: StorageError.readOnly(path: fixture.path)) { try reader.insertGrant(.sample()) }
        #expect(try fixture.sqlite3("SELECT count(*) FROM offer_grant") == "1")
    }

    @Test(arguments: [0o755, 0o777] as [mode_t])
    func `a file that may not be written is refused at once`(folderMode: mode_t) throws {
        _ = try fixture.open()
        chmod(fixture.path, 0o444)
        chmod(fixture.folder.url.path, folderMode)
        let path = fixture.path
        let error = asUnprivilegedThread { () -> StorageError? in
            do throws(StorageError) {
                _ = try Store(path, now: Fixture.now)
                return nil
            } catch { return error }
        }
        #expect(error == .readOnly(path: path))
    }

    @Test func `writing while another process holds the lock is busy, and later goes through`() throws {
        let store = try fixture.open()
        try store.connection.execute("PRAGMA busy_timeout = 30")
        let holder = try LockHolder(of: fixture.path)
        let error = #expect(throws: StorageError.self) { try store.insertGrant(.sample()) }
        #expect(error == .busy(path: fixture.path))
        #expect(error?.isTemporary == true)
        try holder.finish()
        try store.insertGrant(.sample())
        #expect(try fixture.sqlite3("SELECT count(*) FROM offer_grant") == "1")
    }

    @Test func `another process is kept out while a transaction is open`() throws {
        let store = try fixture.open()
        try store.connection.begin()
        try store.insertGrant(.sample())
        let failure = #expect(throws: SQLite3Failed.self) { try fixture.sqlite3("DELETE FROM offer_grant") }
        #expect(failure?.text.contains("database is locked") == true)
        #expect(try fixture.sqlite3("SELECT count(*) FROM offer_grant") == "0", "readers go on and see no part of it")
        try store.connection.commit()
        #expect(try fixture.sqlite3("SELECT count(*) FROM offer_grant") == "1")
    }

    @Test func `a damaged file is corrupt`() throws {
        do {
            let store = try fixture.open()
            for _ in 0..<200 { try store.insertGrant(.sample(answer: String(repeating: "x", count: 900))) }
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size / 2)
        try file.write(contentsOf: Data(repeating: 0xa5, count: Int(size / 2)))
        try file.close()
        let store = try fixture.open()
        #expect(try store.quickCheck().isEmpty == false)
        #expect(throws: StorageError.corrupt(path: fixture.path)) {
            try store.connection.rows("SELECT answer FROM offer_grant") { row throws(StorageError) in
                try row.next([UInt8].self)
            }
        }
    }
}

private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
    let isKnown = DispatchSemaphore(value: 0)
}

/// Runs `body` on a thread whose files are opened as nobody, so that modes count also for root.
private func asUnprivilegedThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
    let outcome = Outcome<Value>()
    Thread.detachNewThread {
        // Glibc's module lacks the header that declares it.
        if geteuid() == 0, let symbol = dlsym(nil, "setfsuid") {
            _ = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)(65534)
        }
        let value = body()
        outcome.value.withLock { $0 = value }
        outcome.isKnown.signal()
    }
    outcome.isKnown.wait()
    return outcome.value.withLock { $0 }
}
