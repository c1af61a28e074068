#if canImport(Glibc)
    import Glibc
#endif

extension JSONText {
    /// One value of a text, with its key when it is the member of an object.
    public struct Value: Sendable {
        private let source: JSONText
        /// Of its entry in `source`.
        private var index: Int
        private var entry: Entry

        init(source: JSONText, index: Int) {
            self.source = source
            self.index = index
            entry = source.entries[index]
        }

        /// Goes on to the entry at `index`.
        private mutating func move(to index: Int) {
            self.index = index
            entry = source.entries[index]
        }
    }
}

extension JSONText.Value {
    var kind: JSONText.Kind { entry.kind }

    /// The key of a member; empty for all other values.
    var key: String { source.string(entry.key) }

    /// Whether it is the member with the key `name`, which must be ASCII; so that a `switch` over a member finds its field.
    @inline(__always)
    public static func ~= (name: StaticString, member: JSONText.Value) -> Bool {
        member.entry.key.count == name.utf8CodeUnitCount && member.hasKey(name)
    }

    /// Whether the key is `name`, when it is as long.
    private func hasKey(_ name: StaticString) -> Bool {
        source.withBytes(of: entry.key) { key in
            key.baseAddress.map { memcmp($0, name.utf8Start, key.count) == 0 } ?? true
        }
    }

    public var isNull: Bool { kind == .null }

    public var isObject: Bool { kind == .object }

    /// The text of a string; nil for every other kind.
    public var string: String? { kind == .string ? source.string(entry.stretch) : nil }

    /// The same in UTF-8, without a copy of its own.
    public var utf8: ArraySlice<UInt8>? { kind == .string ? source.bytes[entry.stretch.range] : nil }

    /// The value of a whole number; nil for every other kind, and for one that 64 bits do not hold.
    var integer: Int64? {
        guard kind == .number else { return nil }
        return source.withBytes(of: entry.stretch, Int64.init(jsonDigits:))
    }

    /// The whole value, taken out of its text.
    public var json: JSON {
        switch kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .number: return .number(source.string(entry.stretch))
        case .string: return .string(source.string(entry.stretch))
        case .array:
            var elements: [JSON] = []
            forEach { elements.append($0.json) }
            return .array(elements)
        case .object:
            var members: [JSON.Member] = []
            forEach { members.append(JSON.Member($0.key, $0.json)) }
            return .object(members)
        }
    }

    /// Calls `body` with each element of an array or member of an object, in their order.
    func forEach<Fault>(_ body: (JSONText.Value) throws(Fault) -> Void) throws(Fault) {
        let end = Int(entry.next)
        var place = index + 1
        var value = self
        while place < end {
            value.move(to: place)
            try body(value)
            place = Int(value.entry.next)
        }
    }

    /// The member of an object with the key `name`; nil when there is none, or this is no object.
    public subscript(name: StaticString) -> JSONText.Value? {
        var found: JSONText.Value?
        if isObject { forEach { if name ~= $0 { found = $0 } } }
        return found
    }
}

extension Int64 {
    /// The whole number that JSON spells so; nil for one with a fraction or exponent, or beyond 64 bits.
    fileprivate init?(jsonDigits digits: UnsafeBufferPointer<UInt8>) {
        let isNegative = digits.first == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in digits.dropFirst(isNegative ? 1 : 0) {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (sum, sumOverflow) = tens.addingReportingOverflow(isNegative ? -digit : digit)
            guard !overflow, !sumOverflow else { return nil }
            value = sum
        }
        self = value
    }
}
