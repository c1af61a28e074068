@preconcurrency import Glibc

/// One kept-alive connection of the load: one request at a time, its answer read as it comes.
final class LoadConnection {
    let descriptor: Int32
    /// When the request in flight was due; nil while there is none.
    private(set) var due: UInt64?
    private var buffer = [UInt8](repeating: 0, count: Limits.loadAnswerBytes)
    private var filled = 0

    /// One answer: whether it is the wanted one.
    struct Answer {
        let status: Int
        let bodyBegins: Bool
    }

    init(port: UInt16) throws(HTTPClient.Failure) {
        descriptor = try HTTPClient(port: port).connected()
    }

    deinit {
        close(descriptor)
    }

    /// Sends a whole request, which fits into the empty buffer of the socket.
    func send(_ request: [UInt8], due: UInt64) throws(HTTPClient.Failure) {
        let sent = request.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == request.count else { throw HTTPClient.Failure(description: "the server closed a connection") }
        self.due = due
        filled = 0
    }

    /// Reads what is there; the answer once it is complete.
    func receive(expecting start: [UInt8]) throws(HTTPClient.Failure) -> Answer? {
        let count = buffer.withUnsafeMutableBytes { bytes in
            recv(descriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled, Int32(MSG_DONTWAIT))
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return nil }
        guard count > 0 else { throw HTTPClient.Failure(description: "the server closed a connection") }
        filled += count
        guard let answer = answer(expecting: start) else {
            guard filled < buffer.count else { throw HTTPClient.Failure(description: "an answer is too large") }
            return nil
        }
        due = nil
        return answer
    }

    /// The answer in the buffer, when all of it is there.
    private func answer(expecting start: [UInt8]) -> Answer? {
        buffer.withUnsafeBufferPointer { whole in
            let bytes = UnsafeBufferPointer(rebasing: whole[..<filled])
            var lineStart = 0
            var length = 0
            while let lineEnd = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
                if lineEnd - lineStart <= 1 {
                    let body = bytes[(lineEnd + 1)...]
                    guard body.count >= length, bytes.count > 12 else { return nil }
                    let status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
                    return Answer(status: status, bodyBegins: body.starts(with: start))
                }
                if let value = Self.contentLength(bytes[lineStart..<lineEnd]) { length = value }
                lineStart = lineEnd + 1
            }
            return nil
        }
    }

    private static func contentLength(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let name = "content-length:"
        guard line.count > name.utf8.count,
            line.prefix(name.utf8.count).elementsEqual(name.utf8, by: { $0 | 0x20 == $1 | 0x20 })
        else { return nil }
        return line.dropFirst(name.utf8.count).reduce(0) { value, byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? value * 10 + Int(byte) - 48 : value
        }
    }
}
