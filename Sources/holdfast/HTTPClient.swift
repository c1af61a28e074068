@preconcurrency import Glibc

/// A small HTTP client for this program's own server on this machine: one request, one connection.
struct HTTPClient {
    let port: UInt16

    /// What came back: the status and the whole body.
    struct Answer {
        let status: Int
        let body: [UInt8]
    }

    /// Why there was no answer, as a sentence with its next step.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Sends one request to 127.0.0.1 and reads the answer to its end.
    func send(_ method: String, _ path: String, bearer key: String? = nil, body: [UInt8] = []) throws(Failure) -> Answer
    {
        let connection = try connected()
        defer { close(connection) }
        var timeout = timeval(tv_sec: Limits.clientTimeoutSeconds, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))

        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        if let key { head += "Authorization: Bearer \(key)\r\n" }
        if !body.isEmpty || method == "POST" {
            head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        }
        try write(Array("\(head)\r\n".utf8) + body, to: connection)
        return try answer(in: try readAll(from: connection))
    }

    /// A new socket that is connected to the server; the caller closes it.
    func connected() throws(Failure) -> Int32 {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard connection >= 0 else { throw failure("open a socket to") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let failure = failure("reach")
            close(connection)
            throw failure
        }
        return connection
    }

    private func write(_ bytes: [UInt8], to connection: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard written > 0 else { throw failure("write to") }
            rest = rest.dropFirst(written)
        }
    }

    private func readAll(from connection: Int32) throws(Failure) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, count in
                count = max(0, read(connection, buffer.baseAddress, buffer.count))
            }
            guard !piece.isEmpty else { return all }
            all += piece
        }
    }

    private func answer(in bytes: [UInt8]) throws(Failure) -> Answer {
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
        let blank: [UInt8] = [13, 10, 13, 10]
        let end = bytes.indices.first { bytes[$0...].starts(with: blank) }
        guard words.count >= 2, let status = Int(words[1]), let end else {
            throw Failure(description: "no HTTP answer from '127.0.0.1:\(port)'; look at the server's log")
        }
        return Answer(status: status, body: Array(bytes[(end + blank.count)...]))
    }

    private func failure(_ what: String) -> Failure {
        let reason = String(cString: strerror(errno)).lowercased()
        return Failure(description: "cannot \(what) '127.0.0.1:\(port)': \(reason); is the server running?")
    }
}
