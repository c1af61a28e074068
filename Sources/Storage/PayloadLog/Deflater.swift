import CZlib

/// Raw deflate with a preset dictionary, by one stream of each direction that is used again and again.
///
/// Packing works on a copy of the stream that has read the dictionary: to read it takes as long as to pack one payload.
/// It belongs to one thread at a time.
final class Deflater {
    /// Has read the dictionary and nothing else.
    private let prepared: UnsafeMutablePointer<z_stream>
    /// Its copy while something is packed; at a fixed address, because a stream knows its own.
    private let packing: UnsafeMutablePointer<z_stream>
    private let unpacking: UnsafeMutablePointer<z_stream>
    private let dictionary: [UInt8]

    /// A third less time than the usual sixth level, for a twentieth more room; the first takes a fifth more.
    private static let level: Int32 = 3
    /// Raw (negative), with a window of 4 KiB: the dictionary and the text of one notification.
    private static let windowBits: Int32 = -12
    /// A small hash table, because it is copied for each payload.
    private static let memoryLevel: Int32 = 4

    init(dictionary: [UInt8]) {
        self.dictionary = dictionary
        prepared = .allocate(capacity: 1)
        prepared.initialize(to: z_stream())
        packing = .allocate(capacity: 1)
        packing.initialize(to: z_stream())
        unpacking = .allocate(capacity: 1)
        unpacking.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let made = deflateInit2_(
            prepared, Self.level, Z_DEFLATED, Self.windowBits, Self.memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        let opened = inflateInit2_(unpacking, Self.windowBits, ZLIB_VERSION, size)
        precondition(made == Z_OK && opened == Z_OK, "zlib has no memory, or is of another version than was built with")
        setDictionary(prepared, deflateSetDictionary)
    }

    deinit {
        deflateEnd(prepared)
        inflateEnd(unpacking)
        prepared.deallocate()
        packing.deallocate()
        unpacking.deallocate()
    }

    /// `bytes`, packed.
    func pack(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let copied = deflateCopy(packing, prepared)
        precondition(copied == Z_OK, "zlib has no memory")
        defer { deflateEnd(packing) }
        let bound = Int(deflateBound(packing, UInt(bytes.count)))
        return [UInt8](unsafeUninitializedCapacity: bound) { packed, count in
            bytes.withUnsafeMutableBufferPointer { bytes in
                packing.pointee.next_in = bytes.baseAddress
                packing.pointee.avail_in = UInt32(bytes.count)
                packing.pointee.next_out = packed.baseAddress
                packing.pointee.avail_out = UInt32(bound)
                let code = deflate(packing, Z_FINISH)
                precondition(code == Z_STREAM_END, "deflate needs more room than it said")
                count = bound - Int(packing.pointee.avail_out)
            }
        }
    }

    /// What was packed to `bytes`; nil unless that is exactly `count` bytes.
    func unpack(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        var bytes = Array(bytes)
        inflateReset(unpacking)
        setDictionary(unpacking, inflateSetDictionary)
        var isWhole = false
        // One byte more, so that text which goes on is noticed, and the address is never null.
        let unpacked = [UInt8](unsafeUninitializedCapacity: count + 1) { unpacked, written in
            bytes.withUnsafeMutableBufferPointer { bytes in
                unpacking.pointee.next_in = bytes.baseAddress
                unpacking.pointee.avail_in = UInt32(bytes.count)
                unpacking.pointee.next_out = unpacked.baseAddress
                unpacking.pointee.avail_out = UInt32(count + 1)
                let code = inflate(unpacking, Z_FINISH)
                written = count + 1 - Int(unpacking.pointee.avail_out)
                isWhole = code == Z_STREAM_END && written == count
            }
        }
        return isWhole ? unpacked : nil
    }

    private func setDictionary(
        _ stream: UnsafeMutablePointer<z_stream>,
        _ set: (UnsafeMutablePointer<z_stream>?, UnsafePointer<UInt8>?, UInt32) -> Int32
    ) {
        dictionary.withUnsafeBufferPointer { bytes in
            _ = set(stream, bytes.baseAddress, UInt32(bytes.count))
        }
    }
}
