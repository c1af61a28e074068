public import Crypto
import FoundationEssentials

/// A JSON Web Signature in compact form (RFC 7515), taken apart strictly; nothing of it is proven yet.
public struct JWS: Sendable {
    /// What a header says; other names in it are ignored, but for `crit`.
    public struct Header: Sendable, Decodable {
        public let alg: String?
        public let kid: String?
        public let typ: String?
        /// The certificates, leaf first, each in standard base64 of its DER.
        public let x5c: [String]?
        let crit: [String]?
    }

    public let header: Header
    /// The decoded payload, usually JSON.
    public let payload: [UInt8]
    /// The decoded signature: r and s, 64 bytes, for `ES256`.
    public let signature: [UInt8]

    private let text: [UInt8]
    private let signingInputEnd: Int

    /// Takes `compact` apart: exactly three parts, base64url without padding, a header that is a JSON object.
    ///
    /// Whether the header's `alg` and `x5c` are what the App Store sends is for `checkHeader` to say.
    public init(_ compact: String) throws(AppStoreError) {
        guard compact.utf8.count <= AppStoreLimits.jwsBytes else {
            throw .tooLarge(bytes: compact.utf8.count, limit: AppStoreLimits.jwsBytes)
        }
        let text = Array(compact.utf8)
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        guard dots.count == 2 else { throw .wrongPartCount(dots.count + 1) }
        guard dots[0] <= AppStoreLimits.jwsHeaderBytes else {
            throw .tooLarge(bytes: dots[0], limit: AppStoreLimits.jwsHeaderBytes)
        }
        guard let headerJSON = Base64URL.decode(text[..<dots[0]]) else { throw .malformedEncoding(part: .header) }
        guard let payload = Base64URL.decode(text[(dots[0] + 1)..<dots[1]]) else {
            throw .malformedEncoding(part: .payload)
        }
        guard let signature = Base64URL.decode(text[(dots[1] + 1)...]) else {
            throw .malformedEncoding(part: .signature)
        }
        do {
            header = try PayloadDecoder.shared.decode(Header.self, from: headerJSON)
        } catch {
            throw .malformedHeader(detail: error.field.map { "'\($0)' has the wrong type" } ?? "it is no JSON object")
        }
        guard header.crit == nil else { throw .malformedHeader(detail: "'crit' asks for extensions that are unknown") }
        self.text = text
        self.payload = payload
        self.signature = signature
        signingInputEnd = dots[1]
    }

    /// Whether `key` signed this header and payload with ES256.
    public func isSigned(by key: P256PublicKey) -> Bool {
        text.withUnsafeBytes {
            key.isValid(rawSignature: signature, over: UnsafeRawBufferPointer(rebasing: $0[..<signingInputEnd]))
        }
    }
}
