public import FoundationEssentials

extension UUID {
    /// The UUID in lower case, the only case in which Apple accepts it inside a V1 signature.
    public var lowercaseString: String {
        let bytes = withUnsafeBytes(of: uuid) { Array($0) }
        return String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[end] = UInt8(ascii: "-")
                    end += 1
                }
                text[end] = Self.hexDigit(byte >> 4)
                text[end + 1] = Self.hexDigit(byte & 15)
                end += 2
            }
            return end
        }
    }

    /// Reads the one form that Apple and we write: 36 characters, hyphens in their places, any case; nil for all else.
    ///
    /// Foundation's own reading stops at a NUL character and so takes what follows it for nothing.
    public init?(strict text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var high: UInt8?
        var position = 0
        for character in text.utf8 {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard position < 36, let digit = Self.hexValue(character) else { return nil }
                if let first = high { bytes.append(first << 4 | digit) }
                high = high == nil ? digit : nil
            }
            position += 1
        }
        guard position == 36, bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private static func hexValue(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
