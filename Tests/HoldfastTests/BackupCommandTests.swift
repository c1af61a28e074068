import Foundation
import TestSupport
import Testing

/// `backup`, `restore` and `migrate` as an operator types them, beside a service that runs.
@Suite struct BackupCommandTests {
    private func grants(_ installation: Installation, _ file: String = "holdfast.sqlite") throws -> String {
        try run("sqlite3", [installation.folder.path(file), "SELECT count(*) FROM offer_grant"]).text
    }

    @Test func `what was answered before a backup is in it, and is back after a restore`() throws {
        let installation = try Installation()
        try {
            let service = try RunningService(installation)
            _ = try service.offer()
            let backup = try installation.holdfast("backup", "copy.sqlite")
            #expect(backup.exitCode == 0, "\(backup.errorText)")
            #expect(backup.text.hasPrefix("backed up '") && backup.text.hasSuffix(" bytes, sound\n"))
            #expect(backup.errorText == "")
            _ = try service.offer()
            let again = try installation.holdfast("backup", "copy.sqlite")
            #expect(again.exitCode == 2)
            #expect(again.errorText == "error: 'copy.sqlite' exists already; move it away or choose another name\n")
            let refused = try installation.holdfast("restore", "copy.sqlite")
            #expect(refused.exitCode == 2)
            #expect(refused.errorText.hasPrefix("error: a process has database '"))
            #expect(try service.offer()["decision"] as? String == "offered")
        }()
        #expect(try grants(installation) == "3\n")
        #expect(try grants(installation, "copy.sqlite") == "1\n")
        let restored = try installation.holdfast("restore", "copy.sqlite")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        #expect(try grants(installation) == "1\n")
        let kept = try #require(restored.text.firstMatch(of: /the old database is '([^']+)'/)).1
        #expect(try run("sqlite3", [String(kept), "SELECT count(*) FROM offer_grant"]).text == "3\n")
        let service = try RunningService(installation)
        #expect(try service.offer()["decision"] as? String == "offered")
    }

    @Test func `migrate says from where to where, once`() throws {
        let installation = try Installation()
        let made = try installation.holdfast("migrate", "--format", "json")
        #expect(made.exitCode == 0)
        #expect(try object(made)["from"] is NSNull)
        let newest = try #require(try object(made)["to"] as? String)
        let database = installation.folder.path("holdfast.sqlite")
        let stored = try run(
            "sqlite3", [database, "SELECT number || ' ' || name FROM schema_migration ORDER BY number DESC LIMIT 1"])
        #expect(stored.text == "\(newest)\n")
        let again = try installation.holdfast("migrate")
        #expect(again.exitCode == 0)
        #expect(again.text.hasSuffix("holdfast.sqlite' is up to date: '\(newest)'\n"))
        _ = try run("sqlite3", [database, "INSERT INTO schema_migration VALUES (99, 'from the future', 0)"])
        let refused = try installation.holdfast("migrate")
        #expect(refused.exitCode == 1)
        #expect(refused.errorText.contains("'99 from the future'"))
    }
}
