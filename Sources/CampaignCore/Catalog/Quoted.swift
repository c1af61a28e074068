/// `text` in single quotes as messages show values: one line, control characters spelled out, cut when long.
func quoted(_ text: String) -> String { "'\(shown(text))'" }

/// `text` as `quoted` shows it, without the quotes.
func shown(_ text: String) -> String {
    var shown = ""
    for (count, scalar) in text.unicodeScalars.enumerated() {
        if count == Limits.quotedCharacters { return shown + "…" }
        switch scalar.properties.generalCategory {
        // Invisible characters are what a reader would otherwise look for in vain.
        case .control, .format, .lineSeparator, .paragraphSeparator:
            shown += "\\u{\(String(scalar.value, radix: 16))}"
        default:
            shown.unicodeScalars.append(scalar)
        }
    }
    return shown
}
