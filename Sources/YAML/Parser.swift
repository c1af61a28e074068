/// The tree of one YAML document, given as UTF-8 with or without a byte-order mark.
///
/// Refused, each at its place: anchors, aliases, tags, duplicate keys, keys that are not scalars, a second document,
/// nesting over `YAMLLimits.depth`, more bytes than `YAMLLimits.fileBytes`, and text that is not UTF-8. So is a document
/// without content: such a file is nearly always one that was not written to its end.
public func parse(yaml bytes: [UInt8]) throws(YAMLError) -> Node {
    let diagnostics = Diagnostics()
    guard let node = parse(yaml: bytes, into: diagnostics), !diagnostics.hasErrors else {
        throw YAMLError(diagnostics: diagnostics.all)
    }
    return node
}

/// The same for text.
public func parse(yaml text: String) throws(YAMLError) -> Node {
    try parse(yaml: Array(text.utf8))
}

/// The tree of one document as far as reading on makes sense, so that more faults are found in one go.
///
/// Anchors, tags and duplicate keys are reported and passed over; nil when a part of the tree is missing.
func parse(yaml bytes: [UInt8], into diagnostics: Diagnostics) -> Node? {
    do throws(Diagnostic) {
        guard bytes.count <= YAMLLimits.fileBytes else {
            let message =
                "the text has more than \(YAMLLimits.fileBytes) bytes; split the file"
            throw Diagnostic(.error, at: .start, message)
        }
        let body = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
        try checkText(body)
        return try body.withUnsafeBufferPointer { (buffer) throws(Diagnostic) -> Node? in
            var builder = TreeBuilder(EventStream(buffer), diagnostics)
            return try builder.document()
        }
    } catch {
        diagnostics.add(error)
        return nil
    }
}

private func checkText(_ bytes: ArraySlice<UInt8>) throws(Diagnostic) {
    do {
        _ = try UTF8Span(validating: bytes.span)
    } catch {
        let mark = Mark(of: error.byteOffsets.lowerBound, in: bytes)
        throw Diagnostic(.error, at: mark, "the text is not UTF-8; save the file as UTF-8")
    }
    // Two files joined leave one behind, and it would become an invisible part of a key.
    if let place = bytes.indices.dropLast(2).first(where: {
        bytes[$0] == 0xEF && bytes[$0...].starts(with: byteOrderMark)
    }) {
        let mark = Mark(of: place - bytes.startIndex, in: bytes)
        throw Diagnostic(.error, at: mark, "an invisible byte-order mark stands here; remove it")
    }
}

private let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

/// Turns events into nodes. A thrown diagnostic ends the reading; the others are collected.
private struct TreeBuilder: ~Copyable {
    private var events: EventStream
    private let diagnostics: Diagnostics
    /// Something was left out of the tree, so what is missing from it proves nothing.
    private var isPartial = false

    init(_ events: consuming EventStream, _ diagnostics: Diagnostics) {
        self.events = events
        self.diagnostics = diagnostics
    }

    mutating func document() throws(Diagnostic) -> Node? {
        var root: Node?
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamEnd:
                guard let root else {
                    throw Diagnostic(.error, at: .start, "the file is empty; write its keys or name another file")
                }
                return isPartial ? nil : root
            case .documentStart(let hasTagDirective):
                guard root == nil else {
                    throw Diagnostic(.error, at: event.mark, "a second document starts here; keep one document a file")
                }
                if hasTagDirective {
                    diagnostics.error("tags are not allowed; remove the '%TAG' line", at: event.mark)
                }
                root = try node(from: events.next(), depth: 1)
            default: break
            }
        }
    }

    private mutating func node(from event: Event, depth: Int) throws(Diagnostic) -> Node {
        if event.hasAnchor { diagnostics.error("anchors are not allowed; write the value out", at: event.mark) }
        if event.hasTag { diagnostics.error("tags are not allowed; write the value alone", at: event.mark) }
        switch event.kind {
        case .scalar(let scalar): return Node(.scalar(scalar), at: event.mark)
        case .sequenceStart:
            try checkDepth(depth, at: event.mark)
            return Node(.sequence(try items(depth: depth)), at: event.mark)
        case .mappingStart:
            try checkDepth(depth, at: event.mark)
            return Node(.mapping(try entries(depth: depth)), at: event.mark)
        default:
            diagnostics.error(
                "aliases are not allowed; write the value out, or in quotes when it is text", at: event.mark)
            isPartial = true
            return Node(.scalar(Scalar("")), at: event.mark)
        }
    }

    private func checkDepth(_ depth: Int, at mark: Mark) throws(Diagnostic) {
        guard depth <= YAMLLimits.depth else {
            throw Diagnostic(.error, at: mark, "nested deeper than \(YAMLLimits.depth) levels; check the brackets")
        }
    }

    private mutating func items(depth: Int) throws(Diagnostic) -> [Node] {
        var items: [Node] = []
        while true {
            let event = try events.next()
            if case .sequenceEnd = event.kind { return items }
            items.append(try node(from: event, depth: depth + 1))
        }
    }

    private mutating func entries(depth: Int) throws(Diagnostic) -> [Entry] {
        var entries: [Entry] = []
        var marks: [String: Mark] = [:]
        while true {
            let event = try events.next()
            if case .mappingEnd = event.kind { return entries }
            let key = try node(from: event, depth: depth + 1)
            let value = try node(from: events.next(), depth: depth + 1)
            guard case .scalar(let scalar) = key.content else {
                diagnostics.error("a key must be text; this one is a list or a mapping", at: key.mark)
                isPartial = true
                continue
            }
            if let first = marks.updateValue(key.mark, forKey: scalar.text) {
                marks[scalar.text] = first
                let message = "key \(quoted(scalar.text)) is already at line \(first.line); remove one of the two"
                diagnostics.error(message, at: key.mark)
                continue
            }
            entries.append(Entry(key: scalar.text, at: key.mark, value: value))
        }
    }
}
