/// Reads numbers and stretches of bytes from the front; nil where the bytes end too soon.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func byte() -> UInt8? { rest.popFirst() }

    /// Seven bits a byte, the lowest first, the top bit set while more follow.
    mutating func number() -> Int? {
        var value = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= Int(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension [UInt8] {
    /// Writes what `ByteReader.number` reads; at most 35 bits.
    mutating func append(number: Int) {
        var value = number
        while value >= 0x80 {
            append(UInt8(value & 0x7f) | 0x80)
            value >>= 7
        }
        append(UInt8(value))
    }
}
