/// One line of CSV with `,` or `;` between its cells (RFC 4180, within one line).
public enum DelimitedLine {
    private static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
    private static let semicolon = UInt8(ascii: ";")

    /// The separator behind the first cell; nil for a line that has only one.
    static func separator(of line: UnsafeBufferPointer<UInt8>) -> UInt8? {
        let beginsQuoted = line.first { !isBlank($0) } == quote
        var isQuoted = false
        for byte in line {
            if beginsQuoted, byte == quote { isQuoted.toggle() }
            if !isQuoted, byte == comma || byte == semicolon { return byte }
        }
        return nil
    }

    /// The cells without quotes and blanks around them, divided by the separator that the line shows first.
    ///
    /// A quote that does not begin its cell is a character like any other. Fails with `openQuote` or `textBehindQuote`.
    public static func cells(_ line: [UInt8]) throws(CodeLineFault) -> [[UInt8]] {
        try line.withUnsafeBufferPointer { line throws(CodeLineFault) in
            try cells(line, separator: separator(of: line) ?? comma)
        }
    }

    static func cells(
        _ line: UnsafeBufferPointer<UInt8>, separator: UInt8
    ) throws(CodeLineFault) -> [[UInt8]] {
        var cells: [[UInt8]] = []
        var cell: [UInt8] = []
        var isQuoted = false
        // Whether the cell had its quotes, so that only blanks may follow.
        var isClosed = false
        var index = 0
        while index < line.count {
            let byte = line[index]
            if isQuoted {
                if byte != quote {
                    cell.append(byte)
                } else if index + 1 < line.count, line[index + 1] == quote {
                    cell.append(byte)
                    index += 1
                } else {
                    (isQuoted, isClosed) = (false, true)
                }
            } else if byte == separator {
                cells.append(trimmed(cell))
                cell = []
                isClosed = false
            } else if isClosed {
                guard isBlank(byte) else { throw .textBehindQuote }
            } else if byte == quote, cell.allSatisfy(isBlank) {
                isQuoted = true
            } else {
                cell.append(byte)
            }
            index += 1
        }
        guard !isQuoted else { throw .openQuote }
        cells.append(trimmed(cell))
        return cells
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private static func trimmed(_ cell: [UInt8]) -> [UInt8] {
        guard let first = cell.firstIndex(where: { !isBlank($0) }), let last = cell.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return Array(cell[first...last])
    }
}
