public import FoundationEssentials

extension UUID {
    /// The UUID in lower case, the only case in which Apple accepts it inside a V1 signature.
    public var lowercaseString: String {
        String(unsafeUninitializedCapacity: 36) { text in
            withUnsafeBytes(of: uuid) { bytes in
                var end = 0
                for index in 0..<bytes.count {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[end] = UInt8(ascii: "-")
                        end += 1
                    }
                    text[end] = Self.hexDigit(bytes[index] >> 4)
                    text[end + 1] = Self.hexDigit(bytes[index] & 15)
                    end += 2
                }
                return end
            }
        }
    }

    /// Reads the one form that Apple and we write: 36 characters, hyphens in their places, any case; nil for all else.
    ///
    /// Foundation's own reading stops at a NUL character and so takes what follows it for nothing.
    public init?(strict text: String) {
        self.init(strict: text.utf8)
    }

    /// The same, from the characters of the text in UTF-8.
    init?(strict text: some Collection<UInt8>) {
        guard text.count == 36 else { return nil }
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isRead = withUnsafeMutableBytes(of: &value) { bytes in
            var digits = 0
            for (position, character) in text.enumerated() {
                if position == 8 || position == 13 || position == 18 || position == 23 {
                    guard character == UInt8(ascii: "-") else { return false }
                } else {
                    guard let digit = Self.hexValue(character) else { return false }
                    bytes[digits / 2] = bytes[digits / 2] << 4 | digit
                    digits += 1
                }
            }
            return true
        }
        guard isRead else { return nil }
        self.init(uuid: value)
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
