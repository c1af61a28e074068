/// One command as data: parsing, help and the tests of both are made from it.
///
/// A command either has subcommands or a body, never both.
struct Command: Sendable {
    /// What a command does; it throws what went wrong, or returns `.done` or `.refused`.
    typealias Body = @Sendable (Arguments, Output) throws(CommandError) -> ExitCode

    let name: String
    /// One sentence for lists, without a full stop.
    let summary: String
    /// What one needs to know before using it; paragraphs are separated by an empty line.
    let details: String
    let arguments: [Argument]
    let options: [Option]
    /// Lines ready to paste, `holdfast` included; at least one.
    let examples: [Example]
    let subcommands: [Command]
    let body: Body?

    init(
        _ name: String, summary: String, details: String = "", arguments: [Argument] = [], options: [Option] = [],
        examples: [Example], run body: @escaping Body
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.arguments = arguments
        self.options = options
        self.examples = examples
        subcommands = []
        self.body = body
    }

    /// A command that only gathers others, such as `key`.
    init(_ name: String, summary: String, details: String = "", subcommands: [Command]) {
        self.name = name
        self.summary = summary
        self.details = details
        self.subcommands = subcommands
        arguments = []
        options = []
        examples = []
        body = nil
    }

    /// All options that may stand on its line.
    var allOptions: [Option] { options + Option.everywhere }
}

/// A line that can be pasted, with what it does.
struct Example: Sendable {
    let line: String
    let meaning: String

    init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }
}
