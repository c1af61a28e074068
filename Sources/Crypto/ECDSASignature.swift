/// The two forms of an ECDSA P-256 signature: DER (`SEQUENCE` of r and s) as V1 offers carry it, and the 64 bytes
/// r and s as a JWS carries it (RFC 7518, section 3.4).
public enum ECDSASignature {
    /// Bytes of r and s together.
    public static let rawByteCount = 64

    /// The longest DER form: both numbers with a zero byte before them.
    static let derByteCountMax = 72

    /// DER for `raw`, in the shortest form; nil unless `raw` has exactly 64 bytes.
    public static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == rawByteCount else { return nil }
        var der: [UInt8] = [0x30, 0]
        der.reserveCapacity(derByteCountMax)
        appendInteger(raw[..<32], to: &der)
        appendInteger(raw[32...], to: &der)
        der[1] = UInt8(der.count - 2)
        return der
    }

    /// The 64 bytes r and s for `der`; nil unless it is strict DER of two positive numbers below 2^256.
    public static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        guard der.count >= 8, der.count <= derByteCountMax, der[0] == 0x30, Int(der[1]) == der.count - 2 else {
            return nil
        }
        var rest = der[2...]
        guard let first = takeInteger(from: &rest), let second = takeInteger(from: &rest), rest.isEmpty else {
            return nil
        }
        return [UInt8](unsafeUninitializedCapacity: rawByteCount) { raw, count in
            raw.initialize(repeating: 0)
            for (index, byte) in first.enumerated() { raw[32 - first.count + index] = byte }
            for (index, byte) in second.enumerated() { raw[64 - second.count + index] = byte }
            count = rawByteCount
        }
    }

    private static func appendInteger(_ number: ArraySlice<UInt8>, to der: inout [UInt8]) {
        var digits = number.drop { $0 == 0 }
        if digits.isEmpty { digits = number.suffix(1) }
        // A leading one bit would make the number negative.
        let isNegative = digits.first.map { $0 >= 0x80 } ?? false
        der += [0x02, UInt8(digits.count + (isNegative ? 1 : 0))]
        if isNegative { der.append(0) }
        der += digits
    }

    /// The digits without leading zeros, 1 to 32 of them; a signature's numbers are never zero.
    private static func takeInteger(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.count >= 3, rest.popFirst() == 0x02, let length = rest.popFirst(),
            (1...33).contains(length), rest.count >= length
        else { return nil }
        var digits = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        guard let first = digits.first, first < 0x80 else { return nil }
        if first == 0 {
            digits = digits.dropFirst()
            guard let second = digits.first, second >= 0x80 else { return nil }
        }
        return digits.count <= 32 ? digits : nil
    }
}
