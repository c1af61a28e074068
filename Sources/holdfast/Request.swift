/// What a line asks for.
enum Request {
    case overview
    /// The commands from the outermost to the one asked about.
    case help([Command])
    case version
    case missingCommand
    case run(Command.Body, Arguments)

    init(_ line: [String], commands: [Command]) throws(CommandError) {
        let valueOptions = Set(Self.everyOption(of: commands).filter(\.takesValue).map(\.name))
        let given = LineWords(line, valueOptions: valueOptions)
        let asksVersion = given.options.contains { $0.name == Option.version.name && $0.value == nil }
        let asksHelp = given.options.contains { $0.name == Option.help.name && $0.value == nil }
        if given.words.first == "help" {
            self = try .about(Array(given.words.dropFirst()), commands: commands)
            return
        }
        if given.words.isEmpty {
            self = try Self.withoutCommand(given, asksHelp: asksHelp)
            return
        }
        if asksVersion && !asksHelp {
            self = .version
            return
        }
        let (path, words) = try Self.path(along: given, commands: commands)
        if asksHelp {
            self = .help(path)
            return
        }
        let names = path.map(\.name)
        guard let command = path.last, let body = command.body else {
            throw Self.missingSubcommand(of: path)
        }
        let values = try Self.values(of: given.options, command: command, path: names)
        try Self.check(words, command: command, path: names)
        self = .run(body, Arguments(path: names, command: command, words: words, values: values))
    }

    static func everyOption(of commands: [Command]) -> [Option] {
        Option.everywhere + commands.flatMap { $0.options + everyOption(of: $0.subcommands) }
    }
}

extension Request {
    private static func about(_ words: [String], commands: [Command]) throws(CommandError) -> Self {
        if words.isEmpty { return .overview }
        let (path, rest) = try path(along: words, commands: commands)
        if let word = rest.first {
            let names = path.map(\.name)
            throw .wrongUsage("'\(names.joined(separator: " "))' has no subcommand '\(word)'", path: names)
        }
        return .help(path)
    }

    private static func withoutCommand(_ given: LineWords, asksHelp: Bool) throws(CommandError) -> Self {
        if asksHelp { return .overview }
        let known = Option.everywhere + [.version]
        for option in given.options {
            guard let match = known.first(where: { $0.name == option.name }) else {
                throw unknownOption(option.name, known: known, path: [])
            }
            if match.name == Option.version.name { return .version }
        }
        return .missingCommand
    }

    /// The command that the words name; an option that no command knows is the likelier slip, so it is told first.
    private static func path(
        along given: LineWords, commands: [Command]
    ) throws(CommandError) -> (path: [Command], rest: [String]) {
        do throws(CommandError) {
            return try path(along: given.words, commands: commands)
        } catch {
            let known = everyOption(of: commands)
            guard let unknown = given.options.first(where: { item in !known.contains { $0.name == item.name } }) else {
                throw error
            }
            throw unknownOption(unknown.name, known: known, path: [])
        }
    }

    /// Follows `words` from command to subcommand; what is left are the arguments.
    private static func path(
        along words: [String], commands: [Command]
    ) throws(CommandError) -> (path: [Command], rest: [String]) {
        var path: [Command] = []
        var rest = words[...]
        var choices = commands
        while !choices.isEmpty, let word = rest.first {
            guard let command = choices.first(where: { $0.name == word }) else {
                let names = path.map(\.name)
                let what =
                    path.isEmpty ? "unknown command '\(word)'" : "'\(names.joined())' has no subcommand '\(word)'"
                throw .wrongUsage(what + didYouMean(word, among: choices.map(\.name)), path: names)
            }
            path.append(command)
            choices = command.subcommands
            rest.removeFirst()
        }
        return (path, Array(rest))
    }

    private static func missingSubcommand(of path: [Command]) -> CommandError {
        let names = path.map(\.name)
        let list = path.last?.subcommands.map { "'\($0.name)'" }.joined(separator: ", ") ?? ""
        return .wrongUsage("'\(names.joined(separator: " "))' needs one of \(list)", path: names)
    }

    private static func values(
        of given: [LineWords.GivenOption], command: Command, path: [String]
    ) throws(CommandError) -> [String: [Option.Value]] {
        var values: [String: [Option.Value]] = [:]
        for item in given {
            guard let option = command.allOptions.first(where: { $0.name == item.name }) else {
                throw unknownOption(item.name, known: command.allOptions, path: path)
            }
            values[option.name, default: []].append(try value(of: option, given: item.value, path: path))
            if values[option.name, default: []].count > 1, option.takesValue, !option.isRepeated {
                throw .wrongUsage("'--\(option.name)' stands twice on the line; give it once", path: path)
            }
        }
        if let missing = command.options.first(where: { $0.isRequired && values[$0.name] == nil }) {
            throw .wrongUsage("'\(path.joined(separator: " "))' needs '\(missing.usage)'", path: path)
        }
        return values
    }

    private static func value(
        of option: Option, given text: String?, path: [String]
    ) throws(CommandError) -> Option.Value {
        guard let text else {
            if option.takesValue { throw .wrongUsage("'--\(option.name)' needs a value: \(option.usage)", path: path) }
            return .given
        }
        guard let value = option.value(text) else {
            throw .wrongUsage(option.complaint(about: text), path: path)
        }
        return value
    }

    private static func check(_ words: [String], command: Command, path: [String]) throws(CommandError) {
        let needed = command.arguments.prefix { $0.count != .optional }
        if words.count < needed.count {
            throw .wrongUsage("'\(path.joined(separator: " "))' needs \(needed[words.count].name)", path: path)
        }
        for (index, word) in words.enumerated() where word.isEmpty && !command.arguments.isEmpty {
            let argument = command.arguments[min(index, command.arguments.count - 1)]
            throw .wrongUsage("\(argument.name) is an empty word; name what it stands for", path: path)
        }
        let takesMany = command.arguments.last?.count == .several
        if !takesMany, words.count > command.arguments.count {
            let extra = words[command.arguments.count]
            throw .wrongUsage("'\(path.joined(separator: " "))' does not take '\(extra)'", path: path)
        }
    }

    private static func unknownOption(_ name: String, known: [Option], path: [String]) -> CommandError {
        let shown = name.hasPrefix("-") ? name : "--\(name)"
        let place = path.isEmpty ? "" : " for '\(path.joined(separator: " "))'"
        let match = didYouMean(name, among: known.map(\.name), prefix: "--")
        return .wrongUsage("unknown option '\(shown)'\(place)\(match)", path: path)
    }
}
