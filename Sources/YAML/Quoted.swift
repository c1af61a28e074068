/// `text` in single quotes, on one line and at most `limit` characters long, for use in a message.
///
/// A key is never shown: it may have been pasted where its file or its name belongs.
public func quoted(_ text: String, limit: Int = YAMLLimits.quotedCharacters) -> String {
    "'\(shown(text, limit: limit))'"
}

/// `text` as `quoted` shows it, without the quotes.
public func shown(_ text: String, limit: Int = YAMLLimits.quotedCharacters) -> String {
    if holdsKeyMaterial(text) { return "(a key, not shown)" }
    let scalars = text.unicodeScalars
    let shown = scalars.prefix(limit).map(visible).joined()
    return scalars.dropFirst(limit).isEmpty ? shown : shown + "…"
}

/// All of `text` with what cannot be seen in it escaped as `quoted` does, for text that people read.
public func visible(_ text: String) -> String {
    if !text.unicodeScalars.contains(where: \.isInvisible) { return text }
    return text.unicodeScalars.map(visible).joined()
}

/// Escape sequences and direction marks could make a terminal show something else than is written.
private func visible(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: scalar.isInvisible ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
}

extension Unicode.Scalar {
    /// Whether nothing is seen of it: controls, formats such as U+2063, and what Unicode lets a display leave out.
    public var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }
}
