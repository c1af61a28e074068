import Foundation
import TestSupport
import Testing

@Suite struct DoctorCommandTests {
    /// The lines of `doctor`, and its exit code.
    private func lines(_ installation: Installation, _ arguments: String...) throws -> ([String], Int32) {
        let result = try run(
            Surroundings.holdfast, ["doctor"] + arguments, environment: ["HOLDFAST_CONFIG": ""],
            in: installation.folder.url)
        #expect(result.errorText == "")
        return (result.text.split(separator: "\n").map(String.init), result.exitCode)
    }

    @Test func `a sound installation passes with one line a check`() throws {
        let (lines, exitCode) = try lines(try Installation())
        #expect(exitCode == 0)
        let subjects = lines.map { $0.dropFirst(6).prefix { $0 != ":" } }
        #expect(
            subjects == [
                "configuration", "catalogue", "key ABC123DEFG", "quota", "campaigns", "roots", "database", "log",
                "disk", "clock",
            ])
        #expect(lines.filter { !$0.hasPrefix("ok    ") }.map { $0.prefix(11) } == ["warn  quota"])
    }

    @Test func `the log is counted, and noted when its old entries do not leave`() throws {
        let empty = try lines(Installation()).0.filter { $0.contains("  log: ") }
        #expect(empty == ["ok    log: no notification has come yet; entries are kept for 400 days"])
        let year = try SimulatedYear(subscribers: 3).imported()
        let count = year.lines.count
        let fresh = try #require(lines(year.installation).0.first { $0.contains("  log: ") })
        #expect(fresh.hasPrefix("ok    log: \(count) entries, 0.0 MiB of payloads, the oldest came at 20"), "\(fresh)")
        try year.sql("UPDATE signed_payload SET received_date = 1700000000123 WHERE id = 1")
        try year.installation.edit("# retention: { notificationLog: 400d }", "retention: { notificationLog: 30d }")
        let (stale, exitCode) = try lines(year.installation)
        #expect(exitCode == 0)
        let note = try #require(stale.first { $0.contains("  log: ") })
        #expect(note.hasPrefix("warn  log: \(count) entries, "), "\(note)")
        #expect(
            note.contains("came at 2023-11-14T22:13:20.123Z; kept for 30 days; older ones leave while the service runs")
        )
    }

    @Test func `the quota is noted only above what Apple states`() throws {
        let installation = try Installation()
        for (limit, isNoted) in [("1000001", true), ("1000000", false)] {
            try installation.edit(
                "# offerCodes: { quarterlyLimit: 10000000,", "offerCodes: { quarterlyLimit: \(limit),")
            let notes = try lines(installation).0.filter { $0.contains("quota") }
            #expect(notes.count == (isNoted ? 1 : 0))
            try installation.edit(
                "offerCodes: { quarterlyLimit: \(limit),", "# offerCodes: { quarterlyLimit: 10000000,")
        }
    }

    @Test func `a configuration that does not read is the only check`() throws {
        let installation = try Installation()
        try installation.edit("appAppleId: 6400000001", "appAppleID: 6400000001")
        let (lines, exitCode) = try lines(installation)
        #expect(exitCode == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("FAIL  configuration: holdfast.yaml:") })
        #expect(lines.contains { $0.contains("did you mean 'appAppleId'?") })
    }

    @Test func `a warning beside an error stays a warning`() throws {
        let installation = try Installation()
        try installation.edit("keyId: ABC123DEFG", "keyId: ABC")
        try installation.edit("environments: [Production, Sandbox]", "environments: [Nowhere]")
        let (lines, exitCode) = try lines(installation)
        #expect(exitCode == 2)
        #expect(lines.contains { $0.hasPrefix("warn  configuration: ") && $0.contains(": warning: ") }, "\(lines)")
        #expect(!lines.contains { $0.hasPrefix("FAIL") && $0.contains(": warning: ") })
    }

    /// One thing made wrong in a sound installation, and the line that names it.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let line: String
        let spoil: @Sendable (Installation) throws -> Void
    }

    static let faults = [
        Fault(
            testDescription: "a key that others can read",
            line: #"FAIL  key ABC123DEFG: .*is open to others \(mode '0640'\); run chmod 600"#
        ) { installation in
            let file = installation.folder.path(Installation.keyFile)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        },
        Fault(testDescription: "a key on another curve", line: "FAIL  key ABC123DEFG: .*'secp384r1'") { installation in
            let pem = try openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]).output
            try installation.folder.write(pem, to: Installation.keyFile)
        },
        Fault(testDescription: "an RSA key", line: "FAIL  key ABC123DEFG: .*'RSA'") { installation in
            try installation.folder.write(
                try openssl(["genpkey", "-algorithm", "RSA"]).output, to: Installation.keyFile)
        },
        Fault(testDescription: "a catalogue with an error", line: "FAIL  catalogue: .*'reader.monthly'") {
            try $0.folder.write(CatalogCommandTests.broken, to: "Reader.storekit")
        },
        Fault(
            testDescription: "a campaign with an error",
            line: "FAIL  campaigns: .*keep-readers.yaml:8:9: error: 'status' is 'darft'; did you mean 'draft'"
        ) { installation in
            let path = installation.folder.path("Campaigns/keep-readers.yaml")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try installation.folder.write(
                text.replacing("status: draft ", with: "status: darft "), to: "Campaigns/keep-readers.yaml")
        },
        Fault(testDescription: "a database of another program", line: "FAIL  database: .*is not a Holdfast database") {
            let made = try run("sqlite3", [$0.folder.path("holdfast.sqlite"), "CREATE TABLE other (id)"])
            #expect(made.exitCode == 0)
        },
        Fault(testDescription: "a root that is no certificate", line: "FAIL  roots: certificate file") {
            try $0.edit("# trust: { rootCertificates: [] }", "trust: { rootCertificates: [Reader.storekit] }")
        },
    ]

    @Test(arguments: faults)
    func `each fault fails its check and no other`(fault: Fault) throws {
        let installation = try Installation()
        try fault.spoil(installation)
        let (lines, exitCode) = try lines(installation)
        #expect(exitCode == 2)
        let failed = lines.filter { $0.hasPrefix("FAIL") }
        #expect(failed.count == 1, "\(failed)")
        #expect(try failed.first?.firstMatch(of: Regex(fault.line)) != nil, "\(failed)")
    }

    @Test func `a file named after another key is a warning`() throws {
        let installation = try Installation()
        let folder = installation.folder
        try FileManager.default.moveItem(
            atPath: folder.path(Installation.keyFile), toPath: folder.path("SubscriptionKey_ZZZ999ZZZ9.p8"))
        try installation.edit(Installation.keyFile, "SubscriptionKey_ZZZ999ZZZ9.p8")
        let (lines, exitCode) = try lines(installation)
        #expect(exitCode == 0)
        #expect(lines.contains { $0.hasPrefix("warn  key ABC123DEFG: ") && $0.contains("'ZZZ999ZZZ9'") })
    }

    @Test func `every live key of a rotation is checked, and told whether it signs`() throws {
        let installation = try Installation()
        try installation.addKey("NEWKEY0001")
        let sound = try lines(installation)
        #expect(sound.1 == 0)
        let keys = sound.0.filter { $0.contains("key ") }
        #expect(keys.count == 2)
        #expect(keys[0].hasPrefix("ok    key NEWKEY0001: ") && keys[0].hasSuffix("; it signs"))
        #expect(
            keys[1].hasPrefix("ok    key ABC123DEFG: ") && keys[1].hasSuffix("; known, the first of the list signs"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: installation.folder.path(Installation.keyFile))
        let spoiled = try lines(installation)
        #expect(spoiled.1 == 2)
        #expect(spoiled.0.contains { $0.hasPrefix("FAIL  key ABC123DEFG: ") })
    }

    @Test func `a root of one's own beside Production is a warning`() throws {
        let chain = try PrivateChain()
        let installation = try Installation()
        try installation.edit("# trust: { rootCertificates: [] }", "trust: { rootCertificates: [\(chain.root)] }")
        let (lines, exitCode) = try lines(installation)
        #expect(exitCode == 0)
        #expect(lines.contains { $0.hasPrefix("ok    roots: ") && $0.contains("CN=Root") })
        #expect(lines.contains { $0.hasPrefix("warn  roots: 'trust: rootCertificates' replaces Apple's root") })
    }

    @Test(arguments: ["1970-01-01T00:00:00Z", "2025-12-31T23:59:59Z", "2039-05-01T00:00:00Z"])
    func `a clock that cannot be right fails`(instant: String) throws {
        let (lines, exitCode) = try lines(try Installation(), "--at", instant)
        #expect(exitCode == 2)
        #expect(lines.contains { $0.hasPrefix("FAIL  clock: it is \(instant), which cannot be") })
    }

    @Test func `a clock behind the configuration's own file is a warning`() throws {
        let (lines, exitCode) = try lines(try Installation(), "--at", "2026-01-02T00:00:00Z")
        #expect(exitCode == 0)
        #expect(
            lines.contains { $0.hasPrefix("warn  clock: it is 2026-01-02T00:00:00Z, but 'holdfast.yaml' was saved") })
    }

    @Test func `JSON holds the same checks`() throws {
        let installation = try Installation()
        let result = try installation.holdfast("doctor", "--format", "json")
        #expect(result.exitCode == 0)
        let checks = try #require(try object(result)["checks"] as? [[String: String]])
        #expect(checks.count == 10)
        #expect(checks.map { $0["outcome"] } == ["ok", "ok", "ok", "warn", "ok", "ok", "ok", "ok", "ok", "ok"])
    }
}
