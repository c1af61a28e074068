import Foundation
import TestSupport
import Testing
import YAML

/// A tree without places, in the form that Python prints: text, list, or `{"map": [[key, value], …]}`.
private indirect enum Tree: Hashable, Codable {
    case text(String)
    case list([Tree])
    case map([[Tree]])

    private enum CodingKeys: CodingKey { case map }

    init(_ node: Node) {
        switch node.content {
        case .scalar(let scalar): self = .text(scalar.text)
        case .sequence(let nodes): self = .list(nodes.map(Tree.init))
        case .mapping(let entries): self = .map(entries.map { [.text($0.key), Tree($0.value)] })
        }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: CodingKeys.self) {
            self = .map(try container.decode([[Tree]].self, forKey: .map))
        } else if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .text(text)
        } else {
            self = .list(try decoder.singleValueContainer().decode([Tree].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .list(let items): try container.encode(items)
        case .map(let entries): try container.encode(["map": entries])
        }
    }
}

/// What PyYAML's BaseLoader, which guesses no types either, makes of each text; nil for what it refuses.
private func treesOfPyYAML(_ texts: [String]) throws -> [Tree?] {
    let program = """
        import json, sys, yaml
        def tree(value):
            if isinstance(value, dict):
                return {"map": [[tree(key), tree(item)] for key, item in value.items()]}
            return [tree(item) for item in value] if isinstance(value, list) else value
        answers = []
        for text in json.load(sys.stdin.buffer):
            try:
                answers.append(tree(yaml.load(text, Loader=yaml.BaseLoader)))
            except (yaml.YAMLError, ValueError):
                answers.append(None)
        json.dump(answers, sys.stdout)
        """
    let result = try run("/usr/bin/python3", ["-c", program], input: JSONEncoder().encode(texts))
    try #require(result.exitCode == 0, "python3-yaml is needed: \(result.errorText)")
    return try JSONDecoder().decode([Tree?].self, from: result.output)
}

/// Writes random trees as YAML in every style that a person uses.
private struct Writer {
    var random: SeededGenerator

    static let words = [
        "a", "no", "22:00", "-1", "~", "null", "é", "reader.annual", "a b", "https://example.com/xy=1#z", "x#y", "5%",
        "<<", "=", "it's", "a, b", "", " ", "two\nlines", "tail ", "#", "- x", "a: b", "\"", "\\", "\u{1F600}", "\t",
        "?",
    ]

    mutating func tree(depth: Int) -> Tree {
        switch depth > 3 ? 0 : Int.random(in: 0..<4, using: &random) {
        case 0, 1: return .text(word())
        case 2: return .list((0..<Int.random(in: 0..<4, using: &random)).map { _ in tree(depth: depth + 1) })
        default:
            let keys = Set((0..<Int.random(in: 0..<4, using: &random)).map { _ in word() }).sorted()
            return .map(keys.map { [.text($0), tree(depth: depth + 1)] })
        }
    }

    mutating func word() -> String { Self.words.randomElement(using: &random) ?? "" }

    /// `tree` as what follows a key or a dash: a block on lines of its own, or a value on the same line.
    mutating func value(_ tree: Tree, indent: Int) -> String {
        let space = String(repeating: " ", count: indent)
        switch tree {
        case .list(let items) where !items.isEmpty && Bool.random(using: &random):
            return "\n" + items.map { "\(space)-\(value($0, indent: indent + 2))" }.joined()
        case .map(let entries) where !entries.isEmpty && Bool.random(using: &random):
            return "\n" + entries.map { "\(space)\(flow($0[0])):\(value($0[1], indent: indent + 2))" }.joined()
        case .text("two\nlines") where Bool.random(using: &random):
            return " |-\n\(space)  two\n\(space)  lines  \n".replacingOccurrences(of: "lines  ", with: "lines")
        default:
            let comment = Int.random(in: 0..<4, using: &random) == 0 ? "  # a comment" : ""
            return " \(flow(tree))\(comment)\n"
        }
    }

    private mutating func flow(_ tree: Tree) -> String {
        switch tree {
        case .text(let text): scalar(text)
        case .list(let items): "[" + items.map { flow($0) }.joined(separator: ", ") + "]"
        case .map(let entries): "{" + entries.map { "\(flow($0[0])): \(flow($0[1]))" }.joined(separator: ", ") + "}"
        }
    }

