import CYAML

/// One step through a YAML text, with everything we need copied out of libyaml's memory.
struct Event {
    enum Kind {
        case documentStart(hasTagDirective: Bool)
        case scalar(Scalar)
        case alias
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        case streamEnd
        case other
    }

    let kind: Kind
    let mark: Mark
    let hasAnchor: Bool
    let hasTag: Bool
}

/// libyaml's parser over bytes that stay where they are.
struct EventStream: ~Copyable {
    // The parser keeps a pointer to itself, so it lives at a fixed address.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private var cursor: CharacterCursor

    /// Reads `bytes`, which are UTF-8 without a byte-order mark and outlive the stream.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else { fatalError("out of memory") }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
        cursor = CharacterCursor(bytes: bytes)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// The next event; a text that is not YAML throws where libyaml noticed it.
    mutating func next() throws(Diagnostic) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxFault() }
        defer { yaml_event_delete(&event) }
        let mark = Mark(event.start_mark)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            let directives = event.data.document_start.tag_directives
            let kind = Event.Kind.documentStart(hasTagDirective: directives.start != directives.end)
            return Event(kind: kind, mark: mark, hasAnchor: false, hasTag: false)
        case YAML_SCALAR_EVENT:
            let data = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: data.value, count: data.length), as: UTF8.self)
            let scalar = Scalar(text, isQuoted: data.style != YAML_PLAIN_SCALAR_STYLE)
            // libyaml drops the tag '!' of a scalar, so look at the text itself.
            let first = cursor.byte(at: Int(event.start_mark.index))
            let hasTag = data.tag != nil || first == UInt8(ascii: "!")
            if cursor.isBlockHeaderGluedToComment() {
                throw Diagnostic(
                    .error, at: mark, "a comment needs a space before '#'; add one, or put the value in quotes")
            }
            return Event(kind: .scalar(scalar), mark: mark, hasAnchor: data.anchor != nil, hasTag: hasTag)
        case YAML_SEQUENCE_START_EVENT:
            let data = event.data.sequence_start
            return Event(kind: .sequenceStart, mark: mark, hasAnchor: data.anchor != nil, hasTag: data.tag != nil)
        case YAML_MAPPING_START_EVENT:
            let data = event.data.mapping_start
            return Event(kind: .mappingStart, mark: mark, hasAnchor: data.anchor != nil, hasTag: data.tag != nil)
        default:
            return Event(kind: Self.bareKind(event.type), mark: mark, hasAnchor: false, hasTag: false)
        }
    }

    private static func bareKind(_ type: yaml_event_type_t) -> Event.Kind {
        switch type {
        case YAML_ALIAS_EVENT: .alias
        case YAML_SEQUENCE_END_EVENT: .sequenceEnd
        case YAML_MAPPING_END_EVENT: .mappingEnd
        case YAML_STREAM_END_EVENT: .streamEnd
        default: .other
        }
    }

    /// What libyaml has to say, with a cure for the faults that people meet.
    private func syntaxFault() -> Diagnostic {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "out of memory"
        if parser.pointee.error == YAML_READER_ERROR {
            let mark = Mark(of: parser.pointee.problem_offset, in: cursor.bytes)
            return Diagnostic(.error, at: mark, "a control character is not text; remove it")
        }
        let mark = Mark(parser.pointee.problem_mark)
        if problem.contains("cannot start any token") || problem.contains("tab character") {
            let byte = cursor.byteFromStart(at: Int(parser.pointee.problem_mark.index)) ?? UInt8(ascii: "\t")
            let isTab = byte == UInt8(ascii: "\t") || problem.contains("tab character")
            let message =
                isTab
                ? "a tab cannot indent or separate here; use spaces"
                : "a value cannot start with \(quoted(String(UnicodeScalar(byte)))); put it in quotes"
            return Diagnostic(.error, at: mark, message)
        }
        if problem.contains("Unicode character escape") {
            return Diagnostic(.error, at: mark, "this escape is half of a character; write the character itself")
        }
        var message = "not valid YAML: \(problem)"
        if let context = parser.pointee.context {
            message += " \(String(cString: context))"
            let start = Mark(parser.pointee.context_mark)
            if start != mark { message += " that starts at \(start)" }
        }
        return Diagnostic(.error, at: mark, message + "; check indentation, quotes and brackets")
    }
}

extension Mark {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}

/// Finds bytes by the number of their character; asked in rising order it walks the text once.
private struct CharacterCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var character = 0

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    mutating func byte(at wanted: Int) -> UInt8? {
        assert(wanted >= character, "the cursor only goes forward")
        while character < wanted, offset < bytes.count {
            offset += 1
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            character += 1
        }
        return offset < bytes.count ? bytes[offset] : nil
    }

    /// Whether here is a block such as `>#1 reader`, whose first line libyaml takes for a comment and drops.
    func isBlockHeaderGluedToComment() -> Bool {
        let rest = bytes[min(offset, bytes.count)...]
        guard rest.first == UInt8(ascii: "|") || rest.first == UInt8(ascii: ">") else { return false }
        let isIndicator = { (byte: UInt8) in "+-0123456789".utf8.contains(byte) }
        return rest.dropFirst().first { !isIndicator($0) } == UInt8(ascii: "#")
    }

    func byteFromStart(at wanted: Int) -> UInt8? {
        var cursor = Self(bytes: bytes)
        return cursor.byte(at: wanted)
    }
}
