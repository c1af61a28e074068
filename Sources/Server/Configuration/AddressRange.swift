/// The addresses that share their first bits: `10.0.0.0/8`, or one address alone.
public struct AddressRange: Hashable, Sendable {
    /// The first address of the range.
    public let first: IPAddress
    /// How many leading bits of `first` are shared: 0 to 32, or 0 to 128 for IPv6.
    public let prefixBits: Int

    /// Reads an address or CIDR notation; nil for anything else, so also when bits behind the prefix are set.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = IPAddress(String(parts[0])) else { return nil }
        let width = first.bytes.count * 8
        var bits = width
        if parts.count == 2 {
            guard parts[1].allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(parts[1]), number <= width,
                String(number) == parts[1]
            else { return nil }
            bits = number
        }
        self.first = first
        prefixBits = bits
        guard first.bytes.indices.allSatisfy({ first.bytes[$0] & ~Self.mask(byte: $0, prefixBits: bits) == 0 })
        else { return nil }
    }

    /// Whether `address` is of the same version and shares the prefix.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        return first.bytes.indices.allSatisfy {
            (first.bytes[$0] ^ address.bytes[$0]) & Self.mask(byte: $0, prefixBits: prefixBits) == 0
        }
    }

    private static func mask(byte index: Int, prefixBits: Int) -> UInt8 {
        let bits = min(8, max(0, prefixBits - index * 8))
        return bits == 0 ? 0 : 0xFF << (8 - bits)
    }

    /// What to write, for messages.
    static let expected =
        "an address such as '10.0.0.7' or a range such as '10.0.0.0/8' that starts at its first address"
}

extension AddressRange: CustomStringConvertible {
    /// As it is read.
    public var description: String {
        prefixBits == first.bytes.count * 8 ? "\(first)" : "\(first)/\(prefixBits)"
    }
}
