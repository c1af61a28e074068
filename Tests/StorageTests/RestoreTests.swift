import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// A backup in the place of a database; other processes are sqlite3 programs.
struct RestoreTests {
    let fixture: Fixture
    var backup: String { fixture.folder.path("backup.sqlite") }
    var aside: String { fixture.folder.path("holdfast.sqlite.before") }

    /// A database with one grant in a backup, and two in the database since.
    init() throws {
        fixture = try Fixture()
        let store = try fixture.open()
        try store.insertGrant(.sample(answer: "{\"n\":1}"))
        _ = try Backup.write(fixture.path, to: backup, nanoseconds: { 0 })
        try store.insertGrant(.sample(answer: "{\"n\":2}"))
    }

    @discardableResult
    private func restore(_ file: String? = nil) throws(StorageError) -> Restore.Report {
        try Restore.replace(
            fixture.path, with: file ?? backup, aside: aside, now: Fixture.now, nanoseconds: { 0 })
    }

    private func grants(_ file: String? = nil) throws -> String {
        try fixture.sqlite3("SELECT group_concat(cast(answer AS text)) FROM offer_grant", file: file)
    }

    @Test func `the backup is in place, the old database is kept whole, and nothing else is left`() throws {
        let report = try restore()
        #expect(report.keptAside == aside && report.backupSchema == Schema.migrations.known.last?.title)
        #expect(try grants() == "{\"n\":1}")
        #expect(try grants(aside) == "{\"n\":1},{\"n\":2}")
        #expect(try grants(backup) == "{\"n\":1}")
        for file in [fixture.path, aside] { #expect(try fixture.sqlite3("PRAGMA integrity_check", file: file) == "ok") }
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path).sorted()
        #expect(
            names.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }
                == ["backup.sqlite", "holdfast.sqlite", "holdfast.sqlite.before"])
        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // It is a database like any other again.
        try fixture.open().insertGrant(.sample(answer: "{\"n\":3}"))
        #expect(try grants() == "{\"n\":1},{\"n\":3}")
    }

    @Test(arguments: ["SELECT count(*) FROM offer_grant", "BEGIN IMMEDIATE", "BEGIN; SELECT count(*) FROM offer_grant"])
    func `a database that a process has open, busy or idle, is left alone`(statement: String) throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = ["sqlite3", "-batch", fixture.path]
        let (input, output) = (Pipe(), Pipe())
        shell.standardInput = input
        shell.standardOutput = output
        try shell.run()
        try input.fileHandleForWriting.write(contentsOf: Data("\(statement); SELECT 'open';\n".utf8))
        var text = ""
        while !text.contains("open") {
            text += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(throws: StorageError.inUse(path: fixture.path)) { try restore() }
        try input.fileHandleForWriting.close()
        shell.waitUntilExit()
        #expect(try grants() == "{\"n\":1},{\"n\":2}")
        #expect(!FileManager.default.fileExists(atPath: aside))
        #expect(!FileManager.default.fileExists(atPath: fixture.path + ".restoring"))
        try restore()
        #expect(try grants() == "{\"n\":1}")
    }

    @Test func `a backup of a newer program is refused`() throws {
        try fixture.sqlite3("INSERT INTO schema_migration VALUES (99, 'from the future', 0)", file: backup)
        let known = Schema.migrations.known.last?.title ?? ""
        #expect(throws: StorageError.newerSchema(found: "99 from the future", known: known)) { try restore() }
        #expect(try grants() == "{\"n\":1},{\"n\":2}")
    }

    enum Spoiling: CaseIterable {
        case text, otherOwner, empty, absent, damaged, noSchema
    }

    @Test(arguments: Spoiling.allCases)
    func `what is no sound backup is refused, and the database stays as it was`(spoiling: Spoiling) throws {
        let file = fixture.folder.path("spoiled.sqlite")
        switch spoiling {
        case .text: try fixture.folder.write("no database at all, but some text", to: "spoiled.sqlite")
        case .otherOwner: try fixture.sqlite3("PRAGMA application_id = 7; CREATE TABLE x (y)", file: file)
        case .empty: try fixture.folder.write("", to: "spoiled.sqlite")
        case .absent: break
        case .noSchema: try fixture.sqlite3("PRAGMA application_id = 1213156420; CREATE TABLE x (y)", file: file)
        case .damaged:
            var bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
            for page in 2..<(bytes.count / 4096) {
                bytes.replaceSubrange(page * 4096..<(page * 4096 + 100), with: Data(repeating: 9, count: 100))
            }
            try fixture.folder.write(bytes, to: "spoiled.sqlite")
        }
        #expect(throws: StorageError.self) { try restore(file) }
        #expect(try grants() == "{\"n\":1},{\"n\":2}")
        #expect(!FileManager.default.fileExists(atPath: aside))
        #expect(!FileManager.default.fileExists(atPath: fixture.path + ".restoring"))
    }

    @Test func `a damaged database is replaced and kept with its log`() throws {
        try fixture.folder.write("this was a database once", to: "holdfast.sqlite")
        try fixture.folder.write("and this its log", to: "holdfast.sqlite-wal")
        try restore()
        #expect(try grants() == "{\"n\":1}")
        #expect(try String(contentsOfFile: aside, encoding: .utf8) == "this was a database once")
        #expect(try String(contentsOfFile: aside + "-wal", encoding: .utf8) == "and this its log")
    }

    @Test func `where no database is, the backup becomes it`() throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fixture.path + suffix) }
        #expect(try restore().keptAside == nil)
        #expect(try grants() == "{\"n\":1}")
    }

    @Test func `what a killed restore left, a log among it, is no hindrance and no part of the new database`() throws {
        try fixture.folder.write("half a copy", to: "holdfast.sqlite.restoring")
        for suffix in ["-wal", "-shm", "-journal"] {
            let leftOver = (try? Data(contentsOf: URL(fileURLWithPath: fixture.path + suffix))) ?? Data("x".utf8)
            try fixture.folder.write(leftOver, to: "holdfast.sqlite.restoring\(suffix)")
        }
        try restore()
        #expect(try grants() == "{\"n\":1}")
        #expect(try fixture.sqlite3("PRAGMA integrity_check") == "ok")
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
        #expect(!names.contains { $0.contains("restoring") })
    }

    @Test func `another restore of the same database is refused while one works, and leaves its file alone`() throws {
        let copy = fixture.path + ".restoring"
        let working = try CopyFile(copy)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
        try FileHandle(forWritingTo: URL(fileURLWithPath: copy)).write(contentsOf: bytes)
        #expect(throws: StorageError.inUse(path: copy)) { try restore() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == bytes)
        #expect(try grants() == "{\"n\":1},{\"n\":2}")
        working.remove()
        withExtendedLifetime(working) {}
        try restore()
    }

    @Test func `what a killed restore left is not emptied to be restored from itself`() throws {
        let leftOver = fixture.path + ".restoring"
        try FileManager.default.copyItem(atPath: backup, toPath: leftOver)
        #expect(throws: StorageError.exists(path: leftOver)) { try restore(leftOver) }
        #expect(try grants(leftOver) == "{\"n\":1}")
    }

    @Test func `an old name that is taken stops it before anything changes`() throws {
        try fixture.folder.write("kept earlier", to: "holdfast.sqlite.before")
        #expect(throws: StorageError.exists(path: aside)) { try restore() }
        #expect(try grants() == "{\"n\":1},{\"n\":2}")
        #expect(try String(contentsOfFile: aside, encoding: .utf8) == "kept earlier")
    }
}
