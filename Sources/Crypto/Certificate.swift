import COpenSSL

/// An X.509 certificate, read strictly: DER that is exactly one certificate, to its last byte.
///
/// Two certificates are equal when their bytes are.
public struct Certificate: Sendable {
    /// The bytes it was read from.
    public let der: [UInt8]
    /// Its first valid instant, in milliseconds since 1970.
    public let notBefore: Int64
    /// The instant from which it is no longer valid, in milliseconds since 1970.
    public let notAfter: Int64

    let handle: CertificateHandle

    /// Reads DER; nothing may follow the certificate, and it must be written as `i2d_X509` would write it.
    public init(der: [UInt8]) throws(CertificateFault) {
        guard der.count <= CryptoLimits.certificateBytes else {
            throw .tooLarge(limit: CryptoLimits.certificateBytes)
        }
        defer { ERR_clear_error() }
        let (parsed, bytesLeft) = DER.decode(der) { d2i_X509(nil, &$0, $1) }
        guard let parsed else { throw .notACertificate }
        // From here on the handle frees it.
        let handle = CertificateHandle(owning: parsed)
        guard bytesLeft == 0 else { throw .trailingBytes(bytesLeft) }
        guard DER.encode({ i2d_X509(handle.x509, $0) }) == der else { throw .notDER }
        guard let notBefore = Self.milliseconds(X509_get0_notBefore(handle.x509)),
            let notAfter = Self.milliseconds(X509_get0_notAfter(handle.x509))
        else { throw .unreadableDate }
        self.der = der
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.handle = handle
    }

    /// Every certificate of a file: DER of one, or PEM of one or more. Anything else in the file is refused.
    public static func all(in file: [UInt8]) throws(CertificateFault) -> [Certificate] {
        // 0x30 begins every DER sequence, and no PEM file.
        if file.first == 0x30 { return [try Certificate(der: file)] }
        let isBlank = file.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard !isBlank else { throw .notACertificate }
        let blocks: [PEMBlock]
        do {
            blocks = try PEM.blocks(in: file)
        } catch {
            throw .pem(error)
        }
        var certificates: [Certificate] = []
        for block in blocks {
            guard block.label == "CERTIFICATE" else { throw .otherContent(label: block.label) }
            certificates.append(try Certificate(der: block.bytes))
        }
        return certificates
    }

    /// The certificate as PEM, one block `CERTIFICATE`.
    public var pem: String { PEM.encode(label: "CERTIFICATE", der) }

    /// The SHA-256 of its bytes as 64 lower-case hexadecimal digits.
    public var fingerprint: String { SHA256.hex(der) }

    /// Whom it names, written as RFC 2253 does, last part first: `C=US,O=Apple Inc.,…,CN=Apple Root CA - G3`.
    public var subject: String {
        guard let text = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(text) }
        guard X509_NAME_print_ex(text, X509_get_subject_name(handle.x509), 0, Self.nameStyle) >= 0 else {
            return ""
        }
        var bytes = [UInt8](repeating: 0, count: CryptoLimits.certificateBytes)
        let length = BIO_read(text, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(Int(max(0, length))), as: UTF8.self)
    }

    /// Whether it has an extension with the object identifier `oid`, written with dots.
    public func contains(extension oid: String) -> Bool {
        guard let object = OBJ_txt2obj(oid, 1) else { return false }
        defer { ASN1_OBJECT_free(object) }
        return X509_get_ext_by_OBJ(handle.x509, object, -1) >= 0
    }

    /// Its public key, which must be on P-256.
    public func publicKey() throws(KeyFault) -> P256PublicKey {
        let info = DER.encode { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(handle.x509), $0) }
        return try P256PublicKey(subjectPublicKeyInfo: info)
    }

    /// `XN_FLAG_RFC2253`, a macro that Swift cannot import.
    private static let nameStyle = UInt(
        ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_ESC_MSB | ASN1_STRFLGS_UTF8_CONVERT
            | ASN1_STRFLGS_DUMP_UNKNOWN | ASN1_STRFLGS_DUMP_DER | XN_FLAG_SEP_COMMA_PLUS | XN_FLAG_DN_REV
            | XN_FLAG_DUMP_UNKNOWN_FIELDS)

    private static func milliseconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return (Int64(days) * 86_400 + Int64(seconds)) * 1000
    }
}

extension Certificate: Hashable, CustomStringConvertible {
    public static func == (one: Certificate, other: Certificate) -> Bool {
        one.der == other.der
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(der)
    }

    public var description: String { "Certificate(\(subject))" }
}

/// OpenSSL's `X509`, freed together with this object.
///
/// Invariant for `Sendable`: nothing changes the `X509` after it was read or signed. OpenSSL fills its caches inside it
/// under a lock of its own.
final class CertificateHandle: @unchecked Sendable {
    let x509: OpaquePointer

    init(owning x509: OpaquePointer) {
        self.x509 = x509
    }

    deinit {
        X509_free(x509)
    }
}
