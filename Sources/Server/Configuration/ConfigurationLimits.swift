/// Bounds and defaults of `holdfast.yaml`; the defaults are those the documentation shows.
enum ConfigurationLimits {
    private static let hourMilliseconds: Int64 = 60 * 60 * 1000
    private static let dayMilliseconds = 24 * hourMilliseconds

    static let fileName = "holdfast.yaml"
    static let environmentVariable = "HOLDFAST_CONFIG"

    static let listen = ListenAddress(address: .loopback, port: 8080)
    static let databaseFile = "holdfast.sqlite"
    static let campaignFolder = "Campaigns"

    /// Codes per app and calendar quarter.
    static let quarterlyLimit: Int64 = 10_000_000
    /// A hundred times the default: more is a slip of the keyboard.
    static let highestQuarterlyLimit: Int64 = 1_000_000_000
    static let quarterTimeZone = "UTC"
    static let expiryMarginMilliseconds = 24 * hourMilliseconds
    /// The smallest batch that App Store Connect makes for Production.
    static let lowStock: Int64 = 500
    /// The largest file of the system's table of time zones has some 4 KB.
    static let timeZoneFileBytes = 256 * 1024

    /// What App Store Connect offers as Billing Grace Period.
    static let gracePeriodDays: [Int64] = [3, 16, 28]
    static let gracePeriodDaysDefault: Int64 = 16
    /// App Store Connect's longest rule for a win-back offer is five years of paid service.
    static let months: Int64 = 60

    /// More than one an hour: a higher bound is none.
    static let highestOfferGuard: Int64 = 10_000

    static let deviceProofMaxAgeMilliseconds = 90 * dayMilliseconds
    static let deviceProofMaxAgeMinimumMilliseconds: Int64 = 60 * 1000

    static let notificationLogMilliseconds = 400 * dayMilliseconds
    /// Apple repeats a notification for six and a half days, and a repeat is recognised by the log.
    static let notificationLogMinimumMilliseconds = 7 * dayMilliseconds

    /// A new secret beside the one it replaces.
    static let webhookSecrets = 1...2

    /// Bytes of UTF-8 in an identifier, as in a catalogue.
    static let identifierBytes = 255

    /// Far over any name in use; a longer one is a pasted secret.
    static let environmentVariableNameBytes = 128

    /// A path in a message is shown whole: this is Linux's longest.
    static let pathCharacters = 4096
}
