import Glibc

/// What a line of a code file came to, other than nothing.
public enum CodeRead {
    /// A code in upper case; its bytes are those of the moment.
    case code(UnsafeBufferPointer<UInt8>)
    case fault(CodeLineFault)
}

/// Reads the bytes of one code file, piece by piece, into codes and faults.
///
/// It takes no memory beyond a line, so a file may have any size. After a fault that `endsFile` the rest is no text and
/// is passed over.
public struct CodeTextReader {
    private var lines: CodeLineReader
    /// The begin of a line whose end has not come yet.
    private var rest: [UInt8] = []
    /// Whether the line that is being read is longer than any may be; its bytes are not kept.
    private var isTooLong = false
    private var hasEnded = false
    private var isAtStart = true
    /// Of the line that was read last, from 1.
    public private(set) var lineNumber: Int64 = 0
    /// Whether neither a code nor a fault was found.
    public private(set) var isEmpty = true

    /// - Parameter appAppleId: the app that links must be for.
    public init(appAppleId: AppAppleID) {
        lines = CodeLineReader(appAppleId: appAppleId)
    }

    /// Takes the next bytes and gives every line that ends in them, with its number.
    public mutating func read<Failure: Error>(
        _ bytes: UnsafeRawBufferPointer, _ visit: (CodeRead, Int64) throws(Failure) -> Void
    ) throws(Failure) {
        guard !hasEnded, !bytes.isEmpty else { return }
        var bytes = bytes.assumingMemoryBound(to: UInt8.self)
        if isAtStart {
            // A mark may come in pieces, so the first bytes wait until there are enough of them.
            if rest.count + bytes.count < 4 {
                rest += bytes
                return
            }
            isAtStart = false
            if !rest.isEmpty {
                let joined = rest + bytes
                rest = []
                try joined.withUnsafeBufferPointer { joined throws(Failure) in try begin(joined, visit) }
                return
            }
            return try begin(bytes, visit)
        }
        try split(&bytes, visit)
    }

    /// Gives the last line when it has no end.
    public mutating func finish<Failure: Error>(
        _ visit: (CodeRead, Int64) throws(Failure) -> Void
    ) throws(Failure) {
        if isAtStart {
            isAtStart = false
            let short = rest
            rest = []
            try short.withUnsafeBufferPointer { short throws(Failure) in try begin(short, visit) }
        }
        guard !hasEnded, !rest.isEmpty || isTooLong else { return }
        let last = rest
        rest = []
        try last.withUnsafeBufferPointer { last throws(Failure) in try take(last, visit) }
    }

    /// Looks at the first bytes of the file.
    private mutating func begin<Failure: Error>(
        _ bytes: UnsafeBufferPointer<UInt8>, _ visit: (CodeRead, Int64) throws(Failure) -> Void
    ) throws(Failure) {
        var bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes = UnsafeBufferPointer(rebasing: bytes[3...])
        } else if let fault = Self.fault(ofFirst: bytes) {
            hasEnded = true
            isEmpty = false
            lineNumber = 1
            return try visit(.fault(fault), 1)
        }
        try split(&bytes, visit)
    }

    /// Other encodings and packed files, told by their first bytes.
    private static func fault(ofFirst bytes: UnsafeBufferPointer<UInt8>) -> CodeLineFault? {
        let isUTF16 =
            bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || (bytes.count >= 4 && bytes[0] != 0 && bytes[1] == 0 && bytes[2] != 0 && bytes[3] == 0)
            || (bytes.count >= 4 && bytes[0] == 0 && bytes[1] != 0 && bytes[2] == 0 && bytes[3] != 0)
        return isUTF16 ? .utf16 : nil
    }

    private mutating func split<Failure: Error>(
        _ bytes: inout UnsafeBufferPointer<UInt8>, _ visit: (CodeRead, Int64) throws(Failure) -> Void
    ) throws(Failure) {
        while !hasEnded, let start = bytes.baseAddress, !bytes.isEmpty {
            guard let end = memchr(start, Int32(UInt8(ascii: "\n")), bytes.count) else {
                if rest.count + bytes.count > Limits.codeLineBytes {
                    isTooLong = true
                    rest.removeAll(keepingCapacity: true)
                } else if !isTooLong {
                    rest += bytes
                }
                return
            }
            let count = UnsafeRawPointer(end) - UnsafeRawPointer(start)
            let line = UnsafeBufferPointer(start: start, count: count)
            bytes = UnsafeBufferPointer(rebasing: bytes[(count + 1)...])
            if rest.isEmpty {
                try take(line, visit)
            } else {
                let whole = rest + line
                rest.removeAll(keepingCapacity: true)
                try whole.withUnsafeBufferPointer { whole throws(Failure) in try take(whole, visit) }
            }
        }
    }

    private mutating func take<Failure: Error>(
        _ line: UnsafeBufferPointer<UInt8>, _ visit: (CodeRead, Int64) throws(Failure) -> Void
    ) throws(Failure) {
        lineNumber += 1
        if isTooLong || line.count > Limits.codeLineBytes {
            isTooLong = false
            isEmpty = false
            return try visit(.fault(.tooLong), lineNumber)
        }
        // Nearly every line is a bare code, which is read in one pass and without memory of its own.
        var line = line
        if line.last == 0x0D { line = UnsafeBufferPointer(rebasing: line.dropLast()) }
        var isCode = false
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Limits.offerCodeBytes) { code throws(Failure) in
            guard lines.readBare(line, into: code) else { return }
            isCode = true
            isEmpty = false
            try visit(.code(UnsafeBufferPointer(rebasing: code[..<line.count])), lineNumber)
        }
        if isCode { return }
        if let control = line.first(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0D }) {
            hasEnded = true
            isEmpty = false
            return try visit(.fault(.notText(control)), lineNumber)
        }
        switch lines.read(line) {
        case .nothing: break
        case .fault(let fault):
            isEmpty = false
            try visit(.fault(fault), lineNumber)
        case .code(let code):
            isEmpty = false
            try code.withUnsafeBufferPointer { code throws(Failure) in try visit(.code(code), lineNumber) }
        }
    }
}
