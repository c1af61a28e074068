import Foundation
import TestSupport
import Testing

@testable import CampaignCore

@Suite struct `JSON parser` {
    @Test func `Python accepts and refuses the same texts, and reads them to the same values`() throws {
        let texts = Self.texts + Self.mangled()
        let input = try JSONSerialization.data(withJSONObject: texts.map { Data($0).base64EncodedString() })
        let python = try run("python3", ["-c", Self.referee], input: input)
        #expect(python.exitCode == 0, "\(python.errorText)")
        let expected = python.text.split(separator: "\n").map(String.init)
        try #require(expected.count == texts.count)
        var accepted = 0
        for (text, expected) in zip(texts, expected) {
            var parser = JSONParser(text)
            let value = try? parser.parse()
            let isUsable = value != nil && parser.repeatedKeys.isEmpty
            #expect(
                (isUsable ? value.map(Self.canonical) : "refused") == expected,
                "\(String(decoding: text, as: UTF8.self))")
            accepted += isUsable ? 1 : 0
        }
        #expect((200...texts.count - 200).contains(accepted))
    }

    @Test func `depth and count are limited`() {
        let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(throws: Never.self) { try Self.parse(deepest) }
        #expect(throws: JSONSyntaxError(line: 1, column: 33, message: "nested more than 32 levels deep")) {
            try Self.parse("[\(deepest)]")
        }
        #expect(throws: JSONSyntaxError.self) { try Self.parse(String(repeating: "[", count: 1_000_000)) }
        var three = JSONParser(Array("[1,2]".utf8), valueCountMaximum: 3)
        #expect(throws: Never.self) { try three.parse() }
        var four = JSONParser(Array("[1,{\"a\":2}]".utf8), valueCountMaximum: 3)
        #expect(throws: JSONSyntaxError(line: 1, column: 9, message: "more than 3 values")) { try four.parse() }
    }

    @Test(arguments: [
        ("{\n  \"é\" : ?\n}", 2, 9), ("[1,2", 1, 5), ("\"a\\qb\"", 1, 3), ("[\"\\ud83d\"]", 1, 3), ("{} {}", 1, 4),
        ("\"a\nb\"", 1, 3),
        ("[01]", 1, 3), ("\"\\u12", 1, 6),
    ])
    func `a fault is where a reader would look for it`(text: String, line: Int, column: Int) throws {
        let fault = try #require(throws: JSONSyntaxError.self) { try Self.parse(text) }
        #expect((fault.line, fault.column) == (line, column), "\(fault)")
    }

    @Test(arguments: [
        #""text \" with escapes""#, "12.5e3", "true", "null", #"{"a":["b",{"privateKey":1}],"c":{}}"#, #"["x",2]"#,
    ])
    func `the value of a secret key is never kept, whatever it is`(value: String) throws {
        var parser = JSONParser(Array(#"{"id":"A","privateKey": \#(value) ,"z":1}"#.utf8), secretKeys: ["privateKey"])
        #expect(try parser.parse() == ["id": "A", "privateKey": .null, "z": .number("1")])
    }

    private static func parse(_ text: String) throws -> JSON {
        var parser = JSONParser(Array(text.utf8))
        return try parser.parse()
    }

    private static let texts: [[UInt8]] =
        [
            "0", "-0", "-", "+1", "1.", ".5", "1.5", "1e5", "1E+05", "1e", "01", "-01", "0x1", "Infinity", "NaN",
            "true", "True",
            "nul", "null", "\"\"", "\"", "'a'", "\"\\/\\b\\f\\n\\r\\t\\\"\\\\\"", "\"\\u00e9\\ud83d\\ude00\"",
            "\"\u{7f}\"", "\"\t\"",
            "[]", "[ ]", "[,]", "[1,]", "[1 2]", "{}", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}",
            "{\"a\":{\"b\":[1,null,{}]}}", "{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}", "{\"e\\u0301\":1}", " 1 ",
            "1 1", "", " ",
            "\u{FEFF}1", "\u{FEFF}", "/* */1", "1 // one", "[\u{A0}1]", "\"👩‍👩‍👧\"",
        ].map { Array($0.utf8) } + [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x31, 0x00],
        ]

    /// A text with one or two bytes changed, dropped or doubled, many times over.
    private static func mangled() -> [[UInt8]] {
        let seed =
            ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
        print("JSON parser: HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let whole = Array(#"{"id" : "A\n\u00e9é", "n":[1,-2.5e3,0,true,false,null],"o":{"p":{},"q":""}}"#.utf8)
        let spare = Array(#"{}[]",:\u0e1-+. tfn"#.utf8) + [0x00, 0x0A, 0x80, 0xC3]
        return (0..<2_000).map { _ in
            var text = whole
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let at = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text[at] = spare[Int.random(in: 0..<spare.count, using: &generator)]
                case 1: text.remove(at: at)
                default: text.insert(text[at], at: at)
                }
            }
            return text
        }
    }

    private static func canonical(_ value: JSON) -> String {
        switch value {
        case .null: "n"
        case .bool(let bool): bool ? "t" : "f"
        case .number(let digits): "#" + digits
        case .string(let text): hex(text)
        case .array(let values): "[" + values.map(canonical).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(hex($0.key)):\(canonical($0.value))" }.sorted().joined(separator: ",") + "}"
        }
    }

    private static func hex(_ text: String) -> String {
        "'" + text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }

    private static let referee = """
        import base64, json, sys
        class Refused(Exception): pass
        def refuse(_): raise Refused()
        def pairs(items):
            if len(dict(items)) != len(items): raise Refused()
            return dict(items)
        def text(t): return "'" + t.encode("utf-8").hex() + "'"
        def canonical(v):
            if v is None: return "n"
            if v is True: return "t"
            if v is False: return "f"
            if isinstance(v, tuple): return "#" + v[0]
            if isinstance(v, str): return text(v)
            if isinstance(v, list): return "[" + ",".join(map(canonical, v)) + "]"
            return "{" + ",".join(sorted(text(k) + ":" + canonical(x) for k, x in v.items())) + "}"
        for raw in json.load(sys.stdin):
            try:
                value = json.loads(base64.b64decode(raw).decode("utf-8-sig"), parse_constant=refuse,
                    parse_int=lambda d: (d,), parse_float=lambda d: (d,), object_pairs_hook=pairs)
                print(canonical(value))
            except (Refused, ValueError):
                print("refused")
        """
}