    private mutating func scalar(_ text: String) -> String {
        let isPlain =
            text.first?.isLetter == true && text.allSatisfy { $0.isLetter || $0.isNumber || "./_".contains($0) }
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where isPlain: return text
        case 1 where !text.contains("\n"): return "'\(text.replacingOccurrences(of: "'", with: "''"))'"
        default:
            let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
                .replacingOccurrences(of: "\"", with: "\\\"").replacingOccurrences(of: "\n", with: "\\n")
            return "\"\(escaped)\""
        }
    }

    /// `text` with a few characters changed to ones that mean something to YAML.
    mutating func spoiled(_ text: String) -> String {
        var characters = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 1..<4, using: &random) {
            let place = Int.random(in: 0...characters.count, using: &random)
            let new =
                Array(": \n-[]{},#'\"|>!&*%@~a\\\r\u{85}\u{2028}\u{FEFF}é".unicodeScalars)
                .randomElement(using: &random) ?? "a"
            switch Int.random(in: 0..<3, using: &random) {
            case 0: characters.insert(new, at: place)
            case 1 where place < characters.count: characters[place] = new
            default: if place < characters.count { characters.remove(at: place) }
            }
        }
        return String(String.UnicodeScalarView(characters))
    }
}

@Suite struct PyYAMLTests {
    private static let seed =
        ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)

    private func ours(_ text: String) -> Tree? { (try? parse(yaml: text)).map(Tree.init) }

    @Test func `texts with every style are the tree that PyYAML loads`() throws {
        let texts = [
            "a: 1\n", "- a\n- b\n", "a:\n- b\n- c: d\n  e: f\n", "{a: [b, c, ], d: {e: f}}", "[a: b]", "{a, b: c}",
            "a: b # comment\n# comment\n\nc: d", "%YAML 1.1\n---\na: b\n...\n", "? a\n: b\n", "a:\n  ? b\n  ? c\n",
            "a: |\n  one\n   two\n\n  three\n\n", "a: |+\n  one\n\n", "a: |-\n  one\n\n",
            "a: >\n  one\n  two\n\n  three\n",
            "a: >-\n  one\n\n\n  two\n", "a: |2\n   one\n", "a: one\n  two\n\n  three\n",
            "a: 'one\n  two\n\n  three'\n",
            "a: \"one\\\n  two\\x41\\u00e9\\U0001F600\\0\\t\\e\"", "'a b': \"c\"\n\"d\": 'it''s'",
            "a: no\nb: ~\nc: null\nd:\n",
            "<<: {a: b}\n", "a: http://x.example/y:z#w", "'': a", "a: ''", "\"a\\nb\": c", "--- text\n",
            "--- |\n text\n",
            "a: -1\nb: 0o17\nc: 1_000\nd: 2027-01-05T09:00:00+01:00\n", "a: {\n b: c,\n d: e}\n", "- - - a\n    - b\n",
        ]
        for (text, tree) in zip(texts, try treesOfPyYAML(texts)) {
            #expect(tree != nil && ours(text) == tree, "\(text.debugDescription)")
        }
    }

    @Test func `campaign files are the trees that PyYAML loads`() throws {
        let folders = ["Campaigns", "Fixtures/Campaigns/valid"].map(Surroundings.project.appendingPathComponent)
        let texts = try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "yaml" }.map { try String(contentsOf: $0, encoding: .utf8) }
        }
        #expect(texts.count >= 10)
        for (text, tree) in zip(texts, try treesOfPyYAML(texts)) {
            #expect(tree != nil && ours(text) == tree, "\(text)")
        }
    }

    @Test(arguments: [
        ("a:\tb\t# comment\n", "a: b\n"), ("[a,\tb]\t\n", "[a, b]\n"),
        ("{ a: https://example.com/?b=1 }", "{ a: 'https://example.com/?b=1' }"),
    ])
    func `what YAML allows and PyYAML does not is the tree of the plainer spelling`(text: String, plainer: String)
        throws
    {
        let trees = try treesOfPyYAML([text, plainer])
        #expect(trees[0] == nil && trees[1] != nil)
        #expect(ours(text) == trees[1])
    }

    @Test func `a written tree is read back, by us and by PyYAML`() throws {
        var writer = Writer(random: SeededGenerator(seed: Self.seed))
        let trees = (0..<500).map { _ in Tree.map([[.text("root"), writer.tree(depth: 0)]]) }
        let texts = trees.map { tree in "---" + writer.value(tree, indent: 0) }
        for ((tree, text), other) in zip(zip(trees, texts), try treesOfPyYAML(texts)) {
            #expect(ours(text) == tree && other == tree, "seed \(Self.seed): \(text.debugDescription)")
        }
    }

    @Test func `of spoiled texts, whatever we accept PyYAML loads to the same tree`() throws {
        var writer = Writer(random: SeededGenerator(seed: Self.seed))
        var accepted: [(text: String, tree: Tree)] = []
        for _ in 0..<3000 {
            let tree = Tree.map([[.text("root"), writer.tree(depth: 0)]])
            let text = writer.spoiled("---" + writer.value(tree, indent: 0))
            // PyYAML is stricter than YAML about tabs between values and '?' inside words of a flow collection.
            if let tree = ours(text), !text.contains("\t"), !text.contains("?") { accepted.append((text, tree)) }
        }
        #expect(accepted.count > 200)
        for ((text, tree), other) in zip(accepted, try treesOfPyYAML(accepted.map(\.text))) {
            #expect(other == tree, "seed \(Self.seed): \(text.debugDescription)")
        }
    }
}
