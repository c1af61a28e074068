public import YAML

/// Why there is no configuration.
public enum ConfigurationError: Error, Hashable, Sendable {
    /// The file itself cannot be read.
    case unreadable(path: String, reason: String)
    /// At least one error, with all warnings, in the order of the file.
    case refused(path: String, [Diagnostic])
}

extension ConfigurationError: CustomStringConvertible {
    /// One line for each thing found, without a newline at the end; those that point into the file start with its path.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            let shown = quoted(path, limit: ConfigurationLimits.pathCharacters)
            return "cannot read the configuration \(shown): \(reason); "
                + "name it with '--config PATH' or write one with 'holdfast init DIR'"
        case .refused(let path, let diagnostics):
            return diagnostics.map { $0.line(path: path) }.joined(separator: "\n")
        }
    }
}
