import COpenSSL

/// Signs with one private key: ECDSA on P-256 over SHA-256.
///
/// It belongs to one thread and is not `Sendable`: it keeps OpenSSL's contexts between signatures, which is a
/// quarter faster than making them anew. The same message gives other bytes each time.
public final class P256Signer {
    private let privateKey: P256PrivateKey
    private let signing: OpaquePointer
    private let hashing: OpaquePointer

    public init(_ key: P256PrivateKey) {
        guard let signing = EVP_PKEY_CTX_new_from_pkey(nil, key.key, nil), EVP_PKEY_sign_init(signing) == 1,
            let hashing = EVP_MD_CTX_new()
        else { preconditionFailure("OpenSSL signs with every P-256 key that it has checked") }
        privateKey = key
        self.signing = signing
        self.hashing = hashing
    }

    deinit {
        EVP_PKEY_CTX_free(signing)
        EVP_MD_CTX_free(hashing)
    }

    /// The signature over `message` in DER, 68 to 72 bytes nearly always.
    public func derSignature(over message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: ECDSASignature.derByteCountMax) { signature, count in
            count = withDigest(of: message) { digest in
                var length = ECDSASignature.derByteCountMax
                let done = EVP_PKEY_sign(signing, signature.baseAddress, &length, digest.baseAddress, digest.count)
                precondition(done == 1, "OpenSSL signs as long as the system gives random numbers")
                return length
            }
        }
    }

    /// The signature over `message` as the 64 bytes r and s.
    public func rawSignature(over message: [UInt8]) -> [UInt8] {
        guard let raw = ECDSASignature.raw(fromDER: derSignature(over: message)) else {
            preconditionFailure("OpenSSL writes strict DER")
        }
        return raw
    }

    private func withDigest(of message: [UInt8], _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> Int {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: SHA256.byteCount) { digest in
            let done =
                EVP_DigestInit_ex2(hashing, SHA256.algorithm.pointer, nil) == 1
                && EVP_DigestUpdate(hashing, message, message.count) == 1
                && EVP_DigestFinal_ex(hashing, digest.baseAddress, nil) == 1
            precondition(done, "SHA-256 cannot fail on bytes in memory")
            return body(digest)
        }
    }
}
