public import CampaignCore

/// What the holder of an API key may do (design section 4).
public enum APIRole: String, Hashable, Sendable, CaseIterable {
    case client
    case device
    case marketer
    case `operator`
}

/// What is known of an API key; the key itself is stored only as its SHA-256 digest, and not here.
public struct APIKey: Hashable, Sendable {
    public let name: String
    public let role: APIRole
    /// The one app that the key is for; nil means every app.
    public let bundleId: BundleID?
    public let createdDate: Instant
    public let revokedDate: Instant?

    public init(name: String, role: APIRole, bundleId: BundleID?, createdDate: Instant, revokedDate: Instant? = nil) {
        self.name = name
        self.role = role
        self.bundleId = bundleId
        self.createdDate = createdDate
        self.revokedDate = revokedDate
    }

    public var isRevoked: Bool { revokedDate != nil }

    /// Whether `name` may name a key: 1 to 100 bytes without control characters.
    public static func isValidName(_ name: String) -> Bool {
        (1...Limits.apiKeyNameBytes).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

/// What `revokeAPIKey` found.
public enum APIKeyRevocation: Hashable, Sendable {
    case revoked
    case alreadyRevoked(Instant)
    case unknownName
}
