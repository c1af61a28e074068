import CampaignCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// Copies of a database, judged by the sqlite3 program.
struct BackupTests {
    let fixture: Fixture
    var file: String { fixture.folder.path("backup.sqlite") }

    init() throws {
        fixture = try Fixture()
    }

    @discardableResult
    private func backup(to path: String? = nil) throws(StorageError) -> DatabaseCopyReport {
        try Backup.write(fixture.path, to: path ?? file, nanoseconds: { DispatchTime.now().uptimeNanoseconds })
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `a copy is sound, whole, closed to others and needs no file beside it`() throws {
        let store = try fixture.open()
        for number in 0..<300 { try store.insertGrant(.sample(answer: "{\"number\":\(number)}")) }
        let report = try backup()
        // The rows are still in the log of the original, and the copy has them.
        #expect(try fixture.sqlite3("PRAGMA integrity_check", file: file) == "ok")
        #expect(try fixture.sqlite3("PRAGMA journal_mode", file: file) == "delete")
        #expect(try fixture.sqlite3("PRAGMA application_id", file: file) == "1213156420")
        #expect(try fixture.sqlite3(".dump", file: file) == fixture.sqlite3(".dump"))
        #expect(try mode(file) == 0o600)
        #expect(report.bytes == Int64(try Data(contentsOf: URL(fileURLWithPath: file)).count))
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
        #expect(names.filter { $0.hasPrefix("backup") } == ["backup.sqlite"])
    }

    @Test func `a copy made while another connection writes is of one instant`() throws {
        let store = try fixture.open()
        try fixture.sqlite3("CREATE TABLE one (x BLOB, n INTEGER); CREATE TABLE two (n INTEGER)")
        for _ in 0..<40 {
            try store.connection.transaction { () throws(StorageError) in
                for _ in 0..<100 { try store.connection.run("INSERT INTO one VALUES (zeroblob(4000), 0)") }
            }
        }
        let path = fixture.path
        let written = Atomic<Int>(0)
        let isEnough = Atomic<Bool>(false)
        let writer = Thread {
            guard let store = try? Store(path, now: Fixture.now) else { return }
            while !isEnough.load(ordering: .relaxed) {
                // Both tables in one transaction, so that a copy across two instants would have more of one.
                _ = try? store.connection.transaction { () throws(StorageError) in
                    try store.connection.run("INSERT INTO one VALUES (zeroblob(2000), 1)")
                    try store.connection.run("INSERT INTO two VALUES (1)")
                }
                written.add(1, ordering: .relaxed)
            }
        }
        writer.start()
        while written.load(ordering: .relaxed) < 5 { usleep(1000) }
        let before = written.load(ordering: .relaxed)
        let steps = Mutex(0)
        let report = try Backup.write(
            path, to: file, nanoseconds: { DispatchTime.now().uptimeNanoseconds },
            progress: { _, _ in
                steps.withLock { $0 += 1 }
                // Each step waits for a commit between it and the next one.
                let seen = written.load(ordering: .relaxed)
                while written.load(ordering: .relaxed) == seen { usleep(100) }
            })
        let after = written.load(ordering: .relaxed)
        isEnough.store(true, ordering: .relaxed)
        #expect(report.steps == steps.withLock { $0 } && report.steps > 3)
        #expect(try fixture.sqlite3("PRAGMA integrity_check", file: file) == "ok")
        let counts = try fixture.sqlite3(
            "SELECT (SELECT count(*) FROM one WHERE n = 1), (SELECT count(*) FROM two)", file: file)
        let numbers = counts.split(separator: "|").compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers[0] == numbers[1], "\(counts)")
        #expect((before...after).contains(numbers.first ?? -1) && after > before + 2, "\(before) \(counts) \(after)")
    }

    @Test(arguments: ["backup.sqlite", "backup.sqlite.partial"])
    func `a file that exists is never touched`(name: String) throws {
        _ = try fixture.open()
        try fixture.folder.write("mine", to: name)
        let path = fixture.folder.path(name)
        #expect(throws: StorageError.exists(path: path)) { try backup() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func `a database of an older program is copied as it is, and none is made where there is none`() throws {
        try fixture.sqlite3("PRAGMA journal_mode = WAL; PRAGMA application_id = 1213156420; CREATE TABLE old (x)")
        try backup()
        #expect(try fixture.sqlite3("SELECT group_concat(name) FROM sqlite_schema", file: file) == "old")
        #expect(try fixture.sqlite3("SELECT group_concat(name) FROM sqlite_schema") == "old")
        let nowhere = fixture.folder.path("nowhere.sqlite")
        #expect(throws: StorageError.self) {
            try Backup.write(nowhere, to: fixture.folder.path("other"), nanoseconds: { 0 })
        }
        #expect(!FileManager.default.fileExists(atPath: nowhere))
        #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("other.partial")))
    }

    @Test func `a damaged database gives no backup`() throws {
        let store = try fixture.open()
        for _ in 0..<300 { try store.insertGrant(.sample(answer: String(repeating: "x", count: 1000))) }
        try fixture.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        // Pages of grants, behind those of the schema.
        let end = bytes.count / 4096
        for page in end - 50..<end - 10 {
            bytes.replaceSubrange(page * 4096..<(page * 4096 + 200), with: Data(count: 200))
        }
        let damaged = try fixture.folder.write(bytes, to: "damaged.sqlite").path
        #expect {
            try Backup.write(damaged, to: file, nanoseconds: { 0 })
        } throws: { error in
            if case .damagedCopy = error as? StorageError { true } else { false }
        }
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(!FileManager.default.fileExists(atPath: file + ".partial"))
    }

    @Test func `steps grow while they are short and shrink before they take 50 ms`() {
        #expect(DatabaseCopy.nextStep(after: 64, took: 1_000_000) == 128)
        #expect(DatabaseCopy.nextStep(after: 4096, took: 1_000_000) == 4096)
        #expect(DatabaseCopy.nextStep(after: 128, took: 10_000_000) == 128)
        #expect(DatabaseCopy.nextStep(after: 128, took: 26_000_000) == 64)
        #expect(DatabaseCopy.nextStep(after: 1, took: 90_000_000) == 1)
    }
}
