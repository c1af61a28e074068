/// Where a purchase was made: Apple's `environment`.
///
/// `Xcode` and `LocalTesting` payloads are signed by nobody, so they are words we know and always refuse.
public struct AppStoreEnvironment: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let production = Self(rawValue: "Production")
    public static let sandbox = Self(rawValue: "Sandbox")
    public static let xcode = Self(rawValue: "Xcode")
    public static let localTesting = Self(rawValue: "LocalTesting")

    /// Whether Apple signs what comes from there.
    public var isSignedByApple: Bool { self == .production || self == .sandbox }

    public var description: String { rawValue }
}
