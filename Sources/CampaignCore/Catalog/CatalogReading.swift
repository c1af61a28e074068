/// What reading a StoreKit configuration file gave: the catalogue unless there was an error, and everything found.
public struct CatalogReading: Hashable, Sendable {
    /// Nil when any finding is an error.
    public let catalog: Catalog?
    /// In the order of the file; whatever is wrong with it is told at once.
    public let findings: [CatalogFinding]
}

/// Something in a StoreKit configuration file that its owner should know.
public struct CatalogFinding: Hashable, Sendable, CustomStringConvertible {
    /// Whether the file can still be used.
    public enum Severity: String, Hashable, Sendable {
        /// The file cannot be used.
        case error
        /// The file is used as the message says.
        case warning
    }

    public let severity: Severity
    /// Such as `subscriptionGroups[0] 'Reader' > reader.monthly > adHocOffers[1] 'save50'`, or `line 3, column 7`.
    public let place: String
    /// One line that ends with the next step; never anything of a private key.
    public let message: String

    public var description: String { "\(severity.rawValue): \(place): \(message)" }
}
