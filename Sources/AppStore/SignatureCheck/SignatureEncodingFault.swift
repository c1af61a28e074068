/// How a signature's text differs from the encoding that Apple takes.
public enum SignatureEncodingFault: String, Hashable, Sendable, CaseIterable {
    case signatureMissing
    case signatureTooLong
    /// In no encoding we know.
    case signatureUnreadable
    /// Decoded well, but the bytes are no ECDSA signature.
    case notASignature
    case lineBreaksInSignature
    case quotesAroundSignature
    case percentEncodedSignature
    case plusBecameSpace
    case base64URLSignature
    case hexadecimalSignature
    case paddingMissing
    case signatureEncodedTwice
    case rawSignature
    case notStrictDER

    // Of the third part of a compact JWS.
    case derSignatureInJWS
    case notARawSignature

    public var code: String { rawValue }
}

extension SignatureEncodingFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .signatureMissing: "the signature is empty; pass what the server signed"
        case .signatureTooLong: "the signature is far longer than any signature; pass that field alone"
        case .signatureUnreadable:
            "the signature's text is neither Base64 nor hexadecimal; pass the server's field unchanged"
        case .notASignature:
            "the signature decodes to bytes that are no ECDSA P-256 signature in DER; "
                + "pass the whole field and sign with a P-256 key"
        case .lineBreaksInSignature:
            "the signature has line breaks or spaces in it; encode it without (for example 'openssl base64 -A')"
        case .quotesAroundSignature: "the signature has quotes around it; pass the text between them"
        case .percentEncodedSignature:
            "the signature is percent-encoded for a URL; decode it once before passing it on"
        case .plusBecameSpace:
            "each '+' of the signature became a space on its way; percent-encode it when it travels in a URL or form"
        case .base64URLSignature:
            "the signature is in base64url; encode it in standard Base64, with '+', '/' and padding"
        case .hexadecimalSignature: "the signature is in hexadecimal; encode the same bytes in standard Base64"
        case .paddingMissing: "the signature's Base64 lacks its padding; keep the '=' at its end"
        case .signatureEncodedTwice:
            "the signature is encoded more than once; the server's field is already Base64, so pass it as it is"
        case .rawSignature:
            "the signature is the 64 bytes r and s; V1 takes DER, so ask the signing library for the DER form "
                + "(in .NET DSASignatureFormat.Rfc3279DerSequence)"
        case .notStrictDER:
            "the signature's DER is not in its shortest form; drop zero bytes before r and s and add one only "
                + "where the first bit is set"
        case .derSignatureInJWS:
            "the JWS's signature is in DER; a JWS takes the 64 bytes r and s (RFC 7518), so convert it"
        case .notARawSignature: "the JWS's signature is not the 64 bytes r and s; sign with ES256"
        }
    }
}
