/// Reads strict JSON (RFC 8259) within limits of depth and count.
///
/// Foundation's decoder would read a private key into memory, keep one of two equal keys in silence and put pieces of
/// the text into its errors; none of that is acceptable for a catalogue or a request.
struct JSONParser {
    private let text: [UInt8]
    /// `text` while it is parsed; every index is compared with its end before a byte is read.
    private var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private let secretKeys: Set<String>
    private let valueCountMaximum: Int
    private var index = 0
    private var depth = 0
    private var valueCount = 0
    /// Whether the last string was plain ASCII.
    private var hasOnlyASCII = true
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
        let text = text
        return try text.withUnsafeBufferPointer { buffer throws(JSONSyntaxError) in
            bytes = buffer
            defer { bytes = UnsafeBufferPointer(start: nil, count: 0) }
            return try wholeText()
        }
    }

    private mutating func wholeText() throws(JSONSyntaxError) -> JSON {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        let value = try value(isSecret: false)
        skipBlanks()
        if index < bytes.count { throw fault("more text follows the end of the JSON value") }
        return value
    }

    private mutating func value(isSecret: Bool) throws(JSONSyntaxError) -> JSON {
        skipBlanks()
        valueCount += 1
        if valueCount > valueCountMaximum { throw fault("more than \(valueCountMaximum) values") }
        guard let byte = peek() else { throw fault("the text ends where a value belongs") }
        let value: JSON
        switch byte {
        case UInt8(ascii: "{"):
            value = try nested { (parser) throws(JSONSyntaxError) in try parser.object(isSecret: isSecret) }
        case UInt8(ascii: "["):
            value = try nested { (parser) throws(JSONSyntaxError) in try parser.array(isSecret: isSecret) }
        case UInt8(ascii: "\""):
            if isSecret {
                try skipString()
                value = .null
            } else {
                value = .string(try string())
            }
        case UInt8(ascii: "t"): value = try word("true", is: .bool(true))
        case UInt8(ascii: "f"): value = try word("false", is: .bool(false))
        case UInt8(ascii: "n"): value = try word("null", is: .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = index
            try skipNumber()
            value = isSecret ? .null : .number(String(decoding: stretch(start..<index), as: UTF8.self))
        default: throw fault("a value is expected here")
        }
        return isSecret ? .null : value
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSON
    ) throws(JSONSyntaxError) -> JSON {
        depth += 1
        if depth > Limits.jsonDepth { throw fault("nested more than \(Limits.jsonDepth) levels deep") }
        index += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func object(isSecret: Bool) throws(JSONSyntaxError) -> JSON {
        var members: [JSON.Member] = []
        var seen = SeenKeys()
        skipBlanks()
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard peek() == UInt8(ascii: "\"") else { throw fault("a key in double quotes is expected here") }
            let keyIndex = index
            hasOnlyASCII = true
            let key: String? = isSecret ? nil : try string()
            let isASCII = hasOnlyASCII
            if isSecret { try skipString() }
            skipBlanks()
            if !take(":") { throw fault("':' is expected after a key") }
            let value = try value(isSecret: isSecret || key.map(secretKeys.contains) == true)
            guard let key else { continue }
            if seen.insert(key, isASCII: isASCII, after: members) {
                members.append(JSON.Member(key, value))
            } else if repeatedKeys.count < Limits.catalogFindings {
                let place = place(of: keyIndex)
                repeatedKeys.append((key, place.line, place.column))
            }
        } while try another(before: "}")
        return .object(members)
    }

    private mutating func array(isSecret: Bool) throws(JSONSyntaxError) -> JSON {
        var elements: [JSON] = []
        skipBlanks()
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value(isSecret: isSecret))
        } while try another(before: "]")
        return .array(elements)
    }

    /// True after a comma, false after `end`.
    private mutating func another(before end: Unicode.Scalar) throws(JSONSyntaxError) -> Bool {
        skipBlanks()
        if take(",") { return true }
        if take(end) { return false }
        throw fault("',' or '\(end)' is expected here")
    }

    private mutating func word(_ word: String, is value: JSON) throws(JSONSyntaxError) -> JSON {
        guard bytes[index...].starts(with: word.utf8) else { throw fault("a value is expected here") }
        index += word.utf8.count
        return value
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
    private mutating func string() throws(JSONSyntaxError) -> String {
        let start = index
        let kind = try skipString()
        hasOnlyASCII = kind == .ascii
        let body = stretch((start + 1)..<(index - 1))
        let string: String? =
            switch kind {
            case .ascii: String(decoding: body, as: UTF8.self)
            case .utf8: String(validating: body, as: UTF8.self)
            case .escaped: String(validating: try unescaped(text[(start + 1)..<(index - 1)]), as: UTF8.self)
            }
        guard let string else {
            index = start
            throw fault("the text here is not UTF-8")
        }
        return string
    }

    /// What a string is made of, as far as that decides how it is read.
    private enum StringKind {
        /// Plain ASCII, which needs no validation; most are.
        case ascii
        case utf8
        case escaped
    }

    /// Moves past a string.
    @discardableResult
    private mutating func skipString() throws(JSONSyntaxError) -> StringKind {
        var hasEscapes = false
        var seen: UInt8 = 0
        index += 1
        skipPlainText()
        while let byte = peek(), byte != UInt8(ascii: "\"") {
            if byte < 0x20 { throw fault("a control character must be escaped inside text") }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                index += 1
            }
            seen |= byte
            index += 1
        }
        if index >= bytes.count { throw fault("the text ends inside quotes") }
        index += 1
        return hasEscapes ? .escaped : seen < 0x80 ? .ascii : .utf8
    }

    /// Moves past characters that need no closer look, sixteen at a time: a notification is one string of 25,000.
    private mutating func skipPlainText() {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = index
        while index + 16 <= raw.count {
            let first = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let second = raw.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self)
            guard (Self.marks(first) | Self.marks(second)) & 0x8080_8080_8080_8080 == 0 else { break }
            index += 16
        }
        self.index = index
    }

    /// Sets the top bit of a byte that is a quote, a backslash, below both or outside ASCII; a blank is looked at closely
    /// too, because no notification has one.
    ///
    /// Subtracting from a byte borrows into its top bit when it was smaller.
    private static func marks(_ eight: UInt64) -> UInt64 {
        let each: UInt64 = 0x0101_0101_0101_0101
        let backslashes = eight ^ (each &* UInt64(UInt8(ascii: "\\")))
        return (backslashes &- each) | (eight &- each &* UInt64(UInt8(ascii: "\"") + 1)) | eight
    }

    private func unescaped(_ body: ArraySlice<UInt8>) throws(JSONSyntaxError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(body.count)
        var at = body.startIndex
        while at < body.endIndex {
            let byte = body[at]
            at += 1
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            let letter = body[at]
            at += 1
            switch letter {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"): text.append(contentsOf: Array(String(try scalar(in: body, at: &at)).utf8))
            default: throw fault("an unknown escape follows a backslash", at: at - 2)
            }
        }
        return text
    }

    /// The scalar whose `\u` escape has its digits at `at`; a pair of surrogates is one scalar.
    private func scalar(in body: ArraySlice<UInt8>, at: inout Int) throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = at - 2
        let first = try hexadecimal(in: body, at: &at)
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xDC00, at + 1 < body.endIndex, body[at] == UInt8(ascii: "\\"), body[at + 1] == UInt8(ascii: "u") {
            at += 2
            let second = try hexadecimal(in: body, at: &at)
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            {
                return scalar
            }
        }
        throw fault("half a surrogate pair is no character", at: start)
    }

    private func hexadecimal(in body: ArraySlice<UInt8>, at: inout Int) throws(JSONSyntaxError) -> UInt32 {
        guard at + 4 <= body.endIndex else { throw fault("four hexadecimal digits belong after \\u", at: at - 2) }
        var value: UInt32 = 0
        for byte in body[at..<(at + 4)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits belong after \\u", at: at - 2)
            }
            value = value << 4 | UInt32(digit)
        }
        at += 4
        return value
    }

    private func stretch(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }

    private func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private func fault(_ message: String, at offset: Int? = nil) -> JSONSyntaxError {
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

/// The keys that an object has had so far.
///
/// Those of a small object are compared one by one, which costs less than hashing them; a large one gets a set, so that
/// ten thousand keys are not compared with each other.
private struct SeenKeys {
    private var keys: Set<String> = []
    /// Whether no key has had escapes or anything outside ASCII: then equal ones have as many bytes.
    private var areASCII = true

    /// Whether `key` is new; `members` are all that came before it, each once.
    mutating func insert(_ key: String, isASCII: Bool, after members: [JSON.Member]) -> Bool {
        guard members.count >= Limits.jsonKeysCompared else {
            areASCII = areASCII && isASCII
            let count = key.utf8.count
            for member in members where !areASCII || member.key.utf8.count == count {
                if member.key == key { return false }
            }
            return true
        }
        if keys.isEmpty { keys = Set(members.map(\.key)) }
        return keys.insert(key).inserted
    }
}
