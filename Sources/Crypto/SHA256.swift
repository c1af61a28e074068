import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// Bytes in a digest.
    public static let byteCount = 32

    /// The 32-byte digest of `bytes`.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { digest($0) }
    }

    /// The 32-byte digest of `bytes`, which are not copied.
    public static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
            let done = EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, algorithm.pointer, nil)
            precondition(done == 1, "SHA-256 cannot fail on bytes in memory")
            count = byteCount
        }
    }

    /// The digest of `bytes` as 64 lower-case hexadecimal digits.
    public static func hex(_ bytes: [UInt8]) -> String {
        let digest = digest(bytes)
        return String(unsafeUninitializedCapacity: 2 * byteCount) { text in
            for (index, byte) in digest.enumerated() {
                text[2 * index] = hexDigit(byte >> 4)
                text[2 * index + 1] = hexDigit(byte & 15)
            }
            return 2 * byteCount
        }
    }

    /// Fetched once: looking an algorithm up costs more than hashing a short message.
    static let algorithm = FetchedDigest("SHA256")

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// A digest algorithm of OpenSSL, kept until the process ends.
///
/// Invariant for `Sendable`: a fetched `EVP_MD` is never changed, and it is never freed.
final class FetchedDigest: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ name: String) {
        guard let fetched = EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL's default provider has \(name)")
        }
        pointer = fetched
    }
}
