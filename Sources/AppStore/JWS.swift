public import CampaignCore
public import Crypto

#if canImport(Glibc)
    import Glibc
#endif

/// A JSON Web Signature in compact form (RFC 7515), taken apart strictly; nothing of it is proven yet.
public struct JWS: Sendable {
    /// What a header says; other names in it are ignored, but for `crit`.
    public struct Header: Sendable {
        public internal(set) var alg: String?
        public internal(set) var kid: String?
        public internal(set) var typ: String?
        /// The certificates, leaf first, each in standard base64 of its DER.
        public internal(set) var x5c: [String]?
    }

    public let header: Header
    /// The header as it was sent, base64url; all payloads that one certificate signed have the same.
    public let headerText: [UInt8]
    /// The chain that the header names, when it was proven before.
    let provenChain: VerifiedChain?
    /// The decoded payload, usually JSON.
    public let payload: [UInt8]
    /// The decoded signature: r and s, 64 bytes, for `ES256`.
    public let signature: [UInt8]

    private let text: ArraySlice<UInt8>
    private let signingInputEnd: Int

    /// Takes `compact` apart: exactly three parts, base64url without padding, a header that is a JSON object.
    ///
    /// Whether the header's `alg` and `x5c` are what the App Store sends is for `SignedDataVerifier` to say.
    public init(_ compact: String) throws(AppStoreError) {
        try self.init(SignedText(compact), proven: nil)
    }

    /// The same, of which the text is kept and not copied.
    public init(_ compact: SignedText) throws(AppStoreError) {
        try self.init(compact, proven: nil)
    }

    /// The same; a header that is in `proven` is not read again.
    init(_ compact: SignedText, proven: VerifiedChainCache?) throws(AppStoreError) {
        text = compact.utf8
        guard text.count <= AppStoreLimits.jwsBytes else {
            throw .tooLarge(bytes: text.count, limit: AppStoreLimits.jwsBytes)
        }
        guard let dots = Self.dots(in: text) else {
            throw .wrongPartCount(text.count { $0 == UInt8(ascii: ".") } + 1)
        }
        let headerEnd = dots.first - text.startIndex
        guard headerEnd <= AppStoreLimits.jwsHeaderBytes else {
            throw .tooLarge(bytes: headerEnd, limit: AppStoreLimits.jwsHeaderBytes)
        }
        let known = text[..<dots.first].withUnsafeBytes { proven?.entry(for: $0) }
        headerText = known?.headerText ?? Array(text[..<dots.first])
        header = if let known { known.header } else { try Self.header(headerText) }
        provenChain = known?.chain
        guard let payload = Base64URL.decode(text[(dots.first + 1)..<dots.second]) else {
            throw .malformedEncoding(part: .payload)
        }
        guard let signature = Base64URL.decode(text[(dots.second + 1)...]) else {
            throw .malformedEncoding(part: .signature)
        }
        self.payload = payload
        self.signature = signature
        signingInputEnd = dots.second
    }

    /// Where the two dots are; nil when there are more or fewer.
    private static func dots(in text: ArraySlice<UInt8>) -> (first: Int, second: Int)? {
        guard let first = dot(in: text), let second = dot(in: text[(first + 1)...]),
            dot(in: text[(second + 1)...]) == nil
        else { return nil }
        return (first, second)
    }

    private static func dot(in text: ArraySlice<UInt8>) -> Int? {
        text.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let dot = memchr(start, Int32(UInt8(ascii: ".")), bytes.count) else {
                return nil
            }
            return text.startIndex + start.distance(to: dot)
        }
    }

    private static func header(_ text: [UInt8]) throws(AppStoreError) -> Header {
        guard let json = Base64URL.decode(text) else { throw .malformedEncoding(part: .header) }
        let payload: HeaderPayload
        do throws(PayloadFault) {
            payload = try HeaderPayload(json: json)
        } catch {
            throw .malformedHeader(detail: error.field.map { "'\($0)' has the wrong type" } ?? "it is no JSON object")
        }
        guard !payload.hasCritical else {
            throw .malformedHeader(detail: "'crit' asks for extensions that are unknown")
        }
        return payload.header
    }

    /// A header while it is read.
    private struct HeaderPayload: AppStorePayload {
        var header = Header()
        /// Whether it asks for extensions (RFC 7515, section 4.1.11).
        var hasCritical = false

        mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
            switch member {
            case "alg": header.alg = try member.text()
            case "kid": header.kid = try member.text()
            case "typ": header.typ = try member.text()
            case "x5c": header.x5c = try member.texts()
            case "crit": hasCritical = true
            default: break
            }
        }
    }

    /// Whether `key` signed this header and payload with ES256.
    public func isSigned(by key: P256PublicKey) -> Bool {
        text[..<signingInputEnd].withUnsafeBytes { key.isValid(rawSignature: signature, over: $0) }
    }
}
