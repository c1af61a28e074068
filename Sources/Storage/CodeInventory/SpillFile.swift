import Glibc

/// A temporary file beside the database that has no name, so that nothing of it is left
/// however the process ends. It is written once from its start and then read anywhere.
final class SpillFile {
    private let path: String
    private let descriptor: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: CodeLimits.spillBytes, alignment: 16)
    private var buffered = 0
    /// Of what was handed to the system.
    private var written: Int64 = 0

    /// Errors: `full`, `file`.
    init(beside database: String) throws(StorageError) {
        path = database
        let folder = database.lastIndex(of: "/").map { String(database[...$0]) } ?? "."
        var opened = open(folder, O_RDWR | Self.withoutName | O_CLOEXEC, 0o600)
        // Some file systems have no files without a name; a kill between the two calls leaves an empty one there.
        for number in 0..<1000 where opened < 0 {
            let name = "\(database).sorting-\(getpid())-\(number)"
            opened = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if opened >= 0 { unlink(name) } else if errno != EEXIST { break }
        }
        guard opened >= 0 else { throw .fileFault(path: "\(database).sorting") }
        descriptor = opened
    }

    /// Linux's `O_TMPFILE`, which is too complex a macro for Swift to see.
    private static let withoutName: Int32 = 0o20_000_000 | O_DIRECTORY

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// Where the next byte goes.
    var end: Int64 { written + Int64(buffered) }

    /// Room for up to 256 bytes, to be filled from its start; `use` gives how many were.
    @inline(__always)
    func append(_ fill: (UnsafeMutableRawPointer) -> Int) throws(StorageError) {
        if buffer.count - buffered < 256 { try flush() }
        guard let start = buffer.baseAddress else { return }
        buffered += fill(start + buffered)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        if bytes.count > buffer.count - buffered { try flush() }
        if bytes.count > buffer.count { return try write(bytes) }
        UnsafeMutableRawBufferPointer(rebasing: buffer[buffered...]).copyMemory(from: bytes)
        buffered += bytes.count
    }

    func flush() throws(StorageError) {
        try write(UnsafeRawBufferPointer(rebasing: buffer[..<buffered]))
        buffered = 0
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .fileFault(path: path) }
            written += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Fills `bytes` from `offset` on; everything must have been flushed.
    func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) {
        var done = 0
        while done < bytes.count {
            let count = pread(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset) + done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .fileFault(path: path) }
            done += count
        }
    }
}
