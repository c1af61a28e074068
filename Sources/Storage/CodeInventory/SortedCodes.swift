import Glibc

/// The codes of an import in order, read from its sorted runs as often as one likes.
final class SortedCodes {
    struct Run {
        let start: Int64
        let end: Int64
    }

    /// How codes that are there several times are given.
    private let spill: SpillFile
    private let runs: [Run]

    init(spill: SpillFile, runs: [Run]) {
        self.spill = spill
        self.runs = runs
    }

    /// Gives each code once, in order, with the first place that has it; counts how many were the same as another.
    ///
    /// The bytes are those of the moment.
    @discardableResult
    func forEach(
        _ visit: (UnsafeBufferPointer<UInt8>, CodePlace) throws(StorageError) -> Void
    ) throws(StorageError) -> Int64 {
        let bufferBytes = min(
            CodeLimits.largestRunBuffer,
            max(CodeLimits.smallestRunBuffer, CodeLimits.mergeBytes / max(1, runs.count)))
        let readers = try runs.map { run throws(StorageError) in
            try RunReader(run, of: spill, bufferBytes: bufferBytes)
        }
        var heap = SourceHeap(capacity: readers.count)
        let comesFirst: (Int, Int) -> Bool = { readers[$0].comesBefore(readers[$1]) }
        for (index, reader) in readers.enumerated() where reader.hasCode {
            heap.insert(key: reader.key, source: index, comesFirst)
        }
        let last = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: CodeLimits.codeBytes)
        defer { last.deallocate() }
        var lastLength = 0
        var duplicates: Int64 = 0
        while let source = heap.first {
            let reader = readers[source]
            if let start = last.baseAddress, compareCodes(reader.code, reader.length, start, lastLength) == 0 {
                duplicates += 1
            } else {
                lastLength = reader.length
                last.baseAddress?.update(from: reader.code, count: lastLength)
                try visit(UnsafeBufferPointer(start: reader.code, count: reader.length), reader.place)
            }
            if try reader.advance() {
                heap.replaceFirst(key: reader.key, comesFirst)
            } else {
                heap.removeFirst(comesFirst)
            }
        }
        return duplicates
    }
}

/// One sorted run, read through a buffer.
private final class RunReader {
    private let spill: SpillFile
    private var next: Int64
    private let end: Int64
    private let buffer: UnsafeMutableRawBufferPointer
    private let base: UnsafeMutableRawPointer
    private var held = 0
    private var start = 0

    private(set) var key: UInt64 = 0
    private(set) var code: UnsafePointer<UInt8>
    private(set) var length = 0
    private(set) var place = CodePlace(packed: 0)
    private(set) var hasCode = false

    init(_ run: SortedCodes.Run, of spill: SpillFile, bufferBytes: Int) throws(StorageError) {
        self.spill = spill
        next = run.start
        end = run.end
        base = .allocate(byteCount: bufferBytes, alignment: 16)
        buffer = UnsafeMutableRawBufferPointer(start: base, count: bufferBytes)
        code = UnsafePointer(base.assumingMemoryBound(to: UInt8.self))
        _ = try advance()
    }

    deinit { base.deallocate() }

    /// Whether this one's code comes before the other's, or is the same from an earlier place.
    func comesBefore(_ other: RunReader) -> Bool {
        let order = compareCodes(code, length, other.code, other.length)
        return order != 0 ? order < 0 : place < other.place
    }

    /// Goes to the next code; false at the end.
    func advance() throws(StorageError) -> Bool {
        if held - start < 9 + CodeLimits.codeBytes, next < end { try refill() }
        guard start < held else {
            hasCode = false
            return false
        }
        place = CodePlace(packed: base.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        length = Int(base.load(fromByteOffset: start + 8, as: UInt8.self))
        code = UnsafePointer((base + start + 9).assumingMemoryBound(to: UInt8.self))
        key = codeKey(code, length)
        start += 9 + length
        hasCode = true
        return true
    }

    private func refill() throws(StorageError) {
        base.copyMemory(from: base + start, byteCount: held - start)
        held -= start
        start = 0
        let count = Int(min(Int64(buffer.count - held), end - next))
        try spill.read(UnsafeMutableRawBufferPointer(rebasing: buffer[held..<held + count]), at: next)
        held += count
        next += Int64(count)
    }
}

/// Sources by the key of what each stands on, the smallest first; equal keys are told apart by a closure.
struct SourceHeap {
    private struct Item {
        var key: UInt64
        var source: Int
    }

    private var items: [Item] = []

    init(capacity: Int) {
        items.reserveCapacity(capacity)
    }

    var first: Int? { items.first?.source }
    var firstKey: UInt64? { items.first?.key }

    mutating func insert(key: UInt64, source: Int, _ comesFirst: (Int, Int) -> Bool) {
        items.append(Item(key: key, source: source))
        var index = items.count - 1
        while index > 0, Self.isLess(items[index], items[(index - 1) / 2], comesFirst) {
            items.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// The first source stands on something else now.
    mutating func replaceFirst(key: UInt64, _ comesFirst: (Int, Int) -> Bool) {
        let item = Item(key: key, source: items[0].source)
        sift(item, comesFirst)
    }

    mutating func removeFirst(_ comesFirst: (Int, Int) -> Bool) {
        let last = items.removeLast()
        if !items.isEmpty { sift(last, comesFirst) }
    }

    /// Puts `item` in the first place and lets it sink.
    private mutating func sift(_ item: Item, _ comesFirst: (Int, Int) -> Bool) {
        let count = items.count
        items.withUnsafeMutableBufferPointer { items in
            var index = 0
            while true {
                var child = 2 * index + 1
                guard child < count else { break }
                if child + 1 < count, Self.isLess(items[child + 1], items[child], comesFirst) { child += 1 }
                guard Self.isLess(items[child], item, comesFirst) else { break }
                items[index] = items[child]
                index = child
            }
            items[index] = item
        }
    }

    @inline(__always)
    private static func isLess(_ one: Item, _ other: Item, _ comesFirst: (Int, Int) -> Bool) -> Bool {
        one.key != other.key ? one.key < other.key : comesFirst(one.source, other.source)
    }
}
