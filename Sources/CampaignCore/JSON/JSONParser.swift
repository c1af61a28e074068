/// Reads strict JSON (RFC 8259) within limits of depth and count.
///
/// Foundation's decoder would read a private key into memory, keep one of two equal keys in silence and put pieces of
/// the text into its errors; none of that is acceptable for a catalogue or a request.
struct JSONParser {
    private let text: [UInt8]
    /// `text` while it is parsed; every index is compared with its end before a byte is read.
    private(set) var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private let secretKeys: Set<String>
    private let valueCountMaximum: Int
    var index = 0
    private var depth = 0
    private var valueCount = 0
    private(set) var entries: [JSONText.Entry] = []
    /// The strings that have escapes, without them, one after the other; they go behind the text.
    var unescapedText: [UInt8] = []
    /// Keys that one object has twice, with the place of the second; the first value is kept.
    private(set) var repeatedKeys: [(key: String, line: Int, column: Int)] = []

    /// - Parameter secretKeys: the value of such a key, wherever it is, becomes `null` and is never copied.
    init(_ bytes: [UInt8], secretKeys: Set<String> = [], valueCountMaximum: Int = Limits.jsonValues) {
        text = bytes
        self.secretKeys = secretKeys
        self.valueCountMaximum = valueCountMaximum
    }

    /// The one value that the whole text is; a byte-order mark before it is ignored.
    mutating func parse() throws(JSONSyntaxError) -> JSON {
        try checkedText().root.json
    }

    /// The same, with nothing read yet.
    mutating func checkedText() throws(JSONSyntaxError) -> JSONText {
        guard text.count <= Limits.jsonBytes else { throw fault("longer than \(Limits.jsonBytes) bytes") }
        entries.reserveCapacity(Limits.jsonUsualValues)
        let text = text
        try text.withUnsafeBufferPointer { buffer throws(JSONSyntaxError) in
            bytes = buffer
            defer { bytes = UnsafeBufferPointer(start: nil, count: 0) }
            try wholeText()
        }
        return JSONText(bytes: unescapedText.isEmpty ? text : text + unescapedText, entries: entries)
    }

    private mutating func wholeText() throws(JSONSyntaxError) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        try value(of: .empty, isSecret: false)
        skipBlanks()
        if index < bytes.count { throw fault("more text follows the end of the JSON value") }
    }

    private mutating func value(of key: JSONText.Stretch, isSecret: Bool) throws(JSONSyntaxError) {
        skipBlanks()
        valueCount += 1
        if valueCount > valueCountMaximum { throw fault("more than \(valueCountMaximum) values") }
        guard let byte = peek() else { throw fault("the text ends where a value belongs") }
        let place = entries.count
        switch byte {
        case UInt8(ascii: "\""):
            if isSecret {
                try skipString()
            } else {
                append(.string, of: key, try string().stretch)
            }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = index
            try skipNumber()
            append(.number, of: key, JSONText.Stretch(start..<index))
        case UInt8(ascii: "{"):
            append(.object, of: key)
            try nested { (parser) throws(JSONSyntaxError) in try parser.object(isSecret: isSecret) }
            entries[place].next = UInt32(entries.count)
        case UInt8(ascii: "["):
            append(.array, of: key)
            try nested { (parser) throws(JSONSyntaxError) in try parser.array(isSecret: isSecret) }
            entries[place].next = UInt32(entries.count)
        case UInt8(ascii: "t"): try word("true", is: .true, of: key)
        case UInt8(ascii: "f"): try word("false", is: .false, of: key)
        case UInt8(ascii: "n"): try word("null", is: .null, of: key)
        default: throw fault("a value is expected here")
        }
        guard isSecret else { return }
        forget(from: place)
        append(.null, of: key)
    }

    private mutating func append(
        _ kind: JSONText.Kind, of key: JSONText.Stretch, _ stretch: JSONText.Stretch = .empty
    ) {
        entries.append(JSONText.Entry(kind: kind, key: key, stretch: stretch, next: UInt32(entries.count + 1)))
    }

    private mutating func forget(from place: Int) {
        entries.removeLast(entries.count - place)
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        depth += 1
        if depth > Limits.jsonDepth { throw fault("nested more than \(Limits.jsonDepth) levels deep") }
        index += 1
        try body(&self)
        depth -= 1
    }

    private mutating func object(isSecret: Bool) throws(JSONSyntaxError) {
        var seen = SeenKeys(from: entries.count)
        skipBlanks()
        if take("}") { return }
        repeat {
            skipBlanks()
            guard peek() == UInt8(ascii: "\"") else { throw fault("a key in double quotes is expected here") }
            let keyIndex = index
            var key = JSONText.Stretch.empty
            var isASCII = true
            if isSecret { try skipString() } else { (key, isASCII) = try string() }
            skipBlanks()
            if !take(":") { throw fault("':' is expected after a key") }
            let member = entries.count
            try value(of: key, isSecret: isSecret || isSecretKey(key))
            if !isSecret, !isNew(keyOf: member, isASCII: isASCII, to: &seen) {
                repeatedKeys(add: key, at: keyIndex)
                forget(from: member)
            }
        } while try another(before: "}")
    }

    private func isSecretKey(_ key: JSONText.Stretch) -> Bool {
        !secretKeys.isEmpty && secretKeys.contains(string(key))
    }

    private mutating func repeatedKeys(add key: JSONText.Stretch, at keyIndex: Int) {
        guard repeatedKeys.count < Limits.catalogFindings else { return }
        let place = place(of: keyIndex)
        repeatedKeys.append((string(key), place.line, place.column))
    }

    private mutating func array(isSecret: Bool) throws(JSONSyntaxError) {
        skipBlanks()
        if take("]") { return }
        repeat {
            try value(of: .empty, isSecret: isSecret)
        } while try another(before: "]")
    }

    /// True after a comma, false after `end`.
    private mutating func another(before end: Unicode.Scalar) throws(JSONSyntaxError) -> Bool {
        skipBlanks()
        if take(",") { return true }
        if take(end) { return false }
        throw fault("',' or '\(end)' is expected here")
    }

    private mutating func word(
        _ word: String, is kind: JSONText.Kind, of key: JSONText.Stretch
    ) throws(JSONSyntaxError) {
        guard bytes[index...].starts(with: word.utf8) else { throw fault("a value is expected here") }
        index += word.utf8.count
        append(kind, of: key)
    }

    private mutating func skipNumber() throws(JSONSyntaxError) {
        _ = take("-")
        if !take("0") { try skipDigits() }
        if take(".") { try skipDigits() }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        let start = index
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        if index == start { throw fault("a digit is expected here") }
    }
}

extension JSONParser {
    func stretch(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }

    func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    func fault(_ message: String, at offset: Int? = nil) -> JSONSyntaxError {
        let place = place(of: offset ?? index)
        return JSONSyntaxError(line: place.line, column: place.column, message: message)
    }

    private func place(of offset: Int) -> (line: Int, column: Int) {
        let before = bytes[..<min(offset, bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.count { $0 == 0x0A } + 1
        // Continuation bytes of UTF-8 are no characters of their own.
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return (line, column)
    }
}
