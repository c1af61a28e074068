import Server
@preconcurrency import Glibc

/// Posts notifications to a server on this machine over a few connections that stay open.
final class NotificationPoster {
    /// A server on this machine, and where it takes notifications.
    struct Target {
        let port: UInt16
        let path: String

        /// Reads `http://127.0.0.1:8080`, with or without a path; nil for other machines and other schemes.
        init?(_ url: String) {
            let host = ["http://127.0.0.1:", "http://localhost:"].first { url.hasPrefix($0) }
            guard let host else { return nil }
            let rest = url.dropFirst(host.count)
            let digits = rest.prefix { $0 != "/" }
            guard let port = UInt16(digits), port > 0 else { return nil }
            self.port = port
            let path = String(rest.dropFirst(digits.count))
            guard path.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return nil }
            self.path = path.isEmpty || path == "/" ? "/v1/app-store/notifications" : path
        }
    }

    private let target: Target
    private let connections: [LoadConnection]
    private var idle: [Int]
    /// How many answers had each status.
    private(set) var counts: [Int: Int] = [:]

    init(_ target: Target) throws(CommandError) {
        self.target = target
        do {
            var made: [LoadConnection] = []
            for _ in 0..<Limits.postingConnections { made.append(try LoadConnection(port: target.port)) }
            connections = made
        } catch {
            throw .failed(error)
        }
        idle = Array(connections.indices)
    }

    /// Sends `body` as soon as a connection is free.
    func post(_ body: String) throws(CommandError) {
        while idle.isEmpty { try receive() }
        let connection = connections[idle.removeLast()]
        let head = """
            POST \(target.path) HTTP/1.1\r
            Host: 127.0.0.1:\(target.port)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r

            """
        do {
            try connection.send(Array((head + body).utf8), due: Environment.systemMonotonicNanoseconds())
        } catch {
            throw .failed(error)
        }
    }

    /// Waits for the answers that are still to come.
    func finish() throws(CommandError) {
        while idle.count < connections.count { try receive() }
    }

    private func receive() throws(CommandError) {
        var descriptors = connections.map {
            pollfd(fd: $0.descriptor, events: Int16($0.due == nil ? 0 : POLLIN), revents: 0)
        }
        let ready = poll(&descriptors, nfds_t(descriptors.count), Int32(Limits.clientTimeoutSeconds) * 1000)
        guard ready > 0 || ready < 0 && errno == EINTR else {
            throw .failed("an answer did not come; look at the server's log")
        }
        do {
            for index in descriptors.indices where descriptors[index].revents != 0 {
                guard connections[index].due != nil, let answer = try connections[index].receive(expecting: [])
                else { continue }
                counts[answer.status, default: 0] += 1
                idle.append(index)
            }
        } catch {
            throw .failed(error)
        }
    }
}
