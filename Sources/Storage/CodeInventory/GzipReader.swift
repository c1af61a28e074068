import CZlib

/// Unpacks gzip as it comes in pieces; several packed files one behind the other are one text (RFC 1952).
public final class GzipReader {
    /// What gzip begins with.
    public static let magic: [UInt8] = [0x1F, 0x8B]

    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    /// Whether the last packed file has ended.
    private var isBetweenFiles = false
    private var isBroken = false

    public init() {
        stream.initialize(to: z_stream())
        // 16 more than the largest window means gzip alone.
        let code = inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib needs some ten kilobytes alone")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Whether everything ended where it should.
    public var isComplete: Bool { isBetweenFiles && !isBroken }

    /// Gives what `input` unpacks to, in pieces; false when it is damaged.
    public func read<Failure: Error>(
        _ input: UnsafeRawBufferPointer, _ visit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard !isBroken, let start = input.baseAddress else { return !isBroken }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: Bytef.self))
        stream.pointee.avail_in = uInt(input.count)
        while true {
            if isBetweenFiles {
                guard stream.pointee.avail_in > 0 else { return true }
                inflateReset(stream)
                isBetweenFiles = false
            }
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
            stream.pointee.avail_out = uInt(output.count)
            let code = inflate(stream, Z_NO_FLUSH)
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
                isBroken = true
                return false
            }
            let count = output.count - Int(stream.pointee.avail_out)
            if count > 0 { try visit(UnsafeRawBufferPointer(rebasing: output[..<count])) }
            if code == Z_STREAM_END { isBetweenFiles = true }
            // An output that is not full says that the input is used up.
            if !isBetweenFiles, stream.pointee.avail_in == 0, count < output.count { return true }
        }
    }
}
