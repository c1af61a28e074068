@preconcurrency import Glibc

/// The lines of a file or of standard input, one after another, so that a file of any size takes little memory.
final class LineReader {
    /// One line without its end.
    enum Line {
        case text([UInt8])
        /// More bytes than the limit; they were skipped.
        case tooLong
    }

    let path: String
    /// Of the line that was read last, from 1.
    private(set) var number = 0
    /// How many bytes have been read from the file.
    private(set) var readBytes: Int64 = 0
    private let descriptor: Int32
    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Opens the file at `path`, or standard input for `-`; lines longer than `limit` bytes are not kept.
    init(_ path: String, limit: Int) throws(CommandError) {
        self.path = path
        self.limit = limit
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .failed("cannot read '\(path)': \(String(cString: strerror(errno))); check the path and its mode")
        }
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// The next line; nil at the end. A last line without a line end counts.
    func next() throws(CommandError) -> Line? {
        var isTooLong = false
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[start..<end]
                start = end + 1
                number += 1
                return isTooLong || line.count > limit ? .tooLong : .text(withoutMarks(line))
            }
            if isAtEnd {
                guard start < buffer.count || isTooLong else { return nil }
                let line = buffer[start...]
                start = buffer.count
                number += 1
                return isTooLong || line.count > limit ? .tooLong : .text(withoutMarks(line))
            }
            if buffer.count - start > limit {
                isTooLong = true
                buffer.removeAll(keepingCapacity: true)
                start = 0
            }
            try readMore()
        }
    }

    /// Without the carriage return of Windows, and the first line without the byte-order mark.
    private func withoutMarks(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let line = number == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    private func readMore() throws(CommandError) {
        buffer.removeFirst(start)
        start = 0
        let held = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: Limits.lineReaderBytes))
        let count = buffer.withUnsafeMutableBytes { bytes in
            read(descriptor, bytes.baseAddress.map { $0 + held }, Limits.lineReaderBytes)
        }
        let error = errno
        buffer.removeLast(Limits.lineReaderBytes - max(0, count))
        guard count >= 0 else {
            if error == EINTR { return }
            throw .failed("cannot read '\(path)': \(String(cString: strerror(error))); check the path and its mode")
        }
        readBytes += Int64(count)
        isAtEnd = count == 0
    }
}
