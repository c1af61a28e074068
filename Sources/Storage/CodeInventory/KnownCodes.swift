public import CampaignCore
import CSQLite
import Glibc

/// The codes of one batch, or the custom codes of an app, read in order; it can also jump ahead.
final class KnownCodeCursor {
    /// Shown when one of its codes is found again.
    let owner: CodeOwner
    private let connection: Connection
    private let batch: Int64
    private let blocks: Int64
    private var block: Int64 = 0
    private var text: [UInt8] = []
    /// Where each code of the block begins, and behind the last one.
    private var starts: [Int] = []
    private var index = 0

    /// The codes of a batch that is ready.
    init(_ batch: KnownBatch, _ connection: Connection) throws(StorageError) {
        owner = batch.owner
        self.connection = connection
        self.batch = batch.id
        blocks = CodeBlock.count(total: batch.total)
        try load(0)
    }

    /// Codes in order, each once.
    init(custom codes: [String], _ connection: Connection) {
        owner = .customCodes
        self.connection = connection
        batch = 0
        blocks = 1
        take(Array(codes.joined(separator: "\n").utf8))
    }

    var isAtEnd: Bool { block >= blocks }

    /// Of the code it stands on.
    var key: UInt64 { withCode { codeKey($0, $1) } }

    func comesBefore(_ other: KnownCodeCursor) -> Bool {
        withCode { one, oneLength in
            other.withCode { compareCodes(one, oneLength, $0, $1) < 0 }
        }
    }

    func isAt(_ code: UnsafeBufferPointer<UInt8>) -> Bool { !isAtEnd && order(at: index, code) == 0 }

    /// Goes to the first code that is not before `code`.
    func seek(_ code: UnsafeBufferPointer<UInt8>) throws(StorageError) {
        guard !isAtEnd, order(at: index, code) < 0 else { return }
        if order(at: starts.count - 2, code) < 0 {
            try seekBlock(code)
            guard !isAtEnd else { return }
        }
        // Often the very next one.
        if index + 1 < starts.count - 1, order(at: index, code) < 0 { index += 1 }
        var high = starts.count - 2
        while index < high {
            let middle = (index + high) / 2
            if order(at: middle, code) < 0 { index = middle + 1 } else { high = middle }
        }
    }

    /// Where the code is in the batch, from 0; nil when it is not there. For codes in order.
    func position(of code: [UInt8]) throws(StorageError) -> Int64? {
        try code.withUnsafeBufferPointer { code throws(StorageError) in
            try seek(code)
            return isAt(code) ? block * CodeLimits.codesInBlock + Int64(index) : nil
        }
    }

    /// Loads the first block behind the present one whose last code is not before `code`.
    private func seekBlock(_ code: UnsafeBufferPointer<UInt8>) throws(StorageError) {
        var low = block + 1
        var step: Int64 = 1
        // Blocks before `low` end too early; doubling steps find one that does not.
        while low + step - 1 < blocks {
            try load(low + step - 1)
            if order(at: starts.count - 2, code) >= 0 { break }
            low += step
            step *= 2
        }
        var high = min(low + step - 1, blocks)
        while low < high {
            let middle = (low + high) / 2
            try load(middle)
            if order(at: starts.count - 2, code) < 0 { low = middle + 1 } else { high = middle }
        }
        if low >= blocks { block = blocks } else if block != low { try load(low) }
    }

    private func load(_ number: Int64) throws(StorageError) {
        let id = CodeBlock.rowId(batch: batch, block: number)
        let bytes = try connection.row("SELECT codes FROM code_block WHERE id = \(id)") {
            row throws(StorageError) in try row.next(CodeText.self).bytes
        }
        guard let bytes, !bytes.isEmpty else { throw .corruptRow(table: "code_block", column: "codes") }
        take(bytes)
        block = number
    }

    private func take(_ bytes: [UInt8]) {
        text = bytes
        starts.removeAll(keepingCapacity: true)
        starts.append(0)
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(index + 1) }
        starts.append(bytes.count + 1)
        index = 0
    }

    private func order(at index: Int, _ code: UnsafeBufferPointer<UInt8>) -> Int {
        guard let start = code.baseAddress else { return 0 }
        return text.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return 0 }
            return compareCodes(base + starts[index], starts[index + 1] - starts[index] - 1, start, code.count)
        }
    }

    private func withCode<Value>(_ body: (UnsafePointer<UInt8>, Int) -> Value) -> Value {
        text.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { preconditionFailure("a block has a code") }
            return body(base + starts[index], starts[index + 1] - starts[index] - 1)
        }
    }
}

/// The text of a block as bytes.
struct CodeText: ColumnValue {
    let bytes: [UInt8]

    var sqlValue: SQL.Value { .text(String(decoding: bytes, as: UTF8.self)) }

    init?(_ column: Column) {
        guard let bytes = column.textBytes else { return nil }
        self.bytes = bytes
    }
}

/// Where a code is already.
public enum CodeOwner: Hashable, Sendable {
    /// In a batch of the app, which may be of its other environment.
    case batch(name: String, isSandbox: Bool)
    case customCodes

    /// Where it is, for a message: `in the batch 'x'`.
    public func place(askedFor environment: AppStoreEnvironment) -> String {
        switch self {
        case .customCodes: return "a custom code"
        case .batch(let name, let isSandbox):
            let isOther = isSandbox != (environment == .sandbox)
            return "in the batch '\(name)'" + (isOther ? " of \(isSandbox ? "Sandbox" : "Production")" : "")
        }
    }
}

/// A batch whose codes are taken.
struct KnownBatch: Hashable {
    let id: Int64
    let total: Int64
    let owner: CodeOwner
}

/// The codes that an app has already, asked for in order.
///
/// Every batch is a cursor; the one that stands on the smallest code is moved to the code that is asked for. With many
/// new codes each batch is read once from its start to its end, with few ones a cursor jumps.
struct KnownCodes {
    private let cursors: [KnownCodeCursor]
    private var heap: SourceHeap

    init(
        batches: [KnownBatch], customCodes: [String], _ connection: Connection
    ) throws(StorageError) {
        var cursors = try batches.map { batch throws(StorageError) in try KnownCodeCursor(batch, connection) }
        if !customCodes.isEmpty { cursors.append(KnownCodeCursor(custom: customCodes, connection)) }
        self.cursors = cursors
        heap = SourceHeap(capacity: cursors.count)
        for (index, cursor) in cursors.enumerated() {
            heap.insert(key: cursor.key, source: index) { cursors[$0].comesBefore(cursors[$1]) }
        }
    }

    /// Who has `code`, which comes after the one that was asked for before; nil when nobody has.
    mutating func owner(of code: UnsafeBufferPointer<UInt8>) throws(StorageError) -> CodeOwner? {
        guard let start = code.baseAddress else { return nil }
        let key = codeKey(start, code.count)
        let cursors = cursors
        while let firstKey = heap.firstKey, firstKey <= key, let first = heap.first {
            let cursor = cursors[first]
            if cursor.isAt(code) { return cursor.owner }
            try cursor.seek(code)
            let comesFirst: (Int, Int) -> Bool = { cursors[$0].comesBefore(cursors[$1]) }
            if cursor.isAtEnd {
                heap.removeFirst(comesFirst)
            } else {
                heap.replaceFirst(key: cursor.key, comesFirst)
                if cursor.isAt(code) { return cursor.owner }
                // The smallest one is behind the code: so are all.
                if heap.first == first { return nil }
            }
        }
        return nil
    }
}
