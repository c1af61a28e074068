import CampaignCore
import YAML

extension Output {
    /// One JSON value, indented, with a line end.
    func write(_ json: JSON) { write(json.prettyText + "\n") }

    /// One line of text for people: what a name or a path holds that cannot be seen is escaped.
    func write(line: String) { write(visible(line) + "\n") }

    /// One CSV row; cells are quoted when they need it. Source: RFC 4180, with the line ends of this system.
    func write(csv cells: [String]) {
        write(cells.map(csvCell).joined(separator: ",") + "\n")
    }
}

func csvCell(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }
    if !needsQuotes { return text }
    var quoted = "\""
    for character in text.unicodeScalars {
        if character == "\"" { quoted += "\"" }
        quoted.unicodeScalars.append(character)
    }
    return quoted + "\""
}
