import Crypto
import Storage

/// An API key at the one moment when its text is known; only the digest is stored.
struct NewAPIKey {
    /// **The secret itself**: `hf_client_` and 43 characters of base64url, to be shown once.
    let secretText: String
    /// The SHA-256 of the text, 32 bytes.
    let digest: [UInt8]

    /// A key for `role` from 32 bytes of the system's random numbers, which nobody can guess or try.
    init(role: APIRole) {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<Self.randomBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        secretText = "hf_\(role.rawValue)_\(Base64URL.encode(bytes))"
        digest = SHA256.digest(Array(secretText.utf8))
    }

    private static let randomBytes = 32
}

extension NewAPIKey: CustomStringConvertible, CustomReflectable {
    var description: String { "NewAPIKey(secret)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
