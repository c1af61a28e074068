import COpenSSL

/// A certificate that may issue others, with its private key (P-384, as Apple's authorities have).
///
/// It makes the chains of the private App Store: what it issues is trusted nowhere else. Nothing prints its key.
public struct CertificateAuthority: Sendable {
    public let certificate: Certificate

    private let key: AuthorityKey

    /// A new self-signed root.
    ///
    /// - Parameters:
    ///   - validity: milliseconds since 1970, cut to whole seconds; the end is not part of it.
    ///   - serial: the certificate's number, at most 20 bytes; random when it is nil.
    ///   - comment: ASCII text in the certificate for whoever looks at it.
    public init(
        rootNamed name: String, validity: Range<Int64>, serial: [UInt8]? = nil, comment: String? = nil
    ) throws(CertificateFault) {
        let key = try AuthorityKey()
        let template = CertificateTemplate(
            commonName: name, validity: validity, serial: serial, isAuthority: true, pathLength: nil, extensions: [],
            comment: comment)
        certificate = try template.sign(subjectKey: key.key, issuer: nil, issuerKey: key.key)
        self.key = key
    }

    private init(certificate: Certificate, key: AuthorityKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Puts a stored authority together again; the key is PKCS #8 in PEM as `exportSecretPEM` gives it.
    public init(certificate: Certificate, secretPEM: [UInt8]) throws(CertificateFault) {
        let key = try AuthorityKey(pem: secretPEM)
        guard X509_check_private_key(certificate.handle.x509, key.key) == 1 else {
            ERR_clear_error()
            throw .notMade("a key that belongs to another certificate")
        }
        self.init(certificate: certificate, key: key)
    }

    /// **The secret itself**, as PKCS #8 in PEM: for key files that this program makes, never for logs or answers.
    public func exportSecretPEM() -> String { key.secretPEM }

    /// A new authority below this one, which may issue leaves only.
    ///
    /// - Parameter extensions: object identifiers, each of which becomes an extension with the value NULL, as Apple's do.
    public func issueIntermediate(
        named name: String, validity: Range<Int64>, extensions: [String], serial: [UInt8]? = nil,
        comment: String? = nil
    ) throws(CertificateFault) -> CertificateAuthority {
        let key = try AuthorityKey()
        let template = CertificateTemplate(
            commonName: name, validity: validity, serial: serial, isAuthority: true, pathLength: 0,
            extensions: extensions, comment: comment)
        let certificate = try template.sign(subjectKey: key.key, issuer: self.certificate, issuerKey: self.key.key)
        return CertificateAuthority(certificate: certificate, key: key)
    }

    /// A certificate for `publicKey` that may sign data and nothing else.
    public func issueLeaf(
        named name: String, for publicKey: P256PublicKey, validity: Range<Int64>, extensions: [String],
        serial: [UInt8]? = nil, comment: String? = nil
    ) throws(CertificateFault) -> Certificate {
        let (key, _) = DER.decode(publicKey.subjectPublicKeyInfo) { d2i_PUBKEY(nil, &$0, $1) }
        guard let key else { throw .notMade("d2i_PUBKEY") }
        defer { EVP_PKEY_free(key) }
        let template = CertificateTemplate(
            commonName: name, validity: validity, serial: serial, isAuthority: false, pathLength: nil,
            extensions: extensions, comment: comment)
        return try template.sign(subjectKey: key, issuer: certificate, issuerKey: self.key.key)
    }
}

extension CertificateAuthority: CustomStringConvertible, CustomReflectable {
    public var description: String { "CertificateAuthority(\(certificate.subject))" }
    public var customMirror: Mirror { Mirror(self, children: ["certificate": certificate]) }
}

/// A private key on P-384.
///
/// Invariant for `Sendable`: nothing changes the `EVP_PKEY` after `init`, and OpenSSL counts references atomically.
private final class AuthorityKey: @unchecked Sendable {
    let key: OpaquePointer

    init() throws(CertificateFault) {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .notMade("EVP_PKEY_CTX") }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "secp384r1") == 1,
            EVP_PKEY_generate(context, &made) == 1, let made
        else { throw .notMade("EVP_PKEY_generate") }
        key = made
    }

    init(pem: [UInt8]) throws(CertificateFault) {
        let blocks: [PEMBlock]
        do {
            blocks = try PEM.blocks(in: pem)
        } catch {
            throw .pem(error)
        }
        guard let block = blocks.first, blocks.count == 1, block.label == "PRIVATE KEY" else {
            throw .otherContent(label: blocks.first?.label ?? "nothing")
        }
        defer { ERR_clear_error() }
        let (info, bytesLeft) = DER.decode(block.bytes) { d2i_PKCS8_PRIV_KEY_INFO(nil, &$0, $1) }
        guard let info else { throw .notMade("a private key in PKCS #8") }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        guard bytesLeft == 0, let read = EVP_PKCS82PKEY(info) else { throw .notMade("a private key in PKCS #8") }
        key = read
    }

    deinit {
        // Overwrites the number before it gives the memory back.
        EVP_PKEY_free(key)
    }

    var secretPEM: String {
        guard let info = EVP_PKEY2PKCS8(key) else { return "" }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return PEM.encode(label: "PRIVATE KEY", DER.encode { i2d_PKCS8_PRIV_KEY_INFO(info, $0) })
    }
}
