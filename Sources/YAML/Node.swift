/// A YAML value and where it is written. Nothing is guessed: every scalar is the text that stands in the file.
public struct Node: Hashable, Sendable {
    /// What the value is.
    public let content: Content
    /// Where the value starts; for a block mapping that is its first key.
    public let mark: Mark

    /// The three shapes of YAML.
    public enum Content: Hashable, Sendable {
        case scalar(Scalar)
        case sequence([Node])
        /// In the order of the file; keys are unique.
        case mapping([Entry])
    }

    public init(_ content: Content, at mark: Mark) {
        self.content = content
        self.mark = mark
    }

    /// Whether this is YAML's way to write nothing: a plain scalar that is empty, `~` or `null`.
    public var isNull: Bool {
        guard case .scalar(let scalar) = content, !scalar.isQuoted else { return false }
        return scalar.text.isEmpty || scalar.text == "~" || scalar.text == "null"
    }
}

/// Text without structure.
public struct Scalar: Hashable, Sendable {
    /// Without quotes, escapes resolved.
    public let text: String
    /// Written in quotes or as a block (`|`, `>`), so that it is text even where it looks like a number or null.
    public let isQuoted: Bool

    public init(_ text: String, isQuoted: Bool = false) {
        self.text = text
        self.isQuoted = isQuoted
    }
}

/// One key of a mapping with its value.
public struct Entry: Hashable, Sendable {
    /// The key's text, however it was quoted.
    public let key: String
    /// Where the key starts.
    public let mark: Mark
    public let value: Node

    public init(key: String, at mark: Mark, value: Node) {
        self.key = key
        self.mark = mark
        self.value = value
    }
}
