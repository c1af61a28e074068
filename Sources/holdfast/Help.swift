/// Help as text, made from the table alone.
enum Help {
    /// What `holdfast --help` prints.
    static func overview(of commands: [Command]) -> String {
        var text = """
            Holdfast decides who may have which App Store subscription offer, and signs it.

            Usage: holdfast <command> [subcommand] [arguments] [options]

            Commands:

            """
        text += list(commands.map { ($0.name, $0.summary) })
        text += "\nOptions, anywhere on the line:\n"
        text += list((Option.everywhere + [.version]).map { ($0.usage, $0.help) })
        text += """

            'holdfast <command> --help' shows a command with an example. Without a command,
            this text goes to standard error and the exit code is 64.

            Exit codes: 0 done, 1 failed, 2 a check found problems or the work was refused,
            64 wrong usage.

            """
        return text
    }

    /// What `holdfast … --help` prints for the last command of `path`.
    static func text(for path: [Command]) -> String {
        guard let command = path.last else { return "" }
        let name = (["holdfast"] + path.map(\.name)).joined(separator: " ")
        var text = wrapped(command.summary + ".", indentation: 0)
        text += "\n" + usage(of: command, name: name)
        if !command.details.isEmpty {
            for paragraph in command.details.split(separator: "\n\n") {
                text += "\n" + wrapped(String(paragraph), indentation: 0)
            }
        }
        text += section("Subcommands", command.subcommands.map { ($0.name, $0.summary) })
        text += section("Arguments", command.arguments.map { ($0.name, $0.help) })
        text += section("Options", command.options.map { ($0.usage, $0.help + note(on: $0)) })
        text += section("Options of every command", Option.everywhere.map { ($0.usage, $0.help) })
        if command.examples.isEmpty {
            text += "\n'\(name) <subcommand> --help' shows each with an example.\n"
        } else {
            text += "\nExample\(command.examples.count == 1 ? "" : "s"):\n"
            text += command.examples.map { example in
                wrapped("# " + example.meaning, indentation: 2) + "  " + example.line + "\n"
            }.joined(separator: "\n")
        }
        return text
    }

    private static func note(on option: Option) -> String {
        (option.isRequired ? " (required)" : "") + (option.isRepeated ? " (may be repeated)" : "")
    }

    private static func usage(of command: Command, name: String) -> String {
        var words = [name]
        if command.subcommands.isEmpty {
            words += command.arguments.map(\.usage)
            words += command.options.filter(\.isRequired).map(\.usage)
        } else {
            words.append(command.subcommands.map(\.name).joined(separator: "|"))
        }
        return wrapped("Usage: " + (words + ["[options]"]).joined(separator: " "), indentation: 0, hanging: 4)
    }

    private static func section(_ title: String, _ rows: [(String, String)]) -> String {
        rows.isEmpty ? "" : "\n\(title):\n" + list(rows)
    }

    /// Two columns; a left side that is too long has its right side on the next line.
    private static func list(_ rows: [(left: String, right: String)]) -> String {
        let fitting = rows.map(\.left.count).filter { $0 <= 26 }
        let column = 2 + (fitting.max() ?? 0) + 3
        return rows.map { row in
            let right = wrapped(row.right, indentation: column)
            let left = "  " + row.left
            if left.count + 2 > column { return left + "\n" + right }
            return left + right.dropFirst(left.count)
        }.joined()
    }

    /// `text` broken at spaces into lines of at most `Limits.helpColumns`, each ended.
    private static func wrapped(_ text: String, indentation: Int, hanging: Int = 0) -> String {
        var lines: [String] = []
        var line = String(repeating: " ", count: indentation)
        var isEmpty = true
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if !isEmpty, line.count + 1 + word.count > Limits.helpColumns {
                lines.append(line)
                line = String(repeating: " ", count: indentation + hanging)
                isEmpty = true
            }
            line += isEmpty ? word : " " + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n") + "\n"
    }
}
