import COpenSSL
public import FoundationEssentials
import Synchronization

/// Random UUIDs, version 4 (RFC 9562, section 5.4), from OpenSSL's generator.
///
/// Random bytes are fetched for many at once: asking for sixteen costs nearly as much as asking for a thousand, and
/// Foundation's own opens a device file for every one. No byte is used twice.
public final class RandomUUIDs: Sendable {
    private struct Stock {
        var bytes = [UInt8](repeating: 0, count: CryptoLimits.randomBytesFetched)
        var used = CryptoLimits.randomBytesFetched
    }

    private let stock = Mutex(Stock())

    public init() {}

    /// A new one; 122 of its bits cannot be guessed.
    public func make() -> UUID {
        stock.withLock { stock in
            if stock.used == stock.bytes.count {
                let done = RAND_bytes(&stock.bytes, Int32(stock.bytes.count))
                precondition(done == 1, "OpenSSL has random bytes as long as the system gives them")
                stock.used = 0
            }
            var value = stock.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: stock.used, as: uuid_t.self) }
            stock.used += MemoryLayout<uuid_t>.size
            value.6 = value.6 & 0x0F | 0x40
            value.8 = value.8 & 0x3F | 0x80
            return UUID(uuid: value)
        }
    }
}
