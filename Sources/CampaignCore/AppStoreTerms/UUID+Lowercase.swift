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

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
