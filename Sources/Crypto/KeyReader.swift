import COpenSSL

/// Reads and writes keys through OpenSSL, and says what is wrong with the ones it refuses.
///
/// The caller owns every `EVP_PKEY` that comes back.
enum KeyReader {
    static func generate() -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, curve) == 1,
            EVP_PKEY_generate(context, &key) == 1
        else { return nil }
        return key
    }

    static func privateKey(_ bytes: [UInt8]) throws(KeyFault) -> OpaquePointer {
        let der = try privateKeyDER(bytes)
        defer { ERR_clear_error() }
        let (info, left) = DER.decode(der) { d2i_PKCS8_PRIV_KEY_INFO(nil, &$0, $1) }
        guard let info else { throw kind(ofDER: der) ?? .notDER }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        guard left == 0 else { throw .trailingBytes(left) }
        guard let key = EVP_PKCS82PKEY(info) else { throw .inconsistent }
        return try checked(key) { EVP_PKEY_check($0) }
    }

    static func publicKey(_ der: [UInt8]) throws(KeyFault) -> OpaquePointer {
        guard !der.isEmpty else { throw .empty }
        guard der.count <= CryptoLimits.keyFileBytes else {
            throw .tooLarge(limit: CryptoLimits.keyFileBytes)
        }
        defer { ERR_clear_error() }
        let (parsed, left) = DER.decode(der) { d2i_PUBKEY(nil, &$0, $1) }
        guard let parsed else { throw publicKeyFault(der) }
        guard left == 0 else {
            EVP_PKEY_free(parsed)
            throw .trailingBytes(left)
        }
        let key = try checked(parsed) { EVP_PKEY_public_check($0) }
        guard der.count == uncompressedInfoPrefix.count + 64, der.starts(with: uncompressedInfoPrefix) else {
            EVP_PKEY_free(key)
            throw .unusualEncoding
        }
        return key
    }

    /// The canonical 91 bytes for the public half of a key that `checked` passed.
    static func subjectPublicKeyInfo(of key: OpaquePointer) -> [UInt8] {
        _ = EVP_PKEY_set_utf8_string_param(key, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "uncompressed")
        return DER.encode { i2d_PUBKEY(key, $0) }
    }

    static func pkcs8(of key: OpaquePointer) -> [UInt8] {
        guard let info = EVP_PKEY2PKCS8(key) else { return [] }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return DER.encode { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
    }

    static func publicKeyDER(inPEM text: [UInt8]) throws(KeyFault) -> [UInt8] {
        let block = try onlyBlock(in: text)
        if block.label == "PUBLIC KEY" { return block.bytes }
        throw block.label.hasSuffix("PRIVATE KEY") ? .privateKey : fault(ofLabel: block.label)
    }

    private static func privateKeyDER(_ bytes: [UInt8]) throws(KeyFault) -> [UInt8] {
        guard bytes.count <= CryptoLimits.keyFileBytes else {
            throw .tooLarge(limit: CryptoLimits.keyFileBytes)
        }
        // 0x30 begins every DER sequence, and no PEM file.
        if bytes.first == 0x30 { return bytes }
        let block = try onlyBlock(in: bytes)
        guard !block.isEncrypted else { throw .encrypted }
        guard block.label == "PRIVATE KEY" else { throw fault(ofLabel: block.label) }
        return block.bytes
    }

    private static func onlyBlock(in text: [UInt8]) throws(KeyFault) -> PEMBlock {
        let isBlank = text.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard !isBlank else { throw .empty }
        guard text.count <= CryptoLimits.keyFileBytes else {
            throw .tooLarge(limit: CryptoLimits.keyFileBytes)
        }
        let blocks: [PEMBlock]
        do {
            blocks = try PEM.blocks(in: text)
        } catch .noBlock(isBase64: false) {
            throw .notDER
        } catch {
            throw .pem(error)
        }
        // OpenSSL writes the parameters of the curve before a key in the older form.
        let keys = blocks.filter { $0.label != "EC PARAMETERS" }
        guard let block = keys.first else { throw .parametersOnly }
        guard keys.count == 1 else { throw .severalBlocks(keys.count) }
        return block
    }

    private static func fault(ofLabel label: String) -> KeyFault {
        switch label {
        case "EC PRIVATE KEY": .sec1
        case "ENCRYPTED PRIVATE KEY": .encrypted
        case "PUBLIC KEY": .publicKey
        case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE": .certificate
        case "RSA PRIVATE KEY", "RSA PUBLIC KEY": .otherAlgorithm("RSA")
        case "DSA PRIVATE KEY": .otherAlgorithm("DSA")
        default: .otherContent(label: label)
        }
    }

    /// What DER that is no PKCS #8 holds instead, when it is something we know.
    private static func kind(ofDER der: [UInt8]) -> KeyFault? {
        if let request = DER.decode(der, { d2i_X509_SIG(nil, &$0, $1) }).parsed {
            X509_SIG_free(request)
            return .encrypted
        }
        if let certificate = DER.decode(der, { d2i_X509(nil, &$0, $1) }).parsed {
            X509_free(certificate)
            return .certificate
        }
        if let key = DER.decode(der, { d2i_PUBKEY(nil, &$0, $1) }).parsed {
            EVP_PKEY_free(key)
            return .publicKey
        }
        if let key = DER.decode(der, { d2i_PrivateKey(EVP_PKEY_EC, nil, &$0, $1) }).parsed {
            EVP_PKEY_free(key)
            return .sec1
        }
        if let key = DER.decode(der, { d2i_PrivateKey(EVP_PKEY_RSA, nil, &$0, $1) }).parsed {
            EVP_PKEY_free(key)
            return .otherAlgorithm("RSA")
        }
        return nil
    }

    private static func publicKeyFault(_ der: [UInt8]) -> KeyFault {
        if let info = DER.decode(der, { d2i_PKCS8_PRIV_KEY_INFO(nil, &$0, $1) }).parsed {
            PKCS8_PRIV_KEY_INFO_free(info)
            return .privateKey
        }
        if der.starts(with: uncompressedInfoPrefix) { return .inconsistent }
        switch kind(ofDER: der) {
        case .sec1: return .privateKey
        case .some(let fault): return fault
        case nil: return .notDER
        }
    }

    /// Takes over `key` and gives it back when it is a sound P-256 key.
    private static func checked(
        _ key: OpaquePointer, with check: (OpaquePointer) -> Int32
    ) throws(KeyFault) -> OpaquePointer {
        do {
            guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC else {
                throw KeyFault.otherAlgorithm(EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown")
            }
            let group = groupName(of: key)
            guard group == curve else { throw KeyFault.otherCurve(group) }
            guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { throw KeyFault.inconsistent }
            defer { EVP_PKEY_CTX_free(context) }
            guard check(context) == 1 else { throw KeyFault.inconsistent }
            return key
        } catch {
            EVP_PKEY_free(key)
            throw error as? KeyFault ?? .inconsistent
        }
    }

    private static func groupName(of key: OpaquePointer) -> String {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return "unknown" }
        return String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static let curve = "prime256v1"

    /// A SubjectPublicKeyInfo up to and with the byte 4 of an uncompressed point, for the named curve P-256 (RFC 5480).
    private static let uncompressedInfoPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
}
