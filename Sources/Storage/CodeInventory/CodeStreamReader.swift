public import CampaignCore
import Crypto

/// Reads the bytes of one code file, packed by gzip or not, as they come in pieces.
public struct CodeStreamReader {
    private var reader: CodeTextReader
    private var gzip: GzipReader?
    private var isBroken = false
    private let digest = SHA256Stream()
    private var bytes: Int64 = 0

    /// - Parameter appAppleId: the app that links must be for.
    public init(appAppleId: AppAppleID) {
        reader = CodeTextReader(appAppleId: appAppleId)
    }

    /// Takes the next bytes and gives every code and fault in them with its line.
    ///
    /// The first piece has at least four bytes, unless the file has fewer.
    public mutating func read<Failure: Error>(
        _ piece: UnsafeRawBufferPointer, _ visit: (CodeRead, Int64) throws(Failure) -> Void
    ) throws(Failure) {
        digest.update(piece)
        if bytes == 0, piece.starts(with: GzipReader.magic) { gzip = GzipReader() }
        bytes += Int64(piece.count)
        guard let gzip else { return try reader.read(piece, visit) }
        let isSound = try gzip.read(piece) { text throws(Failure) in try reader.read(text, visit) }
        isBroken = isBroken || !isSound
    }

    /// Gives what the end of the file tells, and the digest and length of its bytes.
    public mutating func finish<Failure: Error>(
        _ visit: (CodeRead, Int64) throws(Failure) -> Void
    ) throws(Failure) -> CodeSource {
        try reader.finish(visit)
        if let gzip, isBroken || !gzip.isComplete {
            try visit(.fault(.brokenGzip), max(1, reader.lineNumber))
        } else if reader.isEmpty {
            try visit(.fault(.noCodes), max(1, reader.lineNumber))
        }
        return CodeSource(digest: digest.finish(), bytes: bytes)
    }
}
