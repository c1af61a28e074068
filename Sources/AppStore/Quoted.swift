/// A received value made fit for one line of text: shortened, and without control or invisible characters.
func quoted(_ value: String, limit: Int = SignatureCheckLimits.quotedCharacters) -> String {
    let scalars = value.unicodeScalars.prefix(limit)
    let isCut = !value.unicodeScalars.dropFirst(limit).isEmpty
    var text = "'"
    for scalar in scalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            text += "\\u{\(String(scalar.value, radix: 16))}"
        default: text.unicodeScalars.append(scalar)
        }
    }
    return text + (isCut ? "…'" : "'")
}
