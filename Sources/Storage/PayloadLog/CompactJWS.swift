import Crypto
import Glibc

/// The three parts of a compact JWS as text and bytes; nothing of it is proven or even JSON.
struct CompactJWS {
    /// As base64url wrote it: two that differ are kept apart.
    let header: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]

    /// Nil unless the text is exactly what its parts are written as again.
    ///
    /// `shared` is a header that the text is likely to have: then it is neither copied nor looked through again.
    init?(_ text: UnsafeBufferPointer<UInt8>, sharing shared: [UInt8] = []) {
        guard text.count <= Limits.payloadBytes, let header = Self.header(of: text, sharing: shared),
            let last = text.lastIndex(of: Self.dot), last > header.count,
            // Base64 is read strictly, so a second dot between, or any stray character, is refused here.
            let payload = Base64URL.decode(UnsafeBufferPointer(rebasing: text[(header.count + 1)..<last])),
            let signature = Base64URL.decode(UnsafeBufferPointer(rebasing: text[(last + 1)...]))
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// Takes parts that were decoded strictly, so that the text is exactly what they are written as again.
    init(header: [UInt8], payload: [UInt8], signature: [UInt8]) {
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    private static let dot = UInt8(ascii: ".")

    private static func header(of text: UnsafeBufferPointer<UInt8>, sharing shared: [UInt8]) -> [UInt8]? {
        guard let base = text.baseAddress else { return nil }
        if !shared.isEmpty, text.count > shared.count, text[shared.count] == dot,
            memcmp(base, shared, shared.count) == 0
        {
            return shared
        }
        guard let end = text.firstIndex(of: dot), end > 0, end <= Limits.jwsHeaderBytes else { return nil }
        // A header is kept as text, and must be text to be found again.
        let header = Array(text[..<end])
        return header.allSatisfy { 0x20 < $0 && $0 < 0x7f } ? header : nil
    }

    static func text(header: [UInt8], payload: [UInt8], signature: [UInt8]) -> String {
        String(decoding: header, as: UTF8.self) + "." + Base64URL.encode(payload) + "." + Base64URL.encode(signature)
    }
}

/// The signatures that a payload carries inside.
enum InnerJWS {
    private static let quote = UInt8(ascii: "\"")
    /// How the names of all of Apple's keys for them end: `signedTransactionInfo` and its like.
    private static let keyEnd = Array("Info\"".utf8)

    /// Each with its place in the payload, in order. What is not one is left where it is.
    static func all(
        in payload: UnsafeBufferPointer<UInt8>, sharing header: [UInt8]
    ) -> [(place: Range<Int>, jws: CompactJWS)] {
        var found: [(place: Range<Int>, jws: CompactJWS)] = []
        var position = 0
        // There are no quotation marks inside base64, so this jumps over the long values.
        while let start = firstQuote(in: payload, from: position) {
            position = start + 1
            guard isValue(at: start, in: payload) else { continue }
            guard let end = firstQuote(in: payload, from: position) else { break }
            if let jws = CompactJWS(UnsafeBufferPointer(rebasing: payload[position..<end]), sharing: header) {
                found.append((position..<end, jws))
            }
            position = end + 1
            if found.count == Limits.innerSignatures { break }
        }
        return found
    }

    /// Whether the text whose quote is at `start` is the value of such a key; blanks may stand around the colon.
    private static func isValue(at start: Int, in payload: UnsafeBufferPointer<UInt8>) -> Bool {
        var end = start
        func skipBlanks() { while end > 0, payload[end - 1] <= 0x20 { end -= 1 } }
        skipBlanks()
        guard end > 0, payload[end - 1] == UInt8(ascii: ":") else { return false }
        end -= 1
        skipBlanks()
        return end >= keyEnd.count && payload[(end - keyEnd.count)..<end].elementsEqual(keyEnd)
    }

    private static func firstQuote(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, Int32(quote), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
