/// Which certificate of a chain of three.
public enum CertificateRole: String, Sendable, CaseIterable {
    case leaf
    case intermediate
    case root
}

/// What is wrong with a certificate, or with a chain of three.
public enum CertificateFault: Error, Hashable, Sendable {
    case tooLarge(limit: Int)
    case notACertificate
    case trailingBytes(Int)
    /// It is a certificate, but written in BER where DER writes it otherwise.
    case notDER
    case unreadableDate
    case pem(PEMFault)
    case otherContent(label: String)

    /// The chain does not end in any of the trusted roots.
    case untrustedRoot
    /// `notAfter` and `date` are milliseconds since 1970.
    case expired(CertificateRole, notAfter: Int64, at: Int64)
    /// `notBefore` and `date` are milliseconds since 1970.
    case notYetValid(CertificateRole, notBefore: Int64, at: Int64)
    case invalidSignature(CertificateRole)
    /// The certificate names another issuer than the one that comes after it.
    case notIssuedByNext(CertificateRole)
    /// The certificate that should have issued another is no authority.
    case notAnAuthority(CertificateRole)
    /// Any other rule of RFC 5280 that is broken, in OpenSSL's words.
    case refused(CertificateRole, reason: String)
    case wrongLength(Int)

    /// OpenSSL could not make a certificate or a key.
    case notMade(String)
}

extension CertificateFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge(let limit): "the certificate has more than '\(limit)' bytes; give one certificate"
        case .notACertificate: "this is no X.509 certificate; give it in DER, or in PEM with 'BEGIN CERTIFICATE'"
        case .trailingBytes(let count): "'\(count)' bytes follow the certificate; remove them"
        case .notDER: "the certificate is not in DER; convert it with 'openssl x509 -outform DER'"
        case .unreadableDate: "the certificate's dates cannot be read; have it issued again"
        case .pem(let fault): "the file cannot be read as PEM: \(fault)"
        case .otherContent(let label): "the file holds '\(label)' where only certificates belong; remove it"
        case .untrustedRoot: "the chain does not end in a trusted root certificate; see 'trust' in the configuration"
        case .expired(let role, let notAfter, let date):
            "the \(role) certificate ran out at '\(notAfter)', before '\(date)'; take a payload signed while it was valid"
        case .notYetValid(let role, let notBefore, let date):
            "the \(role) certificate is valid from '\(notBefore)', after '\(date)'; check the date of signing"
        case .invalidSignature(let role):
            "the \(role) certificate was not signed by the one after it; take the chain as it was sent"
        case .notIssuedByNext(let role):
            "the \(role) certificate was not issued by the one after it; take the chain as it was sent"
        case .notAnAuthority(let role):
            "the \(role) certificate may not issue others; take the chain as it was sent"
        case .refused(let role, let reason):
            "the \(role) certificate is refused: '\(reason)'; take the chain as it was sent"
        case .wrongLength(let count): "the chain has '\(count)' certificates where '3' belong; take it as it was sent"
        case .notMade(let step): "OpenSSL failed at '\(step)'; check that its library is whole"
        }
    }
}
