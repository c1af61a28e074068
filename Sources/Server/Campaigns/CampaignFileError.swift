public import YAML

/// One thing found in a campaign file.
public struct CampaignFinding: Hashable, Sendable, CustomStringConvertible {
    /// As the file was named.
    public let path: String
    public let diagnostic: Diagnostic

    public init(path: String, _ diagnostic: Diagnostic) {
        self.path = path
        self.diagnostic = diagnostic
    }

    /// `path:line:column: error: message`
    public var description: String { diagnostic.line(path: path) }
}

/// Why there are no campaigns.
public enum CampaignFileError: Error, Hashable, Sendable {
    /// The folder itself, or a file named on the line, cannot be read.
    case unreadable(path: String, reason: String)
    /// At least one error, with all warnings, file by file.
    case refused([CampaignFinding])
}

extension CampaignFileError: CustomStringConvertible {
    /// One line for each thing found, without a newline at the end; each begins with the path of its file.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            let shown = quoted(path, limit: ConfigurationLimits.pathCharacters)
            return "cannot read the campaigns \(shown): \(reason); check its owner and mode, or 'campaigns' in the "
                + "configuration"
        case .refused(let findings):
            return findings.map(\.description).joined(separator: "\n")
        }
    }
}
