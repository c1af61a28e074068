import Foundation
import TestSupport
import Testing

/// `codes import` as a marketer uses it. The app of the installation is 6400000001; its offer is SPRING on reader.annual.
@Suite struct CodesImportTests {
    private let installation: Installation
    private static let link = "https://apps.apple.com/redeem?ctx=offercodes&id="

    init() throws {
        installation = try Installation()
    }

    private var database: String { installation.folder.path("holdfast.sqlite") }

    private func importCodes(_ words: String..., expires: String = "2027-03-05", at: String = "2026-11-30T12:00:00Z")
        throws -> ChildResult
    {
        let line =
            ["codes", "import", "--offer", "SPRING", "--product", "reader.annual", "--expires", expires, "--at", at]
            + words
        return try run(Surroundings.holdfast, line, environment: ["HOLDFAST_CONFIG": ""], in: installation.folder.url)
    }

    private func sqlite3(_ script: String) throws -> String { try run("sqlite3", [database, script]).text }

    @Test func `a file is loaded, and again changes nothing`() throws {
        try installation.folder.write(
            "code,url\r\nTIDE7Q2M,\(Self.link)6400000001&code=TIDE7Q2M\r\nTIDE8W5N,\r\n", to: "c.csv")
        let first = try importCodes("c.csv", "--batch", "spring")
        #expect(
            first.text == """
                batch 'spring': 2 codes loaded, 0 duplicates dropped; expires 2027-03-06T00:00:00Z
                quota of 2026-Q4: 2 of 10000000 used, 9999998 left until 2027-01-01T00:00:00Z (UTC)

                """, "\(first.errorText)")
        let dump = try sqlite3(".dump")
        let again = try importCodes("c.csv")
        #expect(again.exitCode == 0)
        #expect(again.text.hasPrefix("batch 'spring' has these codes already: 0 new, 2 duplicates; "))
        // The same codes in other bytes.
        try installation.folder.write("tide8w5n\ntide7q2m\n", to: "d.csv")
        #expect(try importCodes("d.csv", "--batch", "spring").text.hasPrefix("batch 'spring' has these codes already"))
        #expect(try sqlite3(".dump") == dump)
        let quota = try object(
            try installation.holdfast("codes", "quota", "--format", "json", "--at", "2026-11-30T12:00:00Z"))
        let apps = try #require(quota["apps"] as? [[String: Any]])
        let quarters = try #require(apps.first?["quarters"] as? [[String: Any]])
        #expect(quarters.map { $0["quarter"] as? String } == ["2026-Q4", "2027-Q1"])
        #expect(quarters.map { $0["used"] as? Int } == [2, 0])
        #expect(quarters.map { $0["resetsDate"] as? Int } == [1_798_761_600_000, 1_806_537_600_000])
    }

    @Test func `gzip, a folder and standard input are read`() throws {
        try installation.folder.write("AAA\nBBB\n", to: "a.csv")
        #expect(
            try run(
                "sh", ["-c", "mkdir in && gzip -c a.csv > in/a.gz && printf 'CCC\\nDDD' > in/b.csv"],
                in: installation.folder.url
            ).exitCode == 0)
        let folder = try importCodes("in")
        #expect(folder.text.contains(": 4 codes loaded"), "\(folder.errorText)")
        let words =
            "codes import - --offer SPRING --product reader.annual --expires 2027-03-05 --at 2026-11-30T12:00:00Z"
        let piped = try run(
            "sh", ["-c", "printf 'EEE\\nFFF\\n' | gzip | '\(Surroundings.holdfast)' --config holdfast.yaml \(words)"],
            in: installation.folder.url)
        #expect(piped.text.contains(": 2 codes loaded"), "\(piped.errorText)")
        let half = try run("sh", ["-c", "head -c 30 in/a.gz > half.gz"], in: installation.folder.url)
        #expect(half.exitCode == 0)
        #expect(try importCodes("half.gz").errorText.hasPrefix("error: half.gz:2: the gzip is damaged or ends early"))
    }

    @Test func `what is bad is told in one message with its file and line, and changes nothing`() throws {
        try installation.folder.write("TAKEN1\n", to: "first.csv")
        #expect(try importCodes("first.csv", "--batch", "first", "--environment", "Sandbox").exitCode == 0)
        let dump = try sqlite3(".dump")
        let bad: [(Data, String)] = [
            (Data(), "error: bad.csv:1: the file has no code"),
            (Data("code\n".utf8), "error: bad.csv:1: the file has no code"),
            (
                Data("A1\nA2,\(Self.link)6400000009&code=A2\n".utf8),
                "error: bad.csv:2: the link is for the app '6400000009'"
            ),
            (Data("A1,\(Self.link)6400000001&code=A2\n".utf8), "error: bad.csv:1: the link has another code"),
            (Data("A1;\(Self.link)6400000001&code=A2\n".utf8), "error: bad.csv:1: the link has another code"),
            (Data("A1\nA-2\n".utf8), "error: bad.csv:2: 'A-2' is no code"),
            (Data([0xFF, 0xFE, 0x41, 0x00, 0x0A, 0x00]), "error: bad.csv:1: the file is UTF-16"),
            (Data([0x41, 0x0A, 0x7F, 0x45, 0x4C, 0x46, 0x02, 0x00]), "error: bad.csv:2: the file is no text"),
            (Data("A1\n\(String(repeating: "x", count: 1 << 20))\n".utf8), "error: bad.csv:2: more than 4096 bytes"),
            (Data("A1\nTAKEN1\n".utf8), "error: bad.csv:2: the code TA•••• is in the batch 'first' of Sandbox already"),
        ]
        for (data, message) in bad {
            try installation.folder.write(data, to: "bad.csv")
            let result = try importCodes("bad.csv")
            #expect(result.exitCode == 2 && result.text == "", "\(message)")
            #expect(result.errorText.hasPrefix(message), "\(result.errorText)")
            #expect(result.errorText.split(separator: "\n").count == 2, "\(result.errorText)")
        }
        try installation.folder.write("A1\n", to: "good.csv")
        let lines: [(ChildResult, String)] = [
            (
                try importCodes("good.csv", expires: "2026-11-29"),
                "error: '--expires' is '2026-11-29': the codes expired"
            ),
            (
                try importCodes("good.csv", expires: "2027-05-31"),
                "error: '--expires' is '2027-05-31': that is more than six"
            ),
            (
                try importCodes("good.csv", "--created", "2026-12-01T00:00:00Z"),
                "error: the codes cannot be made at 2026-12-01"
            ),
            (
                try importCodes("good.csv", "--batch", "first", "--environment", "Sandbox"),
                "error: the batch 'first' has other codes"
            ),
            (
                try importCodes("good.csv", "--time-zone", "Europe/Berlim"),
                "error: there is no time zone 'Europe/Berlim'"
            ),
        ]
        for (result, message) in lines {
            #expect(result.exitCode == 2, "\(message)")
            #expect(result.errorText.hasPrefix(message), "\(result.errorText)")
        }
        for (offer, product, message) in [
            (
                "SPRNG", "reader.annual",
                "error: the subscription 'reader.annual' has no code offer 'SPRNG'; it has 'SPRING'; did"
            ),
            ("SPRING", "reader.anual", "error: no subscription 'reader.anual' in "),
        ] {
            let result = try installation.holdfast(
                "codes", "import", "good.csv", "--offer", offer, "--product", product, "--expires", "2027-03-05",
                "--at",
                "2026-11-30T12:00:00Z")
            #expect(result.exitCode == 2)
            #expect(result.errorText.hasPrefix(message), "\(result.errorText)")
        }
        try installation.edit("# offerCodes: { quarterlyLimit: 10000000", "offerCodes: { quarterlyLimit: 1")
        try installation.folder.write("A1\nA2\n", to: "two.csv")
        let passed = try importCodes("two.csv")
        #expect(passed.exitCode == 2)
        #expect(
            passed.errorText.hasPrefix("error: 2 codes would pass the limit of 1 in 2026-Q4: 0 are used, 1 are left"))
        #expect(try sqlite3(".dump") == dump)
        #expect(try importCodes("good.csv").exitCode == 0)
    }

    @Test func `refused lines are written to a file with their reasons`() throws {
        try installation.folder.write("A1\nA 2\nA3,x\nSECRETCODE12345670X!\n", to: "a.csv")
        let result = try importCodes("a.csv", "--rejects", "rejects.csv")
        #expect(result.exitCode == 2)
        let rejects = try String(contentsOfFile: installation.folder.path("rejects.csv"), encoding: .utf8)
        #expect(
            rejects == """
                file,line,reason
                a.csv,2,'A 2' is no code; a code has 1 to 64 letters and digits
                a.csv,3,'x' is no redemption link; it begins with 'https://apps.apple.com/redeem?'
                a.csv,4,'SECR••••••••••••••••' is no code; a code has 1 to 64 letters and digits

                """)
        #expect(!result.errorText.contains("SECRET"), "\(result.errorText)")
        let mode = try FileManager.default.attributesOfItem(atPath: installation.folder.path("rejects.csv"))
        #expect(mode[.posixPermissions] as? Int == 0o600)
        #expect(
            try importCodes("a.csv", "--rejects", "rejects.csv").errorText.hasPrefix(
                "error: 'rejects.csv' exists already"))
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13])
    func `an import that is killed leaves nothing, and works when it is run again`(hundredths: Int) throws {
        var random = SeededGenerator(seed: UInt64(hundredths))
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        var text: [UInt8] = []
        for _ in 0..<60_000 {
            for _ in 0..<18 { text.append(alphabet[Int.random(in: 0..<36, using: &random)]) }
            text.append(10)
        }
        try installation.folder.write(Data(text), to: "many.csv")
        let words =
            "codes import many.csv --offer SPRING --product reader.annual --expires 2027-03-05 --at 2026-11-30T12:00:00Z"
        _ = try run(
            "timeout",
            ["-s", "KILL", "0.\(hundredths < 10 ? "0" : "")\(hundredths * 7 % 100)", Surroundings.holdfast]
                + words.split(separator: " ").map(String.init),
            environment: ["HOLDFAST_CONFIG": ""], in: installation.folder.url)
        let status = try object(try installation.holdfast("codes", "status", "--check", "--format", "json"))
        let before = try #require(status["batches"] as? [Any]).count
        let again = try importCodes("many.csv")
        #expect(again.exitCode == 0)
        #expect(again.text.contains(before == 0 ? ": 60000 codes loaded" : "has these codes already"))
        #expect(try sqlite3("SELECT count(*), sum(total) FROM code_batch") == "1|60000\n")
        #expect(try sqlite3("SELECT count(*) FROM code_block") == "300\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: installation.folder.url.path)
        #expect(!names.contains { $0.contains("sorting") })
    }
}
