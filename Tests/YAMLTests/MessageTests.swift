import Testing
import YAML

@Suite struct MessageTests {
    @Test func `a diagnostic is one line that starts with path, line and column`() {
        let error = Diagnostic(.error, at: Mark(line: 14, column: 3), "unknown key 'holduot'; did you mean 'holdout'?")
        #expect(
            error.line(path: "Campaigns/keep.yaml")
                == "Campaigns/keep.yaml:14:3: error: unknown key 'holduot'; did you mean 'holdout'?")
        let warning = Diagnostic(.warning, at: Mark(line: 2, column: 1), "doubtful")
        #expect(warning.line(path: "a.yaml") == "a.yaml:2:1: warning: doubtful")
    }

    @Test func `diagnostics come in the order of the text, those of one place in the order they were found`() {
        let diagnostics = Diagnostics()
        diagnostics.error("third", at: Mark(line: 2, column: 10))
        diagnostics.warning("second", at: Mark(line: 2, column: 9))
        diagnostics.error("fourth", at: Mark(line: 2, column: 10))
        diagnostics.warning("first", at: Mark(line: 1, column: 80))
        #expect(diagnostics.all.map(\.message) == ["first", "second", "third", "fourth"])
        #expect(diagnostics.hasErrors)
    }

    @Test func `warnings alone are no errors`() {
        let diagnostics = Diagnostics()
        diagnostics.warning("doubtful", at: .start)
        #expect(!diagnostics.hasErrors)
    }

    @Test(arguments: [
        ("30 days", "'30 days'"), ("a\nb\tc\r", #"'a\nb\tc\r'"#), ("\u{1B}[31m", #"'\u{1b}[31m'"#),
        ("\u{202E}abc", #"'\u{202e}abc'"#), ("a\u{2028}b", #"'a\u{2028}b'"#), ("é😀", "'é😀'"),
        (String(repeating: "x", count: 80), "'\(String(repeating: "x", count: 80))'"),
        (String(repeating: "x", count: 81), "'\(String(repeating: "x", count: 80))…'"),
        ("-----BEGIN PRIVATE KEY-----\nMIGT", "'(a key, not shown)'"),
    ])
    func `a value in a message is one short harmless line`(text: String, expected: String) {
        #expect(quoted(text) == expected)
    }

    @Test func `a whole text is shown with what cannot be seen in it, however long it is`() {
        let long = String(repeating: "é😀 ", count: 100)
        #expect(visible(long) == long)
        #expect(visible(long + "\u{202E}\n") == long + #"\u{202e}\n"#)
    }

    @Test(arguments: [
        ("holduot", "holdout"), ("holdot", "holdout"), ("hholdout", "holdout"), ("Holdout", "holdout"),
        ("hulduut", "holdout"), ("xxldout", "holdout"), ("xxxdout", nil), ("rule", "rules"), ("", nil), ("zzz", nil),
        ("ab", nil), ("rulse", "rules"),
    ])
    func `the closest word is found within one slip for every three letters`(word: String, expected: String?) {
        #expect(closestMatch(to: word, among: ["holdout", "rules", "limits"]) == expected)
    }

    @Test func `the first of equally near words is taken, and a very long word is near to nothing`() {
        #expect(closestMatch(to: "lost", among: ["list", "last"]) == "list")
        #expect(closestMatch(to: "lost", among: ["mast", "last"]) == "last")
        let long = String(repeating: "a", count: 100_000)
        #expect(closestMatch(to: long, among: [long]) == nil)
    }

    @Test(arguments: [
        ("45m", 2_700_000), ("24h", 86_400_000), ("90d", 7_776_000_000), ("2w", 1_209_600_000), ("0d", 0),
        ("36500d", 3_153_600_000_000),
    ])
    func `spans are whole numbers with a unit`(text: String, expected: Int64) {
        #expect(milliseconds(ofSpan: text) == expected)
    }

    @Test(arguments: [
        "", "d", "30", "30 days", "30 d", "1.5h", "-1d", "+1d", "010d", "30D", "30s", "1d12h", " 1d", "٣d", "36501d",
        "9223372036854775807w", "99999999999999999999d",
    ])
    func `anything else is no span`(text: String) {
        #expect(milliseconds(ofSpan: text) == nil)
    }

    @Test(arguments: [("90d", "90d"), ("24h", "1d"), ("2w", "14d"), ("90m", "90m"), ("0h", "0m"), ("36h", "36h")])
    func `a span is shown in the largest unit up to days that fits`(text: String, expected: String) throws {
        #expect(span(ofMilliseconds: try #require(milliseconds(ofSpan: text))) == expected)
    }
}
