/// One armoured block of a PEM file.
public struct PEMBlock: Sendable {
    /// What stands after `BEGIN`, such as `PRIVATE KEY` or `CERTIFICATE`.
    public let label: String
    /// The decoded body: DER for every label this program uses.
    public let bytes: [UInt8]
    /// Whether the old header `Proc-Type: 4,ENCRYPTED` says that the body is encrypted.
    public let isEncrypted: Bool
}

/// PEM, the textual encoding of keys and certificates (RFC 7468).
public enum PEM {
    /// Every block of `text` in order, at least one.
    ///
    /// CRLF, blank lines, a byte order mark and text between blocks are passed over; inside a block everything counts.
    public static func blocks(in text: [UInt8]) throws(PEMFault) -> [PEMBlock] {
        guard text.count <= CryptoLimits.pemBytes else {
            throw .tooLarge(limit: CryptoLimits.pemBytes)
        }
        var reader = PEMReader(text)
        let blocks = try reader.blocks()
        // Every body we know is a DER sequence, which begins with 0x30; words alone can be Base64 too.
        guard !blocks.isEmpty else {
            throw .noBlock(isBase64: Base64.decode(reader.withoutWhitespace)?.first == 0x30)
        }
        return blocks
    }

    /// `bytes` armoured under `label`, in lines of 64 characters.
    public static func encode(label: String, _ bytes: [UInt8]) -> String {
        var body = Base64.encode(bytes)[...]
        var lines = ["-----BEGIN \(label)-----"]
        while !body.isEmpty {
            lines.append(String(body.prefix(64)))
            body = body.dropFirst(64)
        }
        lines.append("-----END \(label)-----\n")
        return lines.joined(separator: "\n")
    }
}

/// Why a text is no PEM file.
public enum PEMFault: Error, Hashable, Sendable {
    case tooLarge(limit: Int)
    case tooManyBlocks(limit: Int)
    /// No line begins a block; `isBase64` when the text is a block's body without its first and last line.
    case noBlock(isBase64: Bool)
    /// The text holds `\n` as two characters where its line breaks were.
    case escapedLineBreaks
    case lineBreaksLost
    case textBesideArmour(line: Int)
    case endMissing(label: String)
    case endDiffers(begin: String, end: String)
    case emptyBody(label: String)
    case badBase64(label: String)
}

extension PEMFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge(let limit): "it has more than '\(limit)' bytes; give the right file"
        case .tooManyBlocks(let limit):
            "it has more than '\(limit)' PEM blocks; split the file"
        case .noBlock(isBase64: true):
            "its first and last line are missing; put the body between '-----BEGIN …-----' and '-----END …-----' again, "
                + "or download the file again"
        case .noBlock(isBase64: false):
            "it has no line '-----BEGIN …-----', so it is no PEM file; give the file as it was downloaded"
        case .escapedLineBreaks:
            "its line breaks are the two characters '\\n'; write real line breaks, for example with printf '%b'"
        case .lineBreaksLost:
            "its line breaks are lost; keep '-----BEGIN …-----' and '-----END …-----' on lines of their own, "
                + "for example by quoting the variable in the shell"
        case .textBesideArmour(let line):
            "line '\(line)' has more than '-----BEGIN …-----' on it; remove quotes or other text from that line"
        case .endMissing(let label):
            "the line '-----END \(label)-----' is missing; the file is cut off, copy it again"
        case .endDiffers(let begin, let end):
            "it begins with '\(begin)' and ends with '\(end)'; copy the file again"
        case .emptyBody(let label):
            "nothing stands between the first and last line of '\(label)'; copy the file again"
        case .badBase64(let label):
            "the body of '\(label)' is not valid Base64; the file was changed or cut, copy it again"
        }
    }
}
