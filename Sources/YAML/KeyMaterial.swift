/// Whether `text` holds a key or a piece of one: PEM, or a long run of Base64 that begins as the DER of a key does.
///
/// Such a text was pasted where it does not belong, and no message may repeat it. Certificates and public keys look
/// alike and are kept back with the others.
public func holdsKeyMaterial(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var length = 0
    for (index, byte) in bytes.enumerated() {
        if byte == UInt8(ascii: "-"), isArmour(bytes[index...]) { return true }
        length = value(ofBase64: byte) == nil ? 0 : length + 1
        // Each start has its turn once there are enough characters after it, because a path may go before the key.
        guard length >= YAMLLimits.keyCharacters else { continue }
        let start = index + 1 - YAMLLimits.keyCharacters
        if beginsKey(bytes[start..<(start + 8)]) { return true }
    }
    return false
}

private func isArmour(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: "-----BEGIN".utf8) || bytes.starts(with: "-----END".utf8)
}

/// Eight characters are six bytes: a sequence, its length in one to three bytes, and the tag of its first element.
///
/// Private keys begin with a small version number, encrypted and public ones and certificates with another sequence.
private func beginsKey(_ characters: ArraySlice<UInt8>) -> Bool {
    guard characters.first == UInt8(ascii: "M") else { return false }
    var bits: UInt64 = 0
    for character in characters { bits = bits << 6 | UInt64(value(ofBase64: character) ?? 0) }
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * $0)) }
    let content: ArraySlice<UInt8>
    switch bytes[1] {
    case 0x20..<0x80: content = bytes[2...]
    case 0x81: content = bytes[3...]
    case 0x82: content = bytes[4...]
    default: return false
    }
    return bytes[0] == 0x30 && (content.first == 0x30 || content.starts(with: [0x02, 0x01]))
}

/// The six bits of a character, in the standard alphabet or that for URLs.
private func value(ofBase64 byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
}
