import Foundation
import TestSupport
import Testing

/// `restore` and `backup` ended with SIGKILL; what is left is judged by the sqlite3 program.
@Suite(.serialized) struct `A copy that is killed` {
    private let installation: Installation

    /// Two databases with their names as a mark in them: `old`, most of whose content is still in its log, as a killed
    /// service leaves it, and `new`, of which `backup` is a backup.
    private func prepare(rows: Int) throws {
        for name in ["new", "old"] {
            #expect(try installation.holdfast("migrate").exitCode == 0)
            let script = """
                .dbconfig no_ckpt_on_close on
                CREATE TABLE filler (bytes BLOB);
                PRAGMA wal_checkpoint(TRUNCATE);
                PRAGMA wal_autocheckpoint = 0;
                INSERT INTO filler SELECT randomblob(4000) FROM generate_series(1, \(name == "old" ? 20 : rows));
                CREATE TABLE mark AS SELECT '\(name)' AS name, (SELECT count(*) FROM filler) AS fillers;
                """
            let made = try run("sqlite3", [path()], input: Data(script.utf8))
            try #require(made.exitCode == 0 && made.errorText.isEmpty, "\(made.errorText)")
            if name == "new" { #expect(try installation.holdfast("backup", "backup").exitCode == 0) }
            for suffix in ["", "-wal"] {
                try FileManager.default.moveItem(atPath: path(suffix), toPath: installation.folder.path(name + suffix))
            }
            try? FileManager.default.removeItem(atPath: path("-shm"))
        }
        try #require(Data(contentsOf: URL(fileURLWithPath: installation.folder.path("old-wal"))).count > 80_000)
    }

    init() throws {
        installation = try Installation()
    }

    private func path(_ suffix: String = "") -> String { installation.folder.path("holdfast.sqlite" + suffix) }

    private var left: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: installation.folder.url.path)
                .filter { $0.hasPrefix("holdfast.sqlite") || $0.hasPrefix("copy") }.sorted()
        }
    }

    /// Removes what the last round left and puts the database `name` in place.
    private func place(_ name: String) throws {
        for file in try left { try FileManager.default.removeItem(atPath: installation.folder.path(file)) }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: installation.folder.path(name + suffix), toPath: path(suffix))
        }
    }

    /// The mark of the database `file` and whether it is whole; judged on a copy, so that nothing is mended in place.
    private func judged(_ file: String = "holdfast.sqlite") throws -> String {
        let folder = try TemporaryFolder()
        for suffix in ["", "-wal", "-journal"] where try left.contains(file + suffix) {
            try FileManager.default.copyItem(
                atPath: installation.folder.path(file + suffix), toPath: folder.path("judged" + suffix))
        }
        let question = """
            PRAGMA integrity_check(1); SELECT name, fillers = (SELECT count(*) FROM filler) FROM mark
            """
        let result = try run("sqlite3", [folder.path("judged"), question])
        return result.text.replacing("\n", with: " ") + result.errorText
    }

    private func command(_ words: [String], _ environment: [String: String] = [:]) throws -> ChildResult {
        try run(
            Surroundings.holdfast, words, environment: environment.merging(["HOLDFAST_CONFIG": ""]) { $1 },
            in: installation.folder.url)
    }

    /// Kills the command just before each call that changes a file, and calls `judge` after each.
    private func killAtEachCall(_ words: [String], place: () throws -> Void, judge: (String) throws -> Void) throws {
        let library = installation.folder.path("kill-at-call.so")
        let source = Surroundings.project.appendingPathComponent("Fixtures/Load/kill-at-call.c").path
        let built = try run("clang", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"])
        try #require(built.exitCode == 0, "\(built.errorText)")
        let counted = installation.folder.path("count")
        var number = 0
        func killed() throws -> ChildResult {
            try place()
            return try command(words, ["LD_PRELOAD": library, "KILL_AT": "\(number)", "KILL_COUNT": counted])
        }
        let whole = try killed()
        #expect(whole.exitCode == 0, "\(whole.errorText)")
        let calls = try #require(
            Int(String(contentsOfFile: counted, encoding: .utf8).trimmingCharacters(in: .newlines)))
        #expect(calls > 10)
        while number < calls {
            number += 1
            #expect(try killed().exitCode == 9, "call \(number) of \(calls)")
            try judge("call \(number) of \(calls): \(left)")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func `leaves the old database or the new one whole before every change of a file, and can be repeated`() throws {
        try prepare(rows: 40)
        var seen: [String: Int] = [:]
        try killAtEachCall(["restore", "backup"], place: { try place("old") }) { when in
            let found = try judged()
            seen[found, default: 0] += 1
            #expect(["ok old|1 ", "ok new|1 "].contains(found), "\(when)")
            let again = try command(["restore", "backup"])
            #expect(again.exitCode == 0, "\(when): \(again.errorText)")
            #expect(try judged() == "ok new|1 ", "\(when)")
            #expect(try !left.contains { $0.contains("restoring") }, "\(when)")
            // Where the old database was still in place, it is kept whole.
            let kept = try left.filter { $0.contains(".before-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
            #expect(try kept.contains { try judged($0) == "ok old|1 " }, "\(when)")
        }
        #expect(seen.count == 2, "both sides of the exchange were met: \(seen)")
    }

    @Test(.timeLimit(.minutes(3)))
    func `leaves no half backup under the final name before every change of a file`() throws {
        try prepare(rows: 40)
        try killAtEachCall(["backup", "copy"], place: { try place("old") }) { when in
            if try left.contains("copy") { #expect(try judged("copy") == "ok old|1 ", "\(when)") }
            #expect(try judged() == "ok old|1 ", "\(when)")
            let again = try command(["backup", "copy2"])
            #expect(again.exitCode == 0, "\(when): \(again.errorText)")
            #expect(try judged("copy2") == "ok old|1 ", "\(when)")
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: ["restore", "backup"])
    func `from outside while it copies a large database does no harm`(word: String) throws {
        try prepare(rows: 12_000)
        let words = word == "restore" ? ["restore", "backup"] : ["backup", "copy"]
        let mark = word == "restore" ? "old" : "new"
        func start() throws -> Process {
            try place(mark)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Surroundings.holdfast)
            process.arguments = words
            process.currentDirectoryURL = installation.folder.url
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }
        let began = ContinuousClock.now
        let whole = try start()
        whole.waitUntilExit()
        #expect(whole.terminationStatus == 0)
        let seconds = (ContinuousClock.now - began) / Duration.seconds(1)
        var kills = 0
        for part in [0.2, 0.4, 0.6, 0.8] {
            let process = try start()
            Thread.sleep(forTimeInterval: seconds * part)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            if process.terminationReason == .uncaughtSignal { kills += 1 }
            let found = try judged()
            #expect([mark, "new"].contains { found == "ok \($0)|1 " }, "\(part): \(found)")
            if try left.contains("copy") { #expect(try judged("copy") == "ok new|1 ", "\(part)") }
            let again = try command(word == "restore" ? words : ["backup", "copy2"])
            #expect(again.exitCode == 0, "\(part): \(again.errorText)")
            #expect(try judged(word == "restore" ? "holdfast.sqlite" : "copy2") == "ok new|1 ", "\(part)")
        }
        #expect(kills > 0)
    }
}
