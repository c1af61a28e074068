import COpenSSL

/// What a certificate shall say, before it is signed.
struct CertificateTemplate {
    let commonName: String
    /// Milliseconds since 1970; the end is not part of it.
    let validity: Range<Int64>
    /// At most 20 bytes (RFC 5280, section 4.1.2.2); random when nil.
    let serial: [UInt8]?
    let isAuthority: Bool
    /// How many authorities may stand below this one; nil for any number.
    let pathLength: Int?
    /// Object identifiers of extensions whose value is NULL.
    let extensions: [String]
    /// ASCII text for whoever looks at the certificate; nil for none.
    var comment: String? = nil

    /// The certificate for `subjectKey`, signed by `issuer`, or by itself when that is nil.
    ///
    /// The hash goes with the signing key's size: SHA-384 for P-384.
    func sign(
        subjectKey: OpaquePointer, issuer: Certificate?, issuerKey: OpaquePointer
    ) throws(CertificateFault) -> Certificate {
        defer { ERR_clear_error() }
        guard let x509 = X509_new() else { throw .notMade("X509_new") }
        defer { X509_free(x509) }
        let name = X509_get_subject_name(x509)
        let hasName = X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, commonName, -1, -1, 0) == 1
        let issuerName = issuer.map { X509_get_subject_name($0.handle.x509) } ?? name
        // Version 3 is written as the number 2.
        guard hasName, X509_set_version(x509, 2) == 1, X509_set_issuer_name(x509, issuerName) == 1,
            X509_set_pubkey(x509, subjectKey) == 1
        else { throw .notMade("the certificate's names and key") }
        try setSerial(of: x509)
        guard ASN1_TIME_set(X509_getm_notBefore(x509), validity.lowerBound.quotient(roundingDownBy: 1000)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(x509), validity.upperBound.quotient(roundingDownBy: 1000)) != nil
        else { throw .notMade("the certificate's dates") }
        try addExtensions(to: x509, issuer: issuer?.handle.x509 ?? x509)
        guard X509_sign(x509, issuerKey, EVP_sha384()) > 0 else { throw .notMade("X509_sign") }
        return try Certificate(der: DER.encode { i2d_X509(x509, $0) })
    }

    private func setSerial(of x509: OpaquePointer) throws(CertificateFault) {
        var bytes = serial ?? [UInt8](repeating: 0, count: 16)
        if serial == nil {
            guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { throw .notMade("RAND_bytes") }
            // Positive, and never zero.
            bytes[0] = bytes[0] & 0x7F | 0x40
        }
        guard (1...20).contains(bytes.count), let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else {
            throw .notMade("a serial number of 1 to 20 bytes")
        }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(x509)) != nil else {
            throw .notMade("the serial number")
        }
    }

    private func addExtensions(to x509: OpaquePointer, issuer: OpaquePointer) throws(CertificateFault) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, x509, nil, nil, 0)
        var constraints = isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"
        if let pathLength { constraints += ",pathlen:\(pathLength)" }
        var values = [
            (NID_basic_constraints, constraints),
            (NID_key_usage, isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature"),
            (NID_subject_key_identifier, "hash"),
        ]
        // A root would only name itself.
        if issuer != x509 { values.append((NID_authority_key_identifier, "keyid:always")) }
        if let comment { values.append((NID_netscape_comment, comment)) }
        for (kind, value) in values {
            try add(X509V3_EXT_conf_nid(nil, &context, kind, value), to: x509)
        }
        for oid in extensions {
            guard let object = OBJ_txt2obj(oid, 1), let value = ASN1_STRING_type_new(V_ASN1_OCTET_STRING) else {
                throw .notMade("an extension '\(oid)'")
            }
            defer {
                ASN1_OBJECT_free(object)
                ASN1_STRING_free(value)
            }
            // NULL in DER, which is what Apple's marker extensions hold.
            guard ASN1_STRING_set(value, [0x05, 0x00] as [UInt8], 2) == 1 else { throw .notMade("ASN1_STRING_set") }
            try add(X509_EXTENSION_create_by_OBJ(nil, object, 0, value), to: x509)
        }
    }

    private func add(_ made: OpaquePointer?, to x509: OpaquePointer) throws(CertificateFault) {
        guard let made else { throw .notMade("an extension") }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(x509, made, -1) == 1 else { throw .notMade("X509_add_ext") }
    }
}
