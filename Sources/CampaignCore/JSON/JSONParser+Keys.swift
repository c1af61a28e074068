extension JSONParser {
    /// The keys that an object has had so far.
    ///
    /// Few ASCII keys are compared byte by byte, and hardly any are, because equal ones have the same mark; all others go
    /// into a set, so that ten thousand keys are not compared with each other.
    struct SeenKeys {
        /// Where the entries of the object's members begin.
        let start: Int
        fileprivate var count = 0
        /// A bit for each key, which different ones may share.
        fileprivate var marks: UInt64 = 0
        /// All keys, once there are many or one is not ASCII.
        fileprivate var names: Set<String>?

        init(from start: Int) {
            self.start = start
        }
    }

    /// Whether no member before the one at `place` has its key.
    func isNew(keyOf place: Int, isASCII: Bool, to seen: inout SeenKeys) -> Bool {
        let key = entries[place].key
        guard isASCII, seen.names == nil, seen.count < Limits.jsonKeysCompared else {
            if seen.names == nil { seen.names = names(from: seen.start, to: place) }
            return seen.names?.insert(string(key)).inserted ?? true
        }
        let mark = mark(of: key)
        defer {
            seen.count += 1
            seen.marks |= mark
        }
        return seen.marks & mark == 0 || !isAmongKeys(key, from: seen.start, to: place)
    }

    func string(_ key: JSONText.Stretch) -> String {
        withCharacters(of: key) { String(decoding: $0, as: UTF8.self) }
    }

    private func mark(of key: JSONText.Stretch) -> UInt64 {
        withCharacters(of: key) { key in
            guard let first = key.first, let last = key.last else { return 1 }
            return 1 << UInt64((Int(first) &* 5 &+ Int(last) &* 11 &+ key.count &* 3) & 63)
        }
    }

    private func isAmongKeys(_ key: JSONText.Stretch, from start: Int, to end: Int) -> Bool {
        var index = start
        while index < end {
            let other = entries[index]
            if other.key.count == key.count, isEqual(other.key, key) { return true }
            index = Int(other.next)
        }
        return false
    }

    private func isEqual(_ one: JSONText.Stretch, _ other: JSONText.Stretch) -> Bool {
        withCharacters(of: one) { one in withCharacters(of: other) { one.elementsEqual($0) } }
    }

    private func names(from start: Int, to end: Int) -> Set<String> {
        var names: Set<String> = []
        var index = start
        while index < end {
            names.insert(string(entries[index].key))
            index = Int(entries[index].next)
        }
        return names
    }

    /// The characters of a key, which are in the text, or apart from it when it had escapes.
    private func withCharacters<Result>(
        of key: JSONText.Stretch, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        if key.range.upperBound <= bytes.count { return body(stretch(key.range)) }
        let start = key.range.lowerBound - bytes.count
        return unescapedText.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[start..<(start + key.count)]))
        }
    }
}
