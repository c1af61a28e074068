extension JSONParser {
    /// Moves past a string that is not secret, and says where its text is without escapes.
    mutating func string() throws(JSONSyntaxError) -> (stretch: JSONText.Stretch, isASCII: Bool) {
        let start = index
        let kind = try skipString()
        let body = (start + 1)..<(index - 1)
        switch kind {
        case .ascii: return (JSONText.Stretch(body), true)
        case .utf8:
            guard Self.isUTF8(stretch(body)) else { throw noUTF8(at: start) }
            return (JSONText.Stretch(body), false)
        case .escaped:
            let text = try unescaped(body)
            guard text.withUnsafeBufferPointer(Self.isUTF8) else { throw noUTF8(at: start) }
            let place = bytes.count + unescapedText.count
            unescapedText += text
            return (JSONText.Stretch(place..<(place + text.count)), text.allSatisfy { $0 < 0x80 })
        }
    }

    private static func isUTF8(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        (try? UTF8Span(validating: text.span)) != nil
    }

    private func noUTF8(at start: Int) -> JSONSyntaxError { fault("the text here is not UTF-8", at: start) }

    /// What a string is made of, as far as that decides how it is read.
    enum StringKind {
        /// Plain ASCII, which needs no validation; most are.
        case ascii
        case utf8
        case escaped
    }

    /// Moves past a string.
    @discardableResult
    mutating func skipString() throws(JSONSyntaxError) -> StringKind {
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
            skipPlainText()
        }
        if index >= bytes.count { throw fault("the text ends inside quotes") }
        index += 1
        return hasEscapes ? .escaped : seen < 0x80 ? .ascii : .utf8
    }

    /// Moves past characters that need no closer look, up to the first that does or the last seven of the text.
    private mutating func skipPlainText() {
        let raw = UnsafeRawBufferPointer(bytes)
        let longFrom = index + 16
        while index + 8 <= raw.count {
            let marks = Self.marks(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
            guard marks & 0x8080_8080_8080_8080 == 0 else {
                index += (marks & 0x8080_8080_8080_8080).trailingZeroBitCount / 8
                return
            }
            index += 8
            if index == longFrom { skipLongPlainText() }
        }
    }

    /// Moves past most of the same, 32 at a time: a notification is one string of 18,000.
    private mutating func skipLongPlainText() {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = index
        while index + 32 <= raw.count {
            let marks =
                Self.marks(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                | Self.marks(raw.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self))
                | Self.marks(raw.loadUnaligned(fromByteOffset: index + 16, as: UInt64.self))
                | Self.marks(raw.loadUnaligned(fromByteOffset: index + 24, as: UInt64.self))
            guard marks & 0x8080_8080_8080_8080 == 0 else { break }
            index += 32
        }
        self.index = index
    }

    /// Sets the top bit of a byte that is a quote, a backslash, below both or outside ASCII; a blank is looked at closely
    /// too, because no notification has one.
    ///
    /// Subtracting from a byte borrows into its top bit when it was smaller, and so spoils only bytes behind it.
    private static func marks(_ eight: UInt64) -> UInt64 {
        let each: UInt64 = 0x0101_0101_0101_0101
        let backslashes = eight ^ (each &* UInt64(UInt8(ascii: "\\")))
        return (backslashes &- each) | (eight &- each &* UInt64(UInt8(ascii: "\"") + 1)) | eight
    }

    private func unescaped(_ body: Range<Int>) throws(JSONSyntaxError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(body.count)
        var at = body.lowerBound
        while at < body.upperBound {
            let byte = bytes[at]
            at += 1
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            let letter = bytes[at]
            at += 1
            switch letter {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                text.append(contentsOf: Array(String(try scalar(at: &at, before: body.upperBound)).utf8))
            default: throw fault("an unknown escape follows a backslash", at: at - 2)
            }
        }
        return text
    }

    /// The scalar whose `\u` escape has its digits at `at`; a pair of surrogates is one scalar.
    private func scalar(at: inout Int, before end: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = at - 2
        let first = try hexadecimal(at: &at, before: end)
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xDC00, at + 1 < end, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u") {
            at += 2
            let second = try hexadecimal(at: &at, before: end)
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            {
                return scalar
            }
        }
        throw fault("half a surrogate pair is no character", at: start)
    }

    private func hexadecimal(at: inout Int, before end: Int) throws(JSONSyntaxError) -> UInt32 {
        guard at + 4 <= end else { throw fault("four hexadecimal digits belong after \\u", at: at - 2) }
        var value: UInt32 = 0
        for byte in bytes[at..<(at + 4)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits belong after \\u", at: at - 2)
            }
            value = value << 4 | UInt32(digit)
        }
        at += 4
        return value
    }
}
