public import CampaignCore
public import FoundationEssentials
public import YAML

/// What `holdfast.yaml` says: one value a key, every default filled in, every path absolute.
///
/// It never holds a secret, only the place of each one. Files that a later step loads keep the mark where they were
/// named, so that a fault inside them can be reported there too.
public struct Configuration: Sendable {
    /// The file as it was named, for messages.
    public let path: String
    /// The absolute folder that relative paths start at.
    public let folder: String
    /// `--listen` may replace it.
    public var listen: ListenAddress
    /// `--database` may replace it.
    public var database: Database
    public let campaigns: CampaignFolder
    /// At least one; each with another `bundleId`.
    public let apps: [App]
    public let trust: Trust
    /// Whose `X-Forwarded-For` is believed.
    public let trustedProxies: [AddressRange]
    public let retention: Retention
    public let webhooks: [Webhook]
    /// What the file leaves in doubt without being wrong.
    public internal(set) var warnings: [Diagnostic]

    /// The app with `bundleId`.
    public func app(_ bundleId: BundleID) -> App? {
        apps.first { $0.bundleId == bundleId }
    }

    /// An error that points into this file, for a fault found later in something it names.
    public func error(at mark: Mark, _ message: String) -> ConfigurationError {
        .refused(path: path, [Diagnostic(.error, at: mark, message)])
    }
}

extension Configuration {
    /// A file that the configuration names.
    public struct NamedFile: Hashable, Sendable {
        /// Absolute.
        public let path: String
        /// Where it was named.
        public let mark: Mark
    }

    /// Where a secret is kept; the secret itself is read only when it is used.
    public enum SecretSource: Hashable, Sendable {
        case file(NamedFile)
        case environmentVariable(name: String, mark: Mark)

        /// Where the source was named.
        public var mark: Mark {
            switch self {
            case .file(let file): file.mark
            case .environmentVariable(_, let mark): mark
            }
        }
    }

    /// The folder of campaign files.
    public struct CampaignFolder: Hashable, Sendable {
        /// Absolute.
        public let path: String
        /// Where it was named; nil for the default, which may be absent and then counts as empty.
        public let mark: Mark?
    }

    /// Which roots signed data may come from.
    public struct Trust: Hashable, Sendable {
        /// PEM or DER files that replace the pinned Apple Root CA - G3; empty keeps it.
        public let rootCertificates: [NamedFile]
    }

    /// How long things are kept.
    public struct Retention: Hashable, Sendable {
        /// At least seven days, so that Apple's repeats are recognised.
        public let notificationLogMilliseconds: Int64

        /// What holds when the configuration says nothing: 400 days.
        public static let standard = Self(
            notificationLogMilliseconds: ConfigurationLimits.notificationLogMilliseconds)
    }

    /// Somewhere that sends are posted to.
    public struct Webhook: Hashable, Sendable {
        /// https, with a host and without user name or password.
        public let url: URL
        /// Where the address was written.
        public let mark: Mark
        /// One or two: the first signs, both are live.
        public let secrets: [SecretSource]
        /// Sends are written and not posted.
        public let isDryRun: Bool
    }
}
