/// Reads the blocks of a PEM text line by line.
struct PEMReader {
    private let text: ArraySlice<UInt8>
    private let lines: [ArraySlice<UInt8>]
    private var next = 0

    init(_ text: [UInt8]) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.text = text.starts(with: byteOrderMark) ? text[3...] : text[...]
        lines = self.text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Self.trimmed)
    }

    /// The text with nothing between its words, to see whether a bare body was given.
    var withoutWhitespace: [UInt8] { text.filter { !Self.isSpace($0) } }

    mutating func blocks() throws(PEMFault) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        while next < lines.count {
            let line = lines[next]
            next += 1
            if let label = Self.label(of: line, "BEGIN") {
                guard blocks.count < CryptoLimits.pemBlocks else { throw .tooManyBlocks(limit: CryptoLimits.pemBlocks) }
                blocks.append(try block(label: label))
            } else if Self.contains(line, "-----BEGIN ") {
                throw mangledBegin(line)
            }
        }
        return blocks
    }

    private mutating func block(label: String) throws(PEMFault) -> PEMBlock {
        var body: [UInt8] = []
        var isEncrypted = false
        while next < lines.count {
            let line = lines[next]
            next += 1
            if let end = Self.label(of: line, "END") {
                guard end == label else { throw .endDiffers(begin: label, end: end) }
                guard !body.isEmpty else { throw .emptyBody(label: label) }
                // An encrypted body is never opened, so it need not be readable.
                if isEncrypted { return PEMBlock(label: label, bytes: [], isEncrypted: true) }
                guard let bytes = Base64.decode(body) else { throw .badBase64(label: label) }
                return PEMBlock(label: label, bytes: bytes, isEncrypted: false)
            }
            if Self.contains(line, "-----BEGIN ") { throw .endMissing(label: label) }
            if Self.contains(line, "Proc-Type:") && Self.contains(line, "ENCRYPTED") { isEncrypted = true }
            body += line
        }
        throw Self.contains(body[...], "\\n") ? .escapedLineBreaks : .endMissing(label: label)
    }

    private func mangledBegin(_ line: ArraySlice<UInt8>) -> PEMFault {
        if Self.contains(line, "\\n") { return .escapedLineBreaks }
        return Self.contains(line, "-----END ") ? .lineBreaksLost : .textBesideArmour(line: next)
    }

    /// What stands between the word and the closing dashes of an armour line; nil for any other line.
    private static func label(of line: ArraySlice<UInt8>, _ word: String) -> String? {
        let opening = Array("-----\(word) ".utf8)
        let closing = Array("-----".utf8)
        guard line.count > opening.count + closing.count, line.starts(with: opening), line.suffix(5) == closing[...]
        else { return nil }
        let label = line.dropFirst(opening.count).dropLast(closing.count)
        let isPlain = label.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "-") }
        return isPlain ? String(decoding: label, as: UTF8.self) : nil
    }

    private static func contains(_ line: ArraySlice<UInt8>, _ word: String) -> Bool {
        let word = Array(word.utf8)
        guard line.count >= word.count else { return false }
        return (line.startIndex...line.endIndex - word.count).contains { line[$0...].starts(with: word) }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, isSpace(last) { line.removeLast() }
        while let first = line.first, isSpace(first) { line.removeFirst() }
        return line
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}
