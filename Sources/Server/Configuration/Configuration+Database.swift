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

    /// Whether `text` is a PostgreSQL address with a password in it; such a text must not be shown.
    public static func holdsPassword(_ text: String) -> Bool {
        guard let address = postgresqlAddress(text) else { return false }
        if let at = address.lastIndex(of: "@"), address[..<at].contains(":") { return true }
        return address.lowercased().contains("password=")
    }

    private static func postgresqlAddress(_ text: String) -> String? {
        text.suffix(after: "postgresql://") ?? text.suffix(after: "postgres://")
    }

    /// What to write, for messages.
    public static let expected = "'sqlite:PATH' or 'postgresql://user@host/name'"

    /// What to say when `holdsPassword`.
    public static let passwordCure = "holds a password; take it out and set PGPASSFILE to a password file"
}

extension String {
    fileprivate func suffix(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
