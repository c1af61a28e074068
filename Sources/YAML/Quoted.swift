/// `text` in single quotes, on one line and at most `limit` characters long, for use in a message.
///
/// A key in PEM form is never shown: it may have been pasted where its file belongs.
public func quoted(_ text: String, limit: Int = YAMLLimits.quotedCharacters) -> String {
    "'\(shown(text, limit: limit))'"
}

/// `text` as `quoted` shows it, without the quotes.
public func shown(_ text: String, limit: Int = YAMLLimits.quotedCharacters) -> String {
    if text.contains("-----BEGIN") { return "-----BEGIN …" }
    let scalars = text.unicodeScalars
    let shown = scalars.prefix(limit).map(visible).joined()
    return scalars.dropFirst(limit).isEmpty ? shown : shown + "…"
}

/// Escape sequences and direction marks could make a terminal show something else than is written.
private func visible(_ scalar: Unicode.Scalar) -> String {
    switch (scalar, scalar.properties.generalCategory) {
    case ("\n", _): "\\n"
    case ("\r", _): "\\r"
    case ("\t", _): "\\t"
    case (_, .control), (_, .format), (_, .lineSeparator), (_, .paragraphSeparator):
        "\\u{\(String(scalar.value, radix: 16))}"
    default: String(scalar)
    }
}
