/// Why bytes are not the P-256 key that was asked for, with what to do about it.
///
/// No case carries bytes of the key, so a fault may be logged.
public enum KeyFault: Error, Hashable, Sendable {
    case empty
    /// How much more is not known: no more than the limit is read.
    case tooLarge(limit: Int)
    case pem(PEMFault)
    /// The file holds this many keys or certificates where one key belongs.
    case severalBlocks(Int)
    /// The key is of another kind, such as `RSA`.
    case otherAlgorithm(String)
    /// The key is on another curve, such as `secp384r1`.
    case otherCurve(String)
    case certificate
    /// A public key where a private one belongs.
    case publicKey
    /// A private key where a public one belongs.
    case privateKey
    /// The older form `BEGIN EC PRIVATE KEY` (SEC 1), with or without `EC PARAMETERS` before it.
    case sec1
    /// Curve parameters without a key.
    case parametersOnly
    case encrypted
    /// A PEM block with a label that is no key, such as `CERTIFICATE REQUEST`.
    case otherContent(label: String)
    case notDER
    case trailingBytes(Int)
    /// A point in compressed form or a curve spelled out in numbers.
    case unusualEncoding
    /// The numbers are no key: a point off the curve, or a public key that does not belong to the private one.
    case inconsistent
}

extension KeyFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "the key is empty; download it again or check that the copy went through"
        case .tooLarge(let limit): "the key has more than '\(limit)' bytes; give the key file itself"
        case .pem(let fault): "the key cannot be read: \(fault)"
        case .severalBlocks(let count): "the file holds '\(count)' PEM blocks; keep only the one of the key"
        case .otherAlgorithm(let name):
            "the key is '\(name)', not an elliptic-curve key; use the In-App Purchase key from App Store Connect"
        case .otherCurve(let name):
            "the key is on the curve '\(name)', not on P-256; use the In-App Purchase key from App Store Connect"
        case .certificate: "this is a certificate, not a key; give the key file"
        case .publicKey:
            "this is a public key, which cannot sign; give the private key, the .p8 file from App Store Connect"
        case .privateKey:
            "this is a private key where a public key belongs; make one with 'openssl pkey -in FILE -pubout'"
        case .sec1:
            "the key is in the older form 'EC PRIVATE KEY'; convert it with "
                + "'openssl pkcs8 -topk8 -nocrypt -in FILE -out KEY.p8'"
        case .parametersOnly:
            "the file has only 'EC PARAMETERS' and no key; make one with "
                + "'openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out KEY.p8'"
        case .encrypted:
            "the key is encrypted; decrypt it with 'openssl pkcs8 -topk8 -nocrypt -in FILE -out KEY.p8' and chmod 600 it"
        case .otherContent(let label): "the file holds a '\(label)', not a key; give the key file"
        case .notDER: "the bytes are neither PEM nor a key in DER; give the file as it was downloaded"
        case .trailingBytes(let count): "'\(count)' bytes follow the key; copy the file again"
        case .unusualEncoding:
            "the key does not name its curve or compresses its point; convert it with 'openssl pkey -in FILE "
                + "-ec_param_enc named_curve -ec_conv_form uncompressed -out KEY.p8', and '-pubin -pubout' if it is public"
        case .inconsistent: "the key's numbers do not belong together; the file is damaged, copy it again"
        }
    }
}
