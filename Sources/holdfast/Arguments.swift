import CampaignCore
import FoundationEssentials

/// What stands on the line of one command, checked against its entry in the table.
///
/// Asking for an option that the command does not declare is a mistake in the program, not on the line, and stops it.
struct Arguments: Sendable {
    /// The command and its subcommand, without `holdfast`.
    let path: [String]
    let command: Command
    private let words: [String]
    private let values: [String: [Option.Value]]

    init(path: [String], command: Command, words: [String], values: [String: [Option.Value]]) {
        self.path = path
        self.command = command
        self.words = words
        self.values = values
    }

    /// Whether a flag stands on the line.
    func has(_ flag: Option) -> Bool { isGiven(flag) }

    /// Whether an option of any kind stands on the line.
    func isGiven(_ option: Option) -> Bool { !all(option).isEmpty }

    func text(_ option: Option) -> String? { texts(option).first }

    func texts(_ option: Option) -> [String] {
        all(option).map {
            guard case .text(let text) = $0 else { preconditionFailure("'--\(option.name)' is no text") }
            return text
        }
    }

    /// The value of an option that the table says is required.
    func requiredText(_ option: Option) -> String {
        guard let text = text(option) else { preconditionFailure("'--\(option.name)' is not required in the table") }
        return text
    }

    func integer(_ option: Option) -> Int? {
        all(option).first.map {
            guard case .integer(let number) = $0 else { preconditionFailure("'--\(option.name)' is no number") }
            return number
        }
    }

    func instant(_ option: Option) -> Instant? {
        all(option).first.map {
            guard case .instant(let instant) = $0 else { preconditionFailure("'--\(option.name)' is no instant") }
            return instant
        }
    }

    func uuid(_ option: Option) -> UUID? {
        all(option).first.map {
            guard case .uuid(let uuid) = $0 else { preconditionFailure("'--\(option.name)' is no UUID") }
            return uuid
        }
    }

    /// How the answer is to be written: the one asked for, else the first that the command lists.
    var format: OutputFormat {
        guard let option = command.options.first(where: { $0.name == "format" }),
            case .choice(let formats) = option.kind
        else { return .text }
        return OutputFormat(rawValue: text(option) ?? formats[0]) ?? .text
    }

    /// The word at `argument`'s place, or nil when it was left out.
    subscript(_ argument: Argument) -> String? { all(argument).first }

    /// All words at `argument`'s place.
    func all(_ argument: Argument) -> [String] {
        guard let index = command.arguments.firstIndex(where: { $0.name == argument.name }) else {
            preconditionFailure("'\(argument.name)' is no argument of '\(command.name)'")
        }
        if argument.count == .several { return Array(words.dropFirst(index)) }
        return index < words.count ? [words[index]] : []
    }

    /// An error about this very line.
    func wrongUsage(_ message: String) -> CommandError { .wrongUsage(message, path: path) }

    private func all(_ option: Option) -> [Option.Value] {
        precondition(
            command.allOptions.contains { $0.name == option.name },
            "'--\(option.name)' is no option of '\(command.name)'")
        return values[option.name] ?? []
    }
}
