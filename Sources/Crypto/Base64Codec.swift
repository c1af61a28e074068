/// The work behind both alphabets, by table: it is on the path of every request.
enum Base64Codec {
    static func alphabet(last: String) -> [UInt8] {
        Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
    }

    /// For each byte its six bits, or `notInAlphabet`.
    static func values(of alphabet: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: notInAlphabet, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }

    /// For each place in a group of four characters, and each byte there, its bits where they belong in the three bytes
    /// that the group stands for, the first byte lowest; or `notInAlphabetWide`.
    static func groupValues(of values: [UInt8]) -> [UInt32] {
        var wide: [UInt32] = []
        wide.reserveCapacity(4 * 256)
        for place in 0..<4 {
            for value in values {
                let bits = UInt32(value)
                guard value < notInAlphabet else {
                    wide.append(notInAlphabetWide)
                    continue
                }
                switch place {
                case 0: wide.append(bits << 2)
                case 1: wide.append(bits >> 4 | (bits & 15) << 12)
                case 2: wide.append((bits >> 2) << 8 | (bits & 3) << 22)
                default: wide.append(bits << 16)
                }
            }
        }
        return wide
    }

    private static let notInAlphabetWide: UInt32 = 0x8000_0000

    /// Any value with the top bit set, so that four lookups are judged by one `or`.
    private static let notInAlphabet: UInt8 = 0x80
    private static let padding = UInt8(ascii: "=")

    static func encode(_ bytes: [UInt8], alphabet: [UInt8], padded: Bool) -> String {
        let rest = bytes.count % 3
        let capacity = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: capacity) { text in
            bytes.withUnsafeBufferPointer { bytes in
                alphabet.withUnsafeBufferPointer { alphabet in
                    encode(bytes, into: text, alphabet: alphabet)
                }
            }
            guard rest > 0 else { return capacity }
            guard padded else { return capacity - 3 + rest }
            for index in capacity - 3 + rest..<capacity { text[index] = padding }
            return capacity
        }
    }

    private static func encode(
        _ bytes: UnsafeBufferPointer<UInt8>, into text: UnsafeMutableBufferPointer<UInt8>,
        alphabet: UnsafeBufferPointer<UInt8>
    ) {
        var read = 0
        var write = 0
        while read + 3 <= bytes.count {
            let group = UInt32(bytes[read]) << 16 | UInt32(bytes[read + 1]) << 8 | UInt32(bytes[read + 2])
            text[write] = alphabet[Int(group >> 18)]
            text[write + 1] = alphabet[Int(group >> 12 & 63)]
            text[write + 2] = alphabet[Int(group >> 6 & 63)]
            text[write + 3] = alphabet[Int(group & 63)]
            read += 3
            write += 4
        }
        guard read < bytes.count else { return }
        let second = read + 1 < bytes.count ? UInt32(bytes[read + 1]) : 0
        let group = UInt32(bytes[read]) << 16 | second << 8
        text[write] = alphabet[Int(group >> 18)]
        text[write + 1] = alphabet[Int(group >> 12 & 63)]
        if read + 1 < bytes.count { text[write + 2] = alphabet[Int(group >> 6 & 63)] }
    }

    static func decode(
        _ text: some Collection<UInt8>, values: [UInt8], groupValues: [UInt32], padded: Bool
    ) -> [UInt8]? {
        let decoded = text.withContiguousStorageIfAvailable { text in
            values.withUnsafeBufferPointer { values in
                groupValues.withUnsafeBufferPointer { decode(text, values: values, groupValues: $0, padded: padded) }
            }
        }
        return decoded ?? decode(Array(text), values: values, groupValues: groupValues, padded: padded)
    }

    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, values: UnsafeBufferPointer<UInt8>,
        groupValues: UnsafeBufferPointer<UInt32>, padded: Bool
    ) -> [UInt8]? {
        guard let length = unpaddedLength(of: text, padded: padded) else { return nil }
        let rest = length % 4
        guard rest != 1 else { return nil }
        let count = length / 4 * 3 + (rest == 0 ? 0 : rest - 1)
        var isCanonical = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
            isCanonical = decode(text, length: length, values: values, groupValues: groupValues, into: bytes)
            // Every byte is written even when the text is refused, so the array never shows old memory.
            written = count
        }
        return isCanonical ? bytes : nil
    }

    /// Where the padding begins; nil when the text is not padded as it should be.
    private static func unpaddedLength(of text: UnsafeBufferPointer<UInt8>, padded: Bool) -> Int? {
        guard padded else { return text.count }
        guard text.count % 4 == 0 else { return nil }
        guard let last = text.last, last == padding else { return text.count }
        return text[text.count - 2] == padding ? text.count - 2 : text.count - 1
    }

    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, length: Int, values: UnsafeBufferPointer<UInt8>,
        groupValues: UnsafeBufferPointer<UInt32>, into bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var read = 0
        var write = 0
        var seenWide: UInt32 = 0
        let raw = UnsafeMutableRawBufferPointer(bytes)
        // Four bytes are written for three, so the last groups are left to the loop below.
        let groups = max(0, min(length / 4, (raw.count - 1) / 3))
        for _ in 0..<groups {
            let group =
                groupValues[Int(text[read])] | groupValues[256 + Int(text[read + 1])]
                | groupValues[512 + Int(text[read + 2])] | groupValues[768 + Int(text[read + 3])]
            seenWide |= group
            raw.storeBytes(of: group.littleEndian, toByteOffset: write, as: UInt32.self)
            read += 4
            write += 3
        }
        var seen: UInt8 = seenWide < notInAlphabetWide ? 0 : notInAlphabet
        while read + 4 <= length {
            let first = values[Int(text[read])]
            let second = values[Int(text[read + 1])]
            let third = values[Int(text[read + 2])]
            let fourth = values[Int(text[read + 3])]
            seen |= first | second | third | fourth
            bytes[write] = first << 2 | second >> 4
            bytes[write + 1] = second << 4 | third >> 2
            bytes[write + 2] = third << 6 | fourth & 63
            read += 4
            write += 3
        }
        guard read < length else { return seen < notInAlphabet }
        let first = values[Int(text[read])]
        let second = values[Int(text[read + 1])]
        seen |= first | second
        bytes[write] = first << 2 | second >> 4
        // Bits that no byte takes must be zero, or two texts would stand for the same bytes.
        guard read + 2 < length else { return seen < notInAlphabet && second & 15 == 0 }
        let third = values[Int(text[read + 2])]
        bytes[write + 1] = second << 4 | third >> 2
        return (seen | third) < notInAlphabet && third & 3 == 0
    }
}
