import COpenSSL
public import FoundationEssentials

/// Random UUIDs, version 4 (RFC 9562, section 5.4).
///
/// Their bits come from OpenSSL's generator, which each thread has for itself: Foundation's own opens a device file for
/// every one, a tenth of what a whole answer costs.
public enum RandomUUID {
    /// A new one; 122 of its bits cannot be guessed.
    public static func make() -> UUID {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isFilled = withUnsafeMutableBytes(of: &value) { bytes in
            RAND_bytes(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bytes.count)) == 1
        }
        precondition(isFilled, "OpenSSL has random bytes as long as the system gives them")
        value.6 = value.6 & 0x0F | 0x40
        value.8 = value.8 & 0x3F | 0x80
        return UUID(uuid: value)
    }
}
