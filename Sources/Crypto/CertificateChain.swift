import COpenSSL

/// A leaf, its intermediate and a trusted root that prove each other.
public struct CertificateChain: Sendable {
    public let leaf: Certificate
    public let intermediate: Certificate
    public let root: Certificate

    /// Milliseconds since 1970 in which all three are valid; the end is not part of it, as in OpenSSL.
    public var validity: Range<Int64> {
        let start = max(leaf.notBefore, intermediate.notBefore, root.notBefore)
        return start..<max(start, min(leaf.notAfter, intermediate.notAfter, root.notAfter))
    }

    /// Refuses a date at which one of the three is not valid, as `verify` does; milliseconds since 1970.
    ///
    /// For a chain that is proven already and is met again with another date.
    public func checkDates(at date: Int64) throws(CertificateFault) {
        guard !validity.contains(date) else { return }
        for (role, certificate) in zip(CertificateRole.allCases, [leaf, intermediate, root]) {
            guard date >= certificate.notBefore else {
                throw .notYetValid(role, notBefore: certificate.notBefore, at: date)
            }
            guard date < certificate.notAfter else { throw .expired(role, notAfter: certificate.notAfter, at: date) }
        }
    }

    /// Proves that one of `trustedRoots` issued `intermediate`, and that `intermediate` issued `leaf`, as of `date`.
    ///
    /// The rules are those of RFC 5280 as OpenSSL checks them with `X509_STRICT`; the chain is exactly three long, any
    /// purpose will do, and nothing weaker than 112 bits of security is accepted. Revocation is not asked.
    ///
    /// - Parameter date: milliseconds since 1970 at which each of the three must be valid.
    public static func verify(
        leaf: Certificate, intermediate: Certificate, trustedRoots: [Certificate], at date: Int64
    ) throws(CertificateFault) -> CertificateChain {
        defer { ERR_clear_error() }
        guard let store = X509_STORE_new() else { throw .notMade("X509_STORE_new") }
        defer { X509_STORE_free(store) }
        for root in trustedRoots {
            guard X509_STORE_add_cert(store, root.handle.x509) == 1 else { throw .notMade("X509_STORE_add_cert") }
        }
        guard let untrusted = OPENSSL_sk_new_null() else { throw .notMade("OPENSSL_sk_new_null") }
        // The stack only points at the certificate, which its handle keeps.
        defer { OPENSSL_sk_free(untrusted) }
        guard OPENSSL_sk_push(untrusted, UnsafeRawPointer(intermediate.handle.x509)) == 1 else {
            throw .notMade("OPENSSL_sk_push")
        }
        guard let context = X509_STORE_CTX_new() else { throw .notMade("X509_STORE_CTX_new") }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_CTX_init(context, store, leaf.handle.x509, untrusted) == 1 else {
            throw .notMade("X509_STORE_CTX_init")
        }
        let seconds = min(
            max(date.quotient(roundingDownBy: 1000), datesWithYears.lowerBound), datesWithYears.upperBound)
        X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_X509_STRICT))
        X509_STORE_CTX_set_time(context, 0, seconds)
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), authenticationLevel)
        guard X509_STORE_CTX_set_purpose(context, X509_PURPOSE_ANY) == 1 else {
            throw .notMade("X509_STORE_CTX_set_purpose")
        }

        guard X509_verify_cert(context) == 1 else {
            let proposed = [leaf, intermediate]
            let depth = Int(X509_STORE_CTX_get_error_depth(context))
            let failing = X509_STORE_CTX_get_current_cert(context)
            let root = trustedRoots.first { failing != nil && X509_cmp($0.handle.x509, failing) == 0 }
            throw fault(
                X509_STORE_CTX_get_error(context), depth: depth,
                certificate: depth < proposed.count ? proposed[depth] : root, at: date)
        }
        let length = Int(OPENSSL_sk_num(X509_STORE_CTX_get0_chain(context)))
        guard length == CertificateRole.allCases.count else { throw .wrongLength(length) }
        let top = OpaquePointer(OPENSSL_sk_value(X509_STORE_CTX_get0_chain(context), 2))
        guard let root = trustedRoots.first(where: { X509_cmp($0.handle.x509, top) == 0 }) else {
            throw .untrustedRoot
        }
        return CertificateChain(leaf: leaf, intermediate: intermediate, root: root)
    }

    /// OpenSSL's level 2: 112 bits, so no SHA-1 signatures and no RSA keys under 2,048 bits.
    private static let authenticationLevel: Int32 = 2

    /// Seconds since 1970 of the years 0 to 9999, the only ones that OpenSSL can compare and a certificate can name.
    private static let datesWithYears = -62_167_219_200...253_402_300_799

    private static func fault(
        _ error: Int32, depth: Int, certificate: Certificate?, at date: Int64
    ) -> CertificateFault {
        let role: CertificateRole = depth == 0 ? .leaf : depth == 1 ? .intermediate : .root
        switch error {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return .expired(role, notAfter: certificate?.notAfter ?? date, at: date)
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return .notYetValid(role, notBefore: certificate?.notBefore ?? date, at: date)
        case X509_V_ERR_CERT_SIGNATURE_FAILURE:
            return .invalidSignature(role)
        case X509_V_ERR_INVALID_CA, X509_V_ERR_INVALID_NON_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
            return .notAnAuthority(role)
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            // At depth 0 the search ended at the leaf: the intermediate is not its issuer, whatever the roots are.
            return role == .leaf ? .notIssuedByNext(.leaf) : .untrustedRoot
        default:
            return .refused(role, reason: String(cString: X509_verify_cert_error_string(Int(error))))
        }
    }
}

extension Int64 {
    /// The quotient rounded down, also for numbers below zero.
    func quotient(roundingDownBy divisor: Int64) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return Int(remainder < 0 ? quotient - 1 : quotient)
    }
}
