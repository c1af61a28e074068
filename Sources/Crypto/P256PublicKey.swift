import COpenSSL
import Synchronization

/// A public key on the curve P-256, for ECDSA with SHA-256 (Apple's `ES256`).
///
/// It may be used from several threads at once.
///
/// Invariant for `Sendable`: nothing changes the `EVP_PKEY` after `init`, each verification has a context to itself, and
/// OpenSSL counts references atomically.
public final class P256PublicKey: @unchecked Sendable {
    /// The key in DER, 91 bytes: SubjectPublicKeyInfo with a named curve and an uncompressed point (RFC 5480).
    public let subjectPublicKeyInfo: [UInt8]

    private let key: OpaquePointer
    /// Contexts that are ready to verify and that nobody uses: preparing one takes a twentieth of a verification.
    private let contexts = Mutex<[Context]>([])

    /// A context on its way between threads.
    ///
    /// Sendable because it is in the list or with one thread, never both: it is taken out under the lock.
    private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// Reads DER of a SubjectPublicKeyInfo; nothing may follow it.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(KeyFault) {
        key = try KeyReader.publicKey(der)
        subjectPublicKeyInfo = der
    }

    /// Reads a PEM file with one block `PUBLIC KEY`.
    public convenience init(pem: String) throws(KeyFault) {
        try self.init(subjectPublicKeyInfo: try KeyReader.publicKeyDER(inPEM: Array(pem.utf8)))
    }

    deinit {
        contexts.withLock { for context in $0 { EVP_PKEY_CTX_free(context.pointer) } }
        EVP_PKEY_free(key)
    }

    /// Whether `signature`, DER as `openssl dgst -sign` writes it, is this key's over the SHA-256 of `message`.
    public func isValid(derSignature signature: [UInt8], over message: [UInt8]) -> Bool {
        isValid(derSignature: signature, digest: SHA256.digest(message))
    }

    /// Whether `signature`, the 64 bytes r and s that a JWS carries, is this key's over the SHA-256 of `message`.
    public func isValid(rawSignature signature: [UInt8], over message: [UInt8]) -> Bool {
        message.withUnsafeBytes { isValid(rawSignature: signature, over: $0) }
    }

    /// The same without a copy of the message.
    public func isValid(rawSignature signature: [UInt8], over message: UnsafeRawBufferPointer) -> Bool {
        guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
        return isValid(derSignature: der, digest: SHA256.digest(message))
    }

    private func isValid(derSignature signature: [UInt8], digest: [UInt8]) -> Bool {
        guard !signature.isEmpty, let context = readyContext() else { return false }
        guard EVP_PKEY_verify(context.pointer, signature, signature.count, digest, digest.count) == 1 else {
            EVP_PKEY_CTX_free(context.pointer)
            ERR_clear_error()
            return false
        }
        let isKept = contexts.withLock { contexts in
            guard contexts.count < CryptoLimits.readyContexts else { return false }
            contexts.append(context)
            return true
        }
        if !isKept { EVP_PKEY_CTX_free(context.pointer) }
        return true
    }

    private func readyContext() -> Context? {
        if let context = contexts.withLock({ $0.popLast() }) { return context }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return nil }
        guard EVP_PKEY_verify_init(context) == 1 else {
            EVP_PKEY_CTX_free(context)
            return nil
        }
        return Context(pointer: context)
    }
}

extension P256PublicKey: Hashable, CustomStringConvertible {
    public static func == (one: P256PublicKey, other: P256PublicKey) -> Bool {
        one.subjectPublicKeyInfo == other.subjectPublicKeyInfo
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(subjectPublicKeyInfo)
    }

    /// The key as PEM, one block `PUBLIC KEY`.
    public var pem: String { PEM.encode(label: "PUBLIC KEY", subjectPublicKeyInfo) }

    public var description: String { "P256PublicKey(SHA-256 \(SHA256.hex(subjectPublicKeyInfo).prefix(16)))" }
}
