/// The line taken apart into options and plain words, before it is known which command it names.
///
/// Options may stand anywhere, even before the command, so whether one takes a value is looked up among all commands.
struct LineWords {
    struct GivenOption {
        let name: String
        /// What follows `=`, or the next word when the option takes a value.
        let value: String?
    }

    private(set) var words: [String] = []
    private(set) var options: [GivenOption] = []

    init(_ line: [String], valueOptions: Set<String>) {
        var rest = line[...]
        while let word = rest.popFirst() {
            if word == "--" {
                words += rest
                return
            }
            if word == "-h" {
                options.append(GivenOption(name: Option.help.name, value: nil))
            } else if word.hasPrefix("--") {
                let (name, attached) = Self.parts(of: word.dropFirst(2))
                // A value that begins with two dashes is more likely a forgotten value; '--name=--value' still works.
                let takesNext = attached == nil && valueOptions.contains(name) && rest.first?.hasPrefix("--") == false
                options.append(GivenOption(name: name, value: takesNext ? rest.popFirst() : attached))
            } else if word.hasPrefix("-"), word != "-" {
                options.append(GivenOption(name: String(word), value: nil))
            } else {
                words.append(word)
            }
        }
    }

    private static func parts(of option: Substring) -> (name: String, value: String?) {
        guard let equals = option.firstIndex(of: "=") else { return (String(option), nil) }
        return (String(option[..<equals]), String(option[option.index(after: equals)...]))
    }
}
