/// A path of the route table, which may hold one argument as a word in braces.
struct PathPattern: Hashable, Sendable, ExpressibleByStringLiteral {
    /// As it is written in the table and in the API's description.
    let text: String
    /// What stands before and behind the argument; nil when there is none.
    private let around: [String]?
    /// The name in the braces; nil when there is none.
    let argumentName: String?

    init(stringLiteral text: String) {
        self.text = text
        let parts = text.split(separator: "{", maxSplits: 1, omittingEmptySubsequences: false)
        let rest =
            parts.count == 2 ? parts[1].split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false) : []
        around = rest.count == 2 ? [String(parts[0]), String(rest[1])] : nil
        argumentName = rest.first.map(String.init)
    }

    var takesArgument: Bool { around != nil }

    /// The argument in `path`, empty for a pattern without one; nil when the path does not fit.
    func argument(of path: String) -> String? {
        guard let around else { return path == text ? "" : nil }
        guard path.hasPrefix(around[0]), path.hasSuffix(around[1]),
            path.utf8.count > around[0].utf8.count + around[1].utf8.count
        else { return nil }
        let argument = path.dropFirst(around[0].count).dropLast(around[1].count)
        return argument.utf8.contains(UInt8(ascii: "/")) ? nil : String(argument)
    }
}
