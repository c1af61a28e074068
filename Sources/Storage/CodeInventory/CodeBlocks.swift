import CSQLite
import Crypto
import Glibc

/// How the codes of a batch lie in rows: see `Schema.offerCodes`.
enum CodeBlock {
    static func rowId(batch: Int64, block: Int64) -> Int64 { batch << CodeLimits.blockBits | block }

    /// The rows of a batch, first to last.
    static func rowIds(batch: Int64) -> ClosedRange<Int64> {
        rowId(batch: batch, block: 0)...rowId(batch: batch, block: 1 << CodeLimits.blockBits - 1)
    }

    /// How many rows hold so many codes.
    static func count(total: Int64) -> Int64 { (total + CodeLimits.codesInBlock - 1) / CodeLimits.codesInBlock }
}

/// Codes in order on their way into rows: the rows' texts in a temporary file, and the digest of it all.
final class CodeBlockWriter {
    private let spill: SpillFile
    private let digest = SHA256Stream()
    private let text = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Int(CodeLimits.codesInBlock) * (CodeLimits.codeBytes + 1), alignment: 16)
    private var textBytes = 0
    private var codesInText: Int64 = 0
    private(set) var total: Int64 = 0

    init(beside database: String) throws(StorageError) {
        spill = try SpillFile(beside: database)
    }

    deinit { text.deallocate() }

    /// Takes the next code, which comes after all before it.
    func append(_ code: UnsafeBufferPointer<UInt8>) throws(StorageError) {
        UnsafeMutableRawBufferPointer(rebasing: text[textBytes...]).copyMemory(from: UnsafeRawBufferPointer(code))
        text[textBytes + code.count] = UInt8(ascii: "\n")
        textBytes += code.count + 1
        codesInText += 1
        total += 1
        if codesInText == CodeLimits.codesInBlock { try endBlock() }
    }

    private func endBlock() throws(StorageError) {
        guard codesInText > 0 else { return }
        let block = UnsafeRawBufferPointer(rebasing: text[..<textBytes])
        digest.update(block)
        // The last line end separates nothing.
        let stored = UnsafeRawBufferPointer(rebasing: block.dropLast())
        try spill.append { room in
            room.storeBytes(of: UInt32(stored.count), as: UInt32.self)
            return 4
        }
        try spill.append(stored)
        textBytes = 0
        codesInText = 0
    }

    /// What was written; nothing can be added afterwards.
    func finish() throws(StorageError) -> CodeBlocks {
        try endBlock()
        try spill.flush()
        return CodeBlocks(spill: spill, total: total, contentDigest: digest.finish())
    }
}

/// The rows of a batch before they are in the database.
struct CodeBlocks {
    fileprivate let spill: SpillFile
    let total: Int64
    /// SHA-256 over the codes in order, each with a line feed: `LC_ALL=C sort -u | sha256sum`.
    let contentDigest: [UInt8]

    /// A reader at the first row.
    func reader() -> Reader { Reader(spill: spill) }

    struct Reader: ~Copyable {
        private let spill: SpillFile
        private var next: Int64 = 0
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: CodeLimits.spillBytes, alignment: 16)
        private var start = 0
        private var held = 0

        fileprivate init(spill: SpillFile) {
            self.spill = spill
        }

        deinit { buffer.deallocate() }

        /// The text of the next row, valid until the next call; nil at the end.
        mutating func read() throws(StorageError) -> UnsafeRawBufferPointer? {
            try hold(4)
            guard held - start >= 4 else { return nil }
            let count = Int(buffer.loadUnaligned(fromByteOffset: start, as: UInt32.self))
            try hold(4 + count)
            defer { start += 4 + count }
            return UnsafeRawBufferPointer(rebasing: buffer[start + 4..<start + 4 + count])
        }

        /// Makes so many bytes available from `start` on, unless the file ends before.
        private mutating func hold(_ count: Int) throws(StorageError) {
            guard held - start < count, next < spill.end else { return }
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<held]))
            held -= start
            start = 0
            let more = Int(min(Int64(buffer.count - held), spill.end - next))
            try spill.read(UnsafeMutableRawBufferPointer(rebasing: buffer[held..<held + more]), at: next)
            held += more
            next += Int64(more)
        }
    }
}

/// Puts the rows of a batch into the table, in transactions that keep nobody waiting.
struct CodeBlockLoader {
    private let connection: Connection
    private let batch: Int64

    init(_ connection: Connection, batch: Int64) {
        self.connection = connection
        self.batch = batch
    }

    /// Inserts every row; `progress` hears how many codes are in after each transaction.
    ///
    /// What a loading batch holds is nobody's until its last commit, which makes all of it durable, so these need not
    /// wait for the disk.
    func load(
        _ blocks: CodeBlocks, progress: (Int64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try connection.execute("PRAGMA synchronous = NORMAL")
        let result: StorageError?
        do throws(StorageError) {
            try insert(blocks, progress)
            result = nil
        } catch {
            if connection.isInTransaction { try? connection.rollback() }
            result = error
        }
        try connection.execute("PRAGMA synchronous = FULL")
        if let result { throw result }
    }

    private func insert(
        _ blocks: CodeBlocks, _ progress: (Int64) throws(StorageError) -> Void
    ) throws(StorageError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(
            connection.handle, "INSERT INTO code_block (id, codes) VALUES (?, ?)", -1, &prepared, nil)
        guard code == SQLITE_OK, let statement = prepared else { throw connection.failure(code) }
        defer { sqlite3_finalize(statement) }
        var reader = blocks.reader()
        var block: Int64 = 0
        var next = try reader.read()
        while next != nil {
            try connection.begin()
            let began = monotonicNanoseconds()
            var bytes = 0
            while let text = next {
                try insert(text, block, statement)
                block += 1
                bytes += text.count
                next = try reader.read()
                if bytes >= CodeLimits.loadingBytes { break }
                if block % Int64(CodeLimits.blocksBetweenLooks) == 0,
                    monotonicNanoseconds() - began > CodeLimits.loadingNanoseconds
                {
                    break
                }
            }
            try connection.commit()
            try progress(min(block * CodeLimits.codesInBlock, blocks.total))
            usleep(CodeLimits.loadingPauseMicroseconds)
        }
    }

    private func insert(
        _ text: UnsafeRawBufferPointer, _ block: Int64, _ statement: OpaquePointer
    ) throws(StorageError) {
        sqlite3_bind_int64(statement, 1, CodeBlock.rowId(batch: batch, block: block))
        // Without a destructor SQLite takes no copy: the bytes stay until the statement is reset.
        sqlite3_bind_text64(
            statement, 2, text.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil,
            UInt8(SQLITE_UTF8))
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw connection.failure(code) }
    }
}

/// The monotonic clock, in nanoseconds.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
