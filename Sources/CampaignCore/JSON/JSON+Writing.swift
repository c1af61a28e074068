extension JSON {
    /// Compact JSON text in UTF-8, members in their order.
    public var bytes: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(512)
        append(to: &text)
        return text
    }

    /// Appends the same as `bytes` to a text that holds more than this value.
    public func append(to text: inout [UInt8]) {
        // Apart from the text for people, because every request is answered and told from others by this one.
        switch self {
        case .null, .bool, .number, .string: writeScalar(to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for index in elements.indices {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                elements[index].append(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for index in members.indices {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.writeString(members[index].key, to: &text)
                text.append(UInt8(ascii: ":"))
                members[index].value.append(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Indented JSON text for people, without a final line break.
    public var prettyText: String {
        var text: [UInt8] = []
        write(to: &text, indent: 0)
        return String(decoding: text, as: UTF8.self)
    }

    private func write(to text: inout [UInt8], indent: Int) {
        switch self {
        case .null, .bool, .number, .string: writeScalar(to: &text)
        case .array(let elements):
            Self.write(elements, between: ("[", "]"), to: &text, indent: indent) { element, text, inner in
                element.write(to: &text, indent: inner)
            }
        case .object(let members):
            Self.write(members, between: ("{", "}"), to: &text, indent: indent) { member, text, inner in
                Self.writeString(member.key, to: &text)
                text.append(contentsOf: ": ".utf8)
                member.value.write(to: &text, indent: inner)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between marks: (open: String, close: String), to text: inout [UInt8], indent: Int,
        each: (Element, inout [UInt8], Int) -> Void
    ) {
        text.append(contentsOf: marks.open.utf8)
        for (index, element) in elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            breakLine(&text, indent: indent + 2)
            each(element, &text, indent + 2)
        }
        if !elements.isEmpty { breakLine(&text, indent: indent) }
        text.append(contentsOf: marks.close.utf8)
    }

    private static func breakLine(_ text: inout [UInt8], indent: Int) {
        text.append(UInt8(ascii: "\n"))
        text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
    }

    /// Appends a value without elements, which is written in one way.
    private func writeScalar(to text: inout [UInt8]) {
        switch self {
        case .null: Self.writeBytes(of: "null", to: &text)
        case .bool(let value): Self.writeBytes(of: value ? "true" : "false", to: &text)
        case .number(let digits): Self.writeBytes(of: digits, to: &text)
        case .string(let value): Self.writeString(value, to: &text)
        case .array, .object: break
        }
    }

    private static func writeBytes(of value: String, to text: inout [UInt8]) {
        var value = value
        value.withUTF8 { text.append(contentsOf: $0) }
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Appends `value` when nothing in it must be escaped, which is nearly always; one look at the bytes decides.
    private static func writePlain(_ value: String, to text: inout [UInt8]) -> Bool {
        value.utf8.withContiguousStorageIfAvailable { bytes in
            if bytes.contains(where: mustEscape) { return false }
            text.append(contentsOf: bytes)
            return true
        } ?? false
    }

    /// Quotes and escapes as RFC 8259 asks: quotation mark, reverse solidus and controls; all else stays UTF-8.
    private static func writeString(_ value: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        if writePlain(value, to: &text) {
            text.append(UInt8(ascii: "\""))
            return
        }
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                text.append(contentsOf: "\\u00".utf8)
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            default:
                text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
