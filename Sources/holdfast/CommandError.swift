/// Why a command stops, with the exit code that goes with it.
///
/// Each message is one line in the house form: what happened, the value in 'quotes', the next step.
enum CommandError: Error, Hashable {
    /// The world failed: a file, the database, the network. Exit code 1.
    case failed([String])
    /// The work was understood and refused, or what was checked has problems. Exit code 2.
    case refused([String])
    /// As `failed`, with lines that already begin with the path of the file they are about.
    case diagnosed([String])
    /// The line makes no sense; `path` is the command whose help says how it goes. Exit code 64.
    case wrongUsage(String, path: [String])

    static func failed(_ message: String) -> Self { .failed([message]) }

    static func refused(_ message: String) -> Self { .refused([message]) }

    /// Wraps an error of another target, whose description already is in the house form.
    static func failed(_ error: any Error) -> Self { .failed([String(describing: error)]) }

    static func refused(_ error: any Error) -> Self { .refused([String(describing: error)]) }

    var messages: [String] {
        switch self {
        case .failed(let messages), .refused(let messages), .diagnosed(let messages): messages
        case .wrongUsage(let message, _): [message]
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .failed, .diagnosed: .failed
        case .refused: .refused
        case .wrongUsage: .wrongUsage
        }
    }

    /// Whether the messages begin with the path of a file instead of `error:`.
    var namesFiles: Bool {
        if case .diagnosed = self { true } else { false }
    }

    /// Where to read on, when the line was wrong.
    var hint: String? {
        guard case .wrongUsage(_, let path) = self else { return nil }
        return "run '\((["holdfast"] + path + ["--help"]).joined(separator: " "))' to see how it goes"
    }
}
