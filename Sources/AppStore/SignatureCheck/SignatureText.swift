import Crypto

/// Reads the text of a signature in whatever encoding it is, and says what stood between it and the right one.
enum SignatureText {
    /// A signature in DER with what had to be undone to get it.
    struct Candidate: Equatable {
        let der: [UInt8]
        let faults: [SignatureEncodingFault]
    }

    struct Reading {
        /// Every signature that the text can mean, the one with the fewest faults first.
        let candidates: [Candidate]
        /// Why there is none.
        let faults: [SignatureEncodingFault]
    }

    /// Reads what should be standard Base64 of DER.
    static func readDER(_ text: String) -> Reading {
        guard !text.isEmpty else { return Reading(candidates: [], faults: [.signatureMissing]) }
        guard text.utf8.count <= SignatureCheckLimits.signatureCharacters else {
            return Reading(candidates: [], faults: [.signatureTooLong])
        }
        var found: [Candidate] = []
        var hasDecoded = false
        peel(Array(text.utf8), [], layers: SignatureCheckLimits.encodingLayers, &found, &hasDecoded)
        found.sort { $0.faults.count < $1.faults.count }
        guard found.isEmpty else { return Reading(candidates: found, faults: []) }
        return Reading(candidates: [], faults: [hasDecoded ? .notASignature : .signatureUnreadable])
    }

    /// Undoes one encoding after another until a signature comes out.
    private static func peel(
        _ text: [UInt8], _ faults: [SignatureEncodingFault], layers: Int, _ found: inout [Candidate],
        _ hasDecoded: inout Bool
    ) {
        guard layers > 0 else { return }
        for (decoded, decoding) in decodings(of: text) {
            hasDecoded = true
            if let candidate = candidate(decoded, faults + decoding) {
                if !found.contains(where: { $0.der == candidate.der }) { found.append(candidate) }
            } else if decoded.allSatisfy({ (0x09...0x7E).contains($0) }) {
                peel(decoded, faults + decoding + [.signatureEncodedTwice], layers: layers - 1, &found, &hasDecoded)
            }
        }
        for (plain, fault) in repairs(of: text) where !faults.contains(fault) {
            peel(plain, faults + [fault], layers: layers - 1, &found, &hasDecoded)
        }
    }

    private static func candidate(_ bytes: [UInt8], _ faults: [SignatureEncodingFault]) -> Candidate? {
        // What was done three times is one habit and is told once.
        let faults = faults.enumerated().filter { !faults[..<$0.offset].contains($0.element) }.map(\.element)
        if ECDSASignature.raw(fromDER: bytes) != nil { return Candidate(der: bytes, faults: faults) }
        if let der = looseDER(bytes) { return Candidate(der: der, faults: faults + [.notStrictDER]) }
        // Sixty-four bytes that are printable are more likely an encoded text, and those that begin as DER does are
        // more likely the beginning of a longer signature.
        let beginsAsDER = bytes.starts(with: [0x30]) && bytes.dropFirst(2).first == 0x02
        guard !beginsAsDER, !bytes.allSatisfy({ (0x09...0x7E).contains($0) }),
            let der = ECDSASignature.der(fromRaw: bytes)
        else { return nil }
        return Candidate(der: der, faults: faults + [.rawSignature])
    }

    private static func decodings(of text: [UInt8]) -> [([UInt8], [SignatureEncodingFault])] {
        var decodings: [([UInt8], [SignatureEncodingFault])] = []
        if let bytes = hexadecimal(text) { decodings.append((bytes, [.hexadecimalSignature])) }
        if let bytes = Base64.decode(text) {
            decodings.append((bytes, []))
            return decodings
        }
        let unpadded = text.last == UInt8(ascii: "=") ? Array(text.prefix { $0 != UInt8(ascii: "=") }) : text
        if let bytes = Base64URL.decode(unpadded), unpadded.contains(where: isURLOnly) {
            decodings.append((bytes, [.base64URLSignature]))
        } else if let bytes = Base64URL.decode(unpadded.map(urlCharacter)), !unpadded.contains(where: isURLOnly) {
            decodings.append((bytes, [.paddingMissing]))
        }
        return decodings
    }

    /// Texts that this one may have been before it was spoiled on its way.
    private static func repairs(of text: [UInt8]) -> [([UInt8], SignatureEncodingFault)] {
        var repairs: [([UInt8], SignatureEncodingFault)] = []
        let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
        if text.count > 2, let first = text.first, quotes.contains(first), text.last == first {
            repairs.append((Array(text[1..<text.count - 1]), .quotesAroundSignature))
        }
        let escaped = Array("\\n".utf8)
        var plain: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index...].starts(with: escaped) {
                index += 2
                continue
            }
            if !isSpace(text[index]) { plain.append(text[index]) }
            index += 1
        }
        if plain.count < text.count { repairs.append((plain, .lineBreaksInSignature)) }
        if text.contains(UInt8(ascii: " ")) {
            repairs.append((text.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }, .plusBecameSpace))
        }
        if let decoded = percentDecoded(text) { repairs.append((decoded, .percentEncodedSignature)) }
        return repairs
    }

    /// A sequence of two numbers whose zeros at the front are not as DER wants them, in strict DER.
    private static func looseDER(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 8, bytes.count <= 80, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2 else {
            return nil
        }
        var rest = bytes[2...]
        var raw: [UInt8] = []
        for _ in 0..<2 {
            guard rest.count > 2, rest.popFirst() == 0x02, let length = rest.popFirst(), rest.count >= length else {
                return nil
            }
            let digits = rest.prefix(Int(length)).drop { $0 == 0 }
            guard !digits.isEmpty, digits.count <= 32 else { return nil }
            raw += [UInt8](repeating: 0, count: 32 - digits.count) + digits
            rest = rest.dropFirst(Int(length))
        }
        return rest.isEmpty ? ECDSASignature.der(fromRaw: raw) : nil
    }

    private static func hexadecimal(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 2 == 0, !text.isEmpty else { return nil }
        return pairs(of: text[...])
    }

    private static func pairs(of text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        for index in stride(from: text.startIndex, to: text.endIndex, by: 2) {
            guard let high = digit(text[index]), let low = digit(text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Nil when nothing in the text is percent-encoded.
    private static func percentDecoded(_ text: [UInt8]) -> [UInt8]? {
        guard text.contains(UInt8(ascii: "%")) else { return nil }
        var decoded: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%") {
                guard index + 2 < text.count, let byte = pairs(of: text[index + 1...index + 2]) else { return nil }
                decoded += byte
                index += 3
            } else {
                decoded.append(text[index])
                index += 1
            }
        }
        return decoded
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    private static func isURLOnly(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") }

    private static func urlCharacter(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
    }
}
