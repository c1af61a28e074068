/// Reads the parts of a TZif file that tell offsets; versions 2 and later, whose times have 64 bits.
struct TimeZoneFileReader {
    struct Table {
        var begins: [Int64]
        var offsets: [Int64]
        var firstOffset: Int64
        /// The rule for later times, as a POSIX `TZ` string; empty when there is none.
        var footer: String
    }

    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    /// The counts that a header tells, in the order of RFC 8536.
    private struct Counts {
        let isUT: Int
        let isStandard: Int
        let leap: Int
        let time: Int
        let type: Int
        let characters: Int
    }

    /// Nil for what is no such file.
    mutating func read() -> Table? {
        guard let old = header(), skip(body: old, timeBytes: 4), let counts = header(), counts.type > 0,
            counts.time <= Limits.timeZoneChanges
        else { return nil }
        var begins: [Int64] = []
        for _ in 0..<counts.time {
            guard let time = number(8) else { return nil }
            begins.append(time)
        }
        guard let indexes = take(counts.time), let types = take(counts.type * 6),
            take(counts.characters + counts.leap * 12 + counts.isStandard + counts.isUT) != nil
        else { return nil }
        let starts = stride(from: types.startIndex, to: types.endIndex, by: 6)
        let typeOffsets = starts.map { start in
            Int64(Int32(truncatingIfNeeded: Self.number(types[start..<start + 4])))
        }
        guard indexes.allSatisfy({ Int($0) < typeOffsets.count }) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let footer = text.split(separator: "\n", omittingEmptySubsequences: false)
        return Table(
            begins: begins, offsets: indexes.map { typeOffsets[Int($0)] }, firstOffset: typeOffsets[0],
            footer: footer.count >= 2 ? String(footer[1]) : "")
    }

    private mutating func header() -> Counts? {
        guard let magic = take(4), Array(magic) == Array("TZif".utf8), let version = take(1)?.first, version >= 0x32,
            take(15) != nil
        else { return nil }
        var counts: [Int] = []
        for _ in 0..<6 {
            guard let count = number(4), count >= 0 else { return nil }
            counts.append(Int(count))
        }
        return Counts(
            isUT: counts[0], isStandard: counts[1], leap: counts[2], time: counts[3], type: counts[4],
            characters: counts[5])
    }

    private mutating func skip(body counts: Counts, timeBytes: Int) -> Bool {
        let length =
            counts.time * (timeBytes + 1) + counts.type * 6 + counts.characters + counts.leap * (timeBytes + 4)
            + counts.isStandard + counts.isUT
        return take(length) != nil
    }

    private mutating func number(_ width: Int) -> Int64? {
        guard let digits = take(width) else { return nil }
        return Self.number(digits)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}
