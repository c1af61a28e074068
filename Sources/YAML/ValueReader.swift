/// Reads one value as what it should be. Whatever it is not is reported at the value's mark, and nil is returned.
public struct ValueReader {
    /// The value as it was parsed, for what the functions below do not read.
    public let node: Node
    /// The value as messages call it: its key in quotes, or `the file`.
    public let subject: String
    let diagnostics: Diagnostics

    /// Reads `node`; `subject` as the property of that name.
    public init(_ node: Node, subject: String, into diagnostics: Diagnostics) {
        self.node = node
        self.subject = subject
        self.diagnostics = diagnostics
    }

    /// The whole of a YAML text; nil when there is no tree to read, which `diagnostics` then explains.
    public init?(yaml bytes: [UInt8], into diagnostics: Diagnostics) {
        guard let root = parse(yaml: bytes, into: diagnostics) else { return nil }
        self.init(root, subject: "the file", into: diagnostics)
    }

    /// Where the value starts.
    public var mark: Mark { node.mark }

    /// Reports an error at this value.
    public func error(_ message: String) {
        diagnostics.error(message, at: mark)
    }

    /// Reports a warning at this value.
    public func warning(_ message: String) {
        diagnostics.warning(message, at: mark)
    }

    /// Reports what was found and asks for `wanted`: `'every' is '30 days'; write a span …`.
    public func wrong(wanted: String) {
        error("\(subject) is \(found); write \(wanted)")
    }

    private var found: String {
        switch node.content {
        case _ where node.isNull: "empty"
        case .scalar(let scalar) where scalar.text.isEmpty: "empty"
        case .scalar(let scalar): scalar.isQuoted ? "the text \(quoted(scalar.text))" : quoted(scalar.text)
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

extension ValueReader {
    /// Any scalar with text in it; `wanted` says in a message what the text should be.
    public func text(wanted: String = "text") -> String? {
        guard !node.isNull, case .scalar(let scalar) = node.content, !scalar.text.isEmpty else {
            wrong(wanted: wanted)
            return nil
        }
        return scalar.text
    }

    /// A whole number without quotes, inside `range`; `example` is shown when there is none.
    public func integer(in range: ClosedRange<Int64> = .min ... .max, example: Int64 = 10) -> Int64? {
        guard let text = plainText, let number = wholeNumber(text) else {
            wrong(wanted: "a whole number such as \(example)")
            return nil
        }
        guard range.contains(number) else {
            wrong(wanted: "a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// `true` or `false` without quotes.
    public func boolean() -> Bool? {
        switch plainText {
        case "true": return true
        case "false": return false
        default:
            wrong(wanted: "true or false")
            return nil
        }
    }

    /// A span such as `90d`, in milliseconds, at least `minimum` of them.
    public func spanMilliseconds(atLeast minimum: Int64 = 0) -> Int64? {
        guard case .scalar(let scalar) = node.content, let milliseconds = milliseconds(ofSpan: scalar.text) else {
            wrong(wanted: "a span such as '30d', '12h' or '45m'")
            return nil
        }
        guard milliseconds >= minimum else {
            wrong(wanted: "a span of at least '\(span(ofMilliseconds: minimum))'")
            return nil
        }
        return milliseconds
    }

    /// One of `words`, letter for letter.
    public func word(among words: [String]) -> String? {
        guard !node.isNull, case .scalar(let scalar) = node.content, !scalar.text.isEmpty else {
            wrong(wanted: alternatives(words))
            return nil
        }
        if words.contains(scalar.text) { return scalar.text }
        if let near = closestMatch(to: scalar.text, among: words) {
            error("\(subject) is \(quoted(scalar.text)); did you mean '\(near)'?")
        } else {
            wrong(wanted: alternatives(words))
        }
        return nil
    }

    /// One of the raw values of `type`.
    public func word<Word: RawRepresentable<String> & CaseIterable>(of type: Word.Type) -> Word? {
        word(among: Word.allCases.map(\.rawValue)).flatMap(Word.init(rawValue:))
    }

    private var plainText: String? {
        guard case .scalar(let scalar) = node.content, !scalar.isQuoted else { return nil }
        return scalar.text
    }
}

extension ValueReader {
    /// The values of a list; a single value stands for a list of one, and null for an empty list.
    public func items() -> [ValueReader] {
        if node.isNull { return [] }
        guard case .sequence(let nodes) = node.content else { return [self] }
        return nodes.map { ValueReader($0, subject: subject, into: diagnostics) }
    }

    /// The entries of a mapping whose keys are the writer's own, in order.
    public func entries(wanted: String = "a mapping") -> [(key: String, mark: Mark, value: ValueReader)]? {
        guard case .mapping(let entries) = node.content else {
            wrong(wanted: wanted)
            return nil
        }
        return entries.map {
            ($0.key, $0.mark, ValueReader($0.value, subject: quoted($0.key), into: diagnostics))
        }
    }

    /// A mapping whose keys are those of `keys`; `refusing` gives the cure for keys that people try and must not.
    public func mapping<Key>(keys: Key.Type, refusing: [String: String] = [:]) -> MappingReader<Key>? {
        guard let entries = entries(wanted: "a mapping with keys such as '\(Key.allCases.first?.rawValue ?? "")'")
        else { return nil }
        return MappingReader(entries, at: mark, refusing: refusing, into: diagnostics)
    }
}

/// `'a', 'b' or 'c'`
func alternatives(_ words: [String]) -> String {
    let quotedWords = words.map { "'\($0)'" }
    guard let last = quotedWords.last, quotedWords.count > 1 else { return quotedWords.joined() }
    return quotedWords.dropLast().joined(separator: ", ") + " or " + last
}
