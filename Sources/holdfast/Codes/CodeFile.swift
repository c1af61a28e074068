import CampaignCore
import Crypto
@preconcurrency import Glibc
import Storage

/// Reads one code file, or standard input, packed by gzip or not.
struct CodeFile {
    let path: String
    private let appAppleId: AppAppleID

    init(_ path: String, appAppleId: AppAppleID) {
        self.path = path
        self.appAppleId = appAppleId
    }

    /// Gives every code and fault with its line, and tells the digest and length of the bytes.
    ///
    /// `progress` hears of the bytes after each piece.
    func read(
        _ visit: (CodeRead, Int64) throws(CommandError) -> Void, progress: (Int64) -> Void
    ) throws(CommandError) -> CodeSource {
        var reader = CodeStreamReader(appAppleId: appAppleId)
        _ = try Self.pieces(of: path) { piece, offset throws(CommandError) in
            try reader.read(piece, visit)
            progress(offset + Int64(piece.count))
        }
        return try reader.finish(visit)
    }

    /// The digest and length of a file's bytes alone.
    static func source(of path: String) throws(CommandError) -> CodeSource {
        let digest = SHA256Stream()
        let bytes = try pieces(of: path) { piece, _ throws(CommandError) in digest.update(piece) }
        return CodeSource(digest: digest.finish(), bytes: bytes)
    }

    /// Gives the bytes in pieces with the offset of each, and tells how many there are.
    private static func pieces(
        of path: String, _ visit: (UnsafeRawBufferPointer, Int64) throws(CommandError) -> Void
    ) throws(CommandError) -> Int64 {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .failed("cannot read '\(path)': \(String(cString: strerror(errno))); check the path and its mode")
        }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Limits.codeFileBytes, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            // A pipe gives little at a time; what decides over the kind of file comes in one piece.
            var held = 0
            while held < 4 || held == 0 {
                let count = Glibc.read(descriptor, buffer.baseAddress.map { $0 + held }, buffer.count - held)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    throw .failed(
                        "cannot read '\(path)': \(String(cString: strerror(errno))); check the path and its mode")
                }
                if count == 0 { break }
                held += count
            }
            guard held > 0 else { return offset }
            try visit(UnsafeRawBufferPointer(rebasing: buffer[..<held]), offset)
            offset += Int64(held)
        }
    }
}

extension CodeSource {
    /// One source for several files, in their order.
    init(_ sources: [CodeSource]) {
        let digest = sources.count == 1 ? sources[0].digest : SHA256.digest(sources.flatMap(\.digest))
        self.init(digest: digest, bytes: sources.reduce(0) { $0 + $1.bytes })
    }
}
