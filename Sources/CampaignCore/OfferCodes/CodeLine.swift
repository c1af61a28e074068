import YAML

/// What one line of a code file says.
public enum CodeLine: Hashable, Sendable {
    /// A code in upper case.
    case code([UInt8])
    /// Nothing, or the names of the columns.
    case nothing
    case fault(CodeLineFault)
}

/// Why a line of a code file is refused.
public enum CodeLineFault: Error, Hashable, Sendable {
    case noCode
    case notACode(String)
    case tooManyColumns(Int)
    case openQuote
    /// A cell goes on behind its closing quote.
    case textBehindQuote
    case notALink(String)
    /// The link is for another app; its number as the link spells it.
    case linkForOtherApp(String)
    case linkForOtherCode
    /// The word `code` where a code belongs.
    case columnName
    case tooLong
    /// The file is in another encoding.
    case utf16
    /// The file has a byte that no text has, such as a packed or binary file.
    case notText(UInt8)
    /// The file ends without any code; told at its last line.
    case noCodes
    case brokenGzip

    /// Whether nothing more can be read of the file.
    public var endsFile: Bool {
        switch self {
        case .utf16, .notText: true
        default: false
        }
    }

    /// For a person, with what to do; a code is shown masked.
    public var description: String {
        switch self {
        case .noCode: "the first column is empty; give each line its code"
        case .notACode(let text):
            "\(OfferCode.quotedMasked(text, limit: 24)) is no code; a code has 1 to 64 letters and digits"
        case .tooManyColumns(let count): "\(count) columns; a line has the code and, if you like, its link"
        case .openQuote: "a quote is not closed on the line"
        case .textBehindQuote: "text stands behind a closing quote; put the whole cell in quotes, or none of it"
        case .notALink(let text):
            "\(Self.quotedLink(text)) is no redemption link; it begins with 'https://apps.apple.com/redeem?'"
        case .linkForOtherApp(let id): "the link is for the app '\(id)'; import it for that app"
        case .linkForOtherCode: "the link has another code than the first column"
        case .columnName: "the word 'code' is a column's name; only the first line may have it"
        case .tooLong: "more than \(Limits.codeLineBytes) bytes, which no line with a code and its link has"
        case .noCodes: "the file has no code; give each line one"
        case .brokenGzip: "the gzip is damaged or ends early; fetch the file again"
        case .utf16: "the file is UTF-16; save it as UTF-8"
        case .notText(let byte):
            "the file is no text: it has the byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16)); give a text file "
                + "with one code a line, or a gzip of one"
        }
    }

    /// What was given as a link, without what may hold a code: the path and all behind it, or all but the begin.
    private static func quotedLink(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return OfferCode.quotedMasked(text, limit: 48) }
        let host = text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return quoted(text[..<host.endIndex] + (host.endIndex < text.endIndex ? "/…" : ""), limit: 48)
    }
}

/// Reads the lines of one code file: one code a line, or CSV with the code and its link.
///
/// What App Store Connect's files look like is not documented, so reading is tolerant (byte-order mark, line ends,
/// quotes, blanks, `,` or `;`, with or without a header) and everything else is strict (design, section 5).
public struct CodeLineReader: Sendable {
    private let appAppleId: [UInt8]
    /// The separator that the file uses, once a line has shown it.
    private var separator: UInt8?
    private var hasSeenContent = false

    /// - Parameter appAppleId: the app that links must be for.
    public init(appAppleId: AppAppleID) {
        self.appAppleId = Array(String(appAppleId).utf8)
    }

    /// Reads the next line, given without its end; the first one without the byte-order mark.
    public mutating func read(_ line: UnsafeBufferPointer<UInt8>) -> CodeLine {
        if line.allSatisfy(DelimitedLine.isBlank) { return .nothing }
        let isFirst = !hasSeenContent
        hasSeenContent = true
        do throws(CodeLineFault) {
            let cells = try cells(line)
            guard let first = cells.first else { return .nothing }
            if Self.isColumnName(first[...]) { return isFirst ? .nothing : .fault(.columnName) }
            guard cells.count <= 2 else { throw .tooManyColumns(cells.count) }
            let link = cells.count == 2 ? cells[1] : []
            if first.isEmpty, link.isEmpty { return .nothing }
            guard !first.isEmpty else { throw .noCode }
            var code = first
            guard OfferCode.normalize(&code) else { throw .notACode(String(decoding: first, as: UTF8.self)) }
            if !link.isEmpty { try check(link, of: code) }
            return .code(code)
        } catch {
            return .fault(error)
        }
    }

    /// Reads a line that is a code and nothing else into `code`, which has room for 64 bytes, in upper case.
    ///
    /// False leaves everything to `read`.
    mutating func readBare(
        _ line: UnsafeBufferPointer<UInt8>, into code: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        guard (1...Limits.offerCodeBytes).contains(line.count) else { return false }
        for index in line.indices {
            guard let upper = OfferCode.upperCase(line[index]) else { return false }
            code[index] = upper
        }
        if line.count <= Self.longestColumnName, Self.columnInitials.contains(code[0]),
            Self.isColumnName(Array(UnsafeBufferPointer(rebasing: code[..<line.count]))[...])
        {
            return false
        }
        hasSeenContent = true
        return true
    }

    /// What the names of columns begin with.
    private static let columnInitials: [UInt8] = [UInt8(ascii: "C"), UInt8(ascii: "O"), UInt8(ascii: "R")]

    /// Letters in the longest name of a column.
    private static let longestColumnName = columnNames.map(\.utf8.count).max() ?? 0

    /// The cells, divided by the separator that the file was seen to use.
    private mutating func cells(_ line: UnsafeBufferPointer<UInt8>) throws(CodeLineFault) -> [[UInt8]] {
        if separator == nil { separator = DelimitedLine.separator(of: line) }
        var cells = try DelimitedLine.cells(line, separator: separator ?? DelimitedLine.comma)
        // A separator at the end of the line stands before a cell that nobody filled.
        while cells.count > 2, cells.last?.isEmpty == true { cells.removeLast() }
        return cells
    }

    /// Whether a cell is what such files call their first column.
    private static func isColumnName(_ cell: ArraySlice<UInt8>) -> Bool {
        guard cell.count <= 24 else { return false }
        // A digit makes it a code: one in two million that Apple makes begins with these letters.
        let word = String(decoding: cell, as: UTF8.self).lowercased().filter { $0.isLetter || $0.isNumber }
        return columnNames.contains(word)
    }

    private static let columnNames: Set<String> = [
        "code", "codes", "offercode", "offercodes", "onetimecode", "onetimecodes", "onetimeusecode",
        "onetimeusecodes", "redemptioncode",
    ]

    // MARK: - Links

    private func check(_ link: [UInt8], of code: [UInt8]) throws(CodeLineFault) {
        let text = String(decoding: link, as: UTF8.self)
        guard let query = text.firstIndex(of: "?"), Self.hosts.contains(text[..<query].lowercased()) else {
            throw .notALink(text)
        }
        for parameter in text[text.index(after: query)...].split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "id" where !parts[1].utf8.elementsEqual(appAppleId): throw .linkForOtherApp(String(parts[1]))
            case "code" where parts[1].uppercased() != String(decoding: code, as: UTF8.self): throw .linkForOtherCode
            default: break
            }
        }
    }

    private static let hosts: Set<String> = ["https://apps.apple.com/redeem", "https://apps.apple.com/redeem/"]
}
