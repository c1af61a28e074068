/// A word on the line that is told by its place, not by a name.
struct Argument: Sendable {
    enum Count: Sendable {
        case one
        case optional
        /// One or more; only as the last argument of a command.
        case several
    }

    /// In capitals, as it stands in the usage line: `FILE`.
    let name: String
    let count: Count
    let help: String

    init(_ name: String, _ count: Count = .one, help: String) {
        self.name = name
        self.count = count
        self.help = help
    }

    /// How it stands in the usage line.
    var usage: String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .several: "\(name)…"
        }
    }
}
