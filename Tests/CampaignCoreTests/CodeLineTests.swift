import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Lines of code files` {
    private static let app: AppAppleID = 6_400_000_001

    /// What each line of a text comes to: a code, `-` for nothing, `!` for a fault.
    private static func read(_ text: String) -> [String] {
        var reader = CodeLineReader(appAppleId: app)
        return text.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast().map { line in
            Array(line).withUnsafeBufferPointer { bytes in
                switch reader.read(bytes) {
                case .code(let code): String(decoding: code, as: UTF8.self)
                case .nothing: "-"
                case .fault(let fault): "! \(fault.description)"
                }
            }
        }
    }

    @Test func `C01 a header is no code, with or without codes behind it`() {
        #expect(Self.read("TIDE7Q2M\nTIDE8W5N\n") == ["TIDE7Q2M", "TIDE8W5N"])
        #expect(Self.read("Code\nTIDE7Q2M\nTIDE8W5N\n") == ["-", "TIDE7Q2M", "TIDE8W5N"])
        #expect(Self.read("code\n") == ["-"])
        #expect(Self.read("TIDE7Q2M\nCODE\n")[1].hasPrefix("! the word 'code'"))
        #expect(Self.read("Offer Code;Link\nTIDE7Q2M\n") == ["-", "TIDE7Q2M"])
        #expect(Self.read("CODE1\nCODE22\n1CODES\n") == ["CODE1", "CODE22", "1CODES"])
    }

    @Test func `C03 quotes, blanks, line ends and a column of links are read`() {
        let link = "https://apps.apple.com/redeem?ctx=offercodes&id=6400000001&code=TIDE7Q2M"
        #expect(
            Self.read("code,url\r\n\" TIDE7Q2M \",\(link)\r\n\r\nTIDE8W5N,\r\n") == [
                "-", "TIDE7Q2M", "-", "TIDE8W5N",
            ])
        let other = link.replacingOccurrences(of: "6400000001", with: "6400000009")
        #expect(Self.read("TIDE7Q2M,\(other)\n") == ["! the link is for the app '6400000009'; import it for that app"])
        #expect(Self.read("TIDE8W5N,\(link)\n") == ["! the link has another code than the first column"])
        #expect(Self.read("TIDE7Q2M;\(link)\n") == ["TIDE7Q2M"])
        #expect(Self.read("tide7q2m,\(link)\n") == ["TIDE7Q2M"])
    }

    @Test(arguments: [
        ("A,B,C\n", "! 3 columns"), ("\"TIDE\n", "! a quote"), ("TIDE-1\n", "! 'TIDE-1' is no code"),
        (",https://apps.apple.com/redeem?code=A\n", "! the first column is empty"), ("A B\n", "! 'A B' is no code"),
        ("TIDE7Q2M,http://example.com/?code=TIDE7Q2M\n", "! 'http://example.com"), ("\u{FEFF}A\n", "! "),
        (String(repeating: "A", count: 65) + "\n", "! "),
    ])
    func `a line that is none is refused with its reason`(text: String, beginning: String) {
        let found = Self.read(text)
        #expect(found.count == 1 && found[0].hasPrefix(beginning), "\(found)")
    }

    @Test(arguments: [
        ("\"Q1Q2\"x\n", "! text stands behind a closing quote"), ("\"Q1\" \"Q2\"\n", "! text stands behind"),
        ("\"Q1Q2\"x,\n", "! text stands behind"), ("A1,\"https://apps.apple.com/redeem?\"x\n", "! text stands behind"),
        ("x\"Q1Q2\"\n", "! 'x\"Q1Q2\"' is no code"), ("\"Q1\"\"Q2\"\n", "! 'Q1\"Q2' is no code"),
        ("A1,\"open\n", "! a quote is not closed"), (" \"Q1Q2\" \n", "Q1Q2"), ("\"Q1Q2\"\t,\n", "Q1Q2"),
    ])
    func `quotes enclose a whole cell or are no quotes`(text: String, beginning: String) {
        let found = Self.read(text)
        #expect(found.count == 1 && found[0].hasPrefix(beginning), "\(found)")
    }

    @Test(arguments: [
        ("SECRETCODE12345670X!\n", "! 'SECR••••••••••••••••' is no code; a code has 1 to 64 letters and digits"),
        ("ABCD-EFGH\n", "! 'ABCD•••••' is no code; a code has 1 to 64 letters and digits"),
        ("ABC-EFGH\n", "! 'ABC-EFGH' is no code; a code has 1 to 64 letters and digits"),
        (
            "\(String(repeating: "A", count: 65))\n",
            "! 'AAAA••••••••••••••••••••…' is no code; a code has 1 to 64 letters and digits"
        ),
        (
            "TIDE7Q2M,SECRETCODE12345670X\n",
            "! 'SECR•••••••••••••••' is no redemption link; it begins with 'https://apps.apple.com/redeem?'"
        ),
        (
            "TIDE7Q2M,http://apps.apple.com/redeem?code=TIDE7Q2M\n",
            "! 'http://apps.apple.com/…' is no redemption link; it begins with 'https://apps.apple.com/redeem?'"
        ),
    ])
    func `a refused line does not show a code`(text: String, message: String) {
        #expect(Self.read(text) == [message])
    }

    @Test(arguments: [
        ("2026-10-05", "2026-09-05T12:00:00Z", "2026-10-06T00:00:00Z"),
        ("2027-03-05", "2026-09-05T12:00:00Z", "2027-03-06T00:00:00Z"),
        ("2027-03-06", "2026-09-05T12:00:00Z", "tooLate"), ("2026-09-04", "2026-09-05T12:00:00Z", "past"),
        ("2026-02-30", "2026-09-05T12:00:00Z", "notADate"), ("soon", "2026-09-05T12:00:00Z", "notADate"),
        ("2026-10-05T12:00:00+02:00", "2026-09-05T12:00:00Z", "2026-10-05T10:00:00Z"),
        ("2027-02-28", "2026-08-31T00:00:00Z", "2027-03-01T00:00:00Z"),
        ("2027-03-01", "2026-08-31T00:00:00Z", "tooLate"),
    ])
    func `C06 C07 a date means the end of its day, at most six months after the codes were made`(
        text: String, created: String, expected: String
    ) throws {
        let instant = try #require(Instant(rfc3339: created))
        let found: String
        do {
            found = try CodeExpiry(text, created: instant, now: instant, zone: .utc).expiresDate.description
        } catch {
            found = "\(error)".isEmpty ? "" : String(describing: error as Any)
            let name: String =
                switch error {
                case .notADate: "notADate"
                case .past: "past"
                case .tooLate: "tooLate"
                }
            #expect(name == expected)
            // The service answers with these words, too.
            #expect(!error.description.contains("--") && error.description.contains("'created'") == (name == "tooLate"))
            return
        }
        #expect(found == expected)
    }

    @Test func `a quarter is that of the zone's calendar`() throws {
        let file = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Asia/Tokyo"))
        let tokyo = try #require(TimeZoneRules(name: "Asia/Tokyo", file: Array(file)))
        let instant = try #require(Instant(rfc3339: "2026-12-31T16:00:00Z"))
        #expect(CalendarQuarter(at: instant, in: .utc).description == "2026-Q4")
        #expect(CalendarQuarter(at: instant, in: tokyo).description == "2027-Q1")
        #expect(CalendarQuarter(at: instant, in: tokyo).begins(in: tokyo).description == "2026-12-31T15:00:00Z")
        #expect(CalendarQuarter(at: instant, in: .utc).ends(in: .utc).description == "2027-01-01T00:00:00Z")
    }
}
