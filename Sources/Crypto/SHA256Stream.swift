import COpenSSL

/// SHA-256 over bytes that come in pieces.
public final class SHA256Stream {
    private let context: OpaquePointer

    public init() {
        guard let made = EVP_MD_CTX_new(), EVP_DigestInit_ex2(made, SHA256.algorithm.pointer, nil) == 1 else {
            preconditionFailure("a SHA-256 needs some hundred bytes of memory alone")
        }
        context = made
    }

    deinit { EVP_MD_CTX_free(context) }

    public func update(_ bytes: UnsafeRawBufferPointer) {
        let done = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(done == 1, "SHA-256 cannot fail on bytes in memory")
    }

    /// The 32-byte digest of everything so far; nothing can be added afterwards.
    public func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { digest, count in
            let done = EVP_DigestFinal_ex(context, digest.baseAddress, nil)
            precondition(done == 1, "a digest is finished once")
            count = SHA256.byteCount
        }
    }
}
