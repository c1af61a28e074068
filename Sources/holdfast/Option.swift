import CampaignCore
import FoundationEssentials

/// One option as data: `--name VALUE`, `--name=VALUE` or, for a flag, `--name`.
///
/// An option of one name means the same kind of thing in every command, because options may stand before the command.
struct Option: Sendable {
    enum Kind: Sendable {
        case flag
        case text
        case integer(ClosedRange<Int>)
        case instant
        case uuid
        case choice([String])
    }

    /// Without its dashes.
    let name: String
    let kind: Kind
    /// What stands for the value in help; empty for a flag.
    let valueName: String
    let help: String
    let isRequired: Bool
    /// Whether it may be given more than once.
    let isRepeated: Bool

    private init(
        _ name: String, _ kind: Kind, _ valueName: String, help: String, isRequired: Bool, isRepeated: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.valueName = valueName
        self.help = help
        self.isRequired = isRequired
        self.isRepeated = isRepeated
    }

    static func flag(_ name: String, help: String) -> Self {
        Self(name, .flag, "", help: help, isRequired: false)
    }

    static func text(
        _ name: String, _ valueName: String, help: String, isRequired: Bool = false, isRepeated: Bool = false
    ) -> Self {
        Self(name, .text, valueName, help: help, isRequired: isRequired, isRepeated: isRepeated)
    }

    static func integer(
        _ name: String, _ valueName: String, in range: ClosedRange<Int>, help: String, isRequired: Bool = false
    ) -> Self {
        Self(name, .integer(range), valueName, help: help, isRequired: isRequired)
    }

    static func instant(_ name: String, help: String, isRequired: Bool = false) -> Self {
        Self(name, .instant, "INSTANT", help: help, isRequired: isRequired)
    }

    static func uuid(_ name: String, help: String, isRequired: Bool = false) -> Self {
        Self(name, .uuid, "UUID", help: help, isRequired: isRequired)
    }

    static func choice(_ name: String, _ words: [String], help: String, isRequired: Bool = false) -> Self {
        Self(name, .choice(words), words.joined(separator: "|"), help: help, isRequired: isRequired)
    }

    var takesValue: Bool {
        if case .flag = kind { false } else { true }
    }

    /// How it stands in usage lines and lists: `--role client|device`.
    var usage: String { takesValue ? "--\(name) \(valueName)" : "--\(name)" }
}

extension Option {
    /// Accepted by every command, anywhere on the line.
    static let everywhere = [config, help]

    static let config = text("config", "PATH", help: "configuration; else HOLDFAST_CONFIG, else ./holdfast.yaml")
    static let help = flag("help", help: "print this text")

    /// Only `holdfast --version`, so it belongs to no command.
    static let version = flag("version", help: "print the version")

    static let app = text("app", "BUNDLEID", help: "the app; may be left out when one app is configured")
    static let environment = choice(
        "environment", ["Production", "Sandbox"], help: "where the purchase was made (default Production)")
    static let at = instant("at", help: "evaluate at this instant, RFC 3339 (default now)")

    /// How the answer is written; the first is the default.
    static func format(_ formats: OutputFormat...) -> Self {
        let words = formats.map(\.rawValue)
        return choice("format", words, help: "how the answer is written (default \(words[0]))")
    }
}

/// How an answer is written to standard output.
enum OutputFormat: String, Sendable {
    case text
    case json
    case csv
}
