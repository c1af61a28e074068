import YAML

extension Configuration {
    /// Which database, as `database:` and `--database` name it.
    public enum Database: Hashable, Sendable {
        /// A file, by its absolute path.
        case sqlite(path: String)
        /// A `postgresql://` address without password.
        case postgresql(url: String)
    }
}

extension Configuration.Database {
    /// Reads `sqlite:PATH`, relative to `folder`, or `postgresql://user@host/name`; nil for anything else.
    ///
    /// An address with a password is anything else: a secret is never written into the configuration, and the command
    /// line is seen by everyone on the machine.
    public init?(_ text: String, folder: String) {
        if let path = text.suffix(after: "sqlite:") {
            // ':memory:' would forget everything at the end, and 'sqlite://name' would be a file of the root folder.
            guard !path.isEmpty, !path.hasPrefix("//"), !path.hasPrefix(":"), !path.utf8.contains(0) else { return nil }
            self = .sqlite(path: absolute(path, in: folder))
        } else if let address = Self.postgresqlAddress(text), !address.isEmpty, !Self.holdsPassword(text) {
            self = .postgresql(url: text)
        } else {
            return nil
        }
    }

    /// Whether `text` is an address with a password in it, of whatever database; such a text must not be shown.
    public static func holdsPassword(_ text: String) -> Bool {
        if text.hasPrefix("sqlite:"), !text.hasPrefix("sqlite://") { return false }
        if text.lowercased().contains("password=") { return true }
        let address = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        guard let at = address.lastIndex(of: "@") else { return false }
        return address[..<at].contains(":")
    }

    private static func postgresqlAddress(_ text: String) -> String? {
        text.suffix(after: "postgresql://") ?? text.suffix(after: "postgres://")
    }

    /// What to write, for messages: what the program can open today.
    public static let expected = "'sqlite:PATH', such as 'sqlite:holdfast.sqlite' or 'sqlite:/var/lib/holdfast.sqlite'"

    /// What to write instead of `text`, which is no database: its path as it should be, when it names one.
    public static func cure(for text: String) -> String {
        let words = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isOtherAddress = words.count == 2 && words[0].lowercased() != "sqlite"
        guard var path = words.last.map(String.init), !isOtherAddress, text.lowercased() != "sqlite" else {
            return expected
        }
        // 'sqlite:///a' is how other programs write the path '/a', and two slashes mean no folder of ours.
        let slashes = path.prefix { $0 == "/" }.count
        if slashes > 1 { path = (slashes > 2 ? "/" : "") + path.dropFirst(slashes) }
        let cure = "sqlite:\(path)"
        return Self(cure, folder: "/") == nil ? expected : quoted(cure, limit: ConfigurationLimits.pathCharacters)
    }

    /// What to say when `holdsPassword`.
    public static let passwordCure = "holds a password, which is never written here; name a file as 'sqlite:PATH'"
}

extension String {
    fileprivate func suffix(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
