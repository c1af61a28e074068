import COpenSSL

/// A private key on the curve P-256. Nothing prints it; `P256Signer` signs with it.
///
/// Invariant for `Sendable`: nothing changes the `EVP_PKEY` after `init`, and OpenSSL counts references atomically.
public final class P256PrivateKey: @unchecked Sendable {
    public let publicKey: P256PublicKey

    let key: OpaquePointer

    /// A new key from the system's random numbers.
    public static func generate() -> P256PrivateKey {
        guard let key = KeyReader.generate(), let generated = try? P256PrivateKey(owning: key) else {
            preconditionFailure("OpenSSL makes P-256 keys as long as the system gives random numbers")
        }
        return generated
    }

    /// Reads PKCS #8, PEM or DER, such as the .p8 file of App Store Connect, and checks that the key is sound.
    public convenience init(pkcs8 bytes: [UInt8]) throws(KeyFault) {
        try self.init(owning: try KeyReader.privateKey(bytes))
    }

    private init(owning key: OpaquePointer) throws(KeyFault) {
        self.key = key
        do {
            publicKey = try P256PublicKey(subjectPublicKeyInfo: KeyReader.subjectPublicKeyInfo(of: key))
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
    }

    deinit {
        // Overwrites the number before it gives the memory back.
        EVP_PKEY_free(key)
    }

    /// **The secret itself**, as PKCS #8 in PEM: for key files that this program makes, never for logs or answers.
    public func exportSecretPEM() -> String {
        PEM.encode(label: "PRIVATE KEY", KeyReader.pkcs8(of: key))
    }
}

extension P256PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "P256PrivateKey(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
