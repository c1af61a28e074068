/// A code file on its way in: kept beside the database, under no name, until it has been read.
///
/// It belongs to one thread at a time.
public final class CodeSpool {
    private let file: SpillFile

    /// Errors: `full`, `file`.
    public init(beside database: String) throws(StorageError) {
        file = try SpillFile(beside: database)
    }

    public var bytes: Int64 { file.end }

    public func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        try file.append(bytes)
    }

    /// Gives the bytes from the start, in pieces, as often as one likes.
    public func forEachPiece(
        _ visit: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        try file.flush()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: CodeLimits.spillBytes / 4, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < file.end {
            let count = Int(min(Int64(buffer.count), file.end - offset))
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            try file.read(piece, at: offset)
            try visit(UnsafeRawBufferPointer(piece))
            offset += Int64(count)
        }
    }
}
