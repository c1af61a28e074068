import Glibc

/// Where a code was read: the number of its file, and its line from 1.
public struct CodePlace: Hashable, Comparable, Sendable {
    /// The file in the upper bits, so that places compare in the order of reading.
    let packed: UInt64

    init(packed: UInt64) {
        self.packed = packed
    }

    /// Files from 0 to 16 million, lines up to a trillion; beyond, the last one is named.
    public init(file: Int, line: Int64) {
        packed = UInt64(min(file, 0xff_ffff)) << 40 | UInt64(min(line, 0xff_ffff_ffff))
    }

    public var file: Int { Int(packed >> 40) }
    public var line: Int64 { Int64(packed & 0xff_ffff_ffff) }

    public static func < (one: Self, other: Self) -> Bool { one.packed < other.packed }
}

/// The first eight bytes of a code as a number that compares as they do; a code has no zero byte.
@inline(__always)
func codeKey(_ code: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
    if length >= 8 { return UInt64(bigEndian: UnsafeRawPointer(code).loadUnaligned(as: UInt64.self)) }
    var key: UInt64 = 0
    for index in 0..<length { key |= UInt64(code[index]) << UInt64(56 - 8 * index) }
    return key
}

/// Below zero when the first code comes first, zero when they are the same.
@inline(__always)
func compareCodes(
    _ one: UnsafePointer<UInt8>, _ oneLength: Int, _ other: UnsafePointer<UInt8>, _ otherLength: Int
) -> Int {
    let order = memcmp(one, other, min(oneLength, otherLength))
    return order != 0 ? Int(order) : oneLength - otherLength
}

/// Sorts any number of codes in little memory: a million at a time, each such run written to a temporary file.
final class CodeSorter {
    /// One code of the present run.
    private struct Entry {
        var key: UInt64
        var place: UInt64
        var offset: UInt32
        var length: UInt32
    }

    private let spill: SpillFile
    private let entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: CodeLimits.sortedEntries)
    private let text = UnsafeMutablePointer<UInt8>.allocate(capacity: CodeLimits.sortedBytes)
    private var entryCount = 0
    private var textBytes = 0
    private var runs: [SortedCodes.Run] = []
    /// How many codes were added.
    private(set) var count: Int64 = 0

    init(beside database: String) throws(StorageError) {
        spill = try SpillFile(beside: database)
    }

    deinit {
        entries.deallocate()
        text.deallocate()
    }

    /// Takes a code of 1 to 64 bytes in upper case.
    func add(_ code: UnsafeBufferPointer<UInt8>, at place: CodePlace) throws(StorageError) {
        guard let start = code.baseAddress else { return }
        if entryCount == CodeLimits.sortedEntries || textBytes + code.count > CodeLimits.sortedBytes {
            try writeRun()
        }
        (text + textBytes).update(from: start, count: code.count)
        entries[entryCount] = Entry(
            key: codeKey(start, code.count), place: place.packed, offset: UInt32(textBytes),
            length: UInt32(code.count))
        entryCount += 1
        textBytes += code.count
        count += 1
    }

    /// All codes in order; nothing can be added afterwards.
    func finish() throws(StorageError) -> SortedCodes {
        try writeRun()
        try spill.flush()
        return SortedCodes(spill: spill, runs: runs)
    }

    private func writeRun() throws(StorageError) {
        guard entryCount > 0 else { return }
        sortEntries()
        let start = spill.end
        for index in 0..<entryCount {
            let entry = entries[index]
            let code = text + Int(entry.offset)
            try spill.append { room in
                room.storeBytes(of: entry.place, as: UInt64.self)
                room.storeBytes(of: UInt8(entry.length), toByteOffset: 8, as: UInt8.self)
                (room + 9).copyMemory(from: code, byteCount: Int(entry.length))
                return 9 + Int(entry.length)
            }
        }
        runs.append(SortedCodes.Run(start: start, end: spill.end))
        entryCount = 0
        textBytes = 0
    }

    private func sortEntries() {
        let text = text
        var run = UnsafeMutableBufferPointer(rebasing: entries[..<entryCount])
        run.sort { one, other in
            if one.key != other.key { return one.key < other.key }
            let order = compareCodes(
                text + Int(one.offset), Int(one.length), text + Int(other.offset), Int(other.length))
            return order != 0 ? order < 0 : one.place < other.place
        }
    }
}
