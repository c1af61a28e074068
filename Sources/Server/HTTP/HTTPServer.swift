import CMicrohttpd
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// HTTP on one address: event loops that receive, ask `begin` what to do, and answer.
///
/// A request that needs the database is suspended, so that its loop serves others until the lane has committed.
/// All state is set in `init` and only read afterwards; the library does its own locking.
public final class HTTPServer: @unchecked Sendable {
    public let port: UInt16
    private let socket: ListeningSocket
    private let lane: DatabaseLane
    fileprivate let begin: @Sendable (Request) -> Outcome
    private var daemon: OpaquePointer?
    /// Requests whose headers were read and whose answers have not left yet.
    fileprivate let inFlight = Atomic<Int>(0)
    fileprivate let isStopping = Atomic<Bool>(false)
    fileprivate let connections: ConnectionCounts

    /// Starts to listen; `begin` is called on an event loop and must not block.
    init(
        socket: ListeningSocket, lane: DatabaseLane, connections: ConnectionCounts = ConnectionCounts(),
        begin: @escaping @Sendable (Request) -> Outcome
    ) throws(ServerError) {
        self.socket = socket
        self.lane = lane
        self.connections = connections
        self.begin = begin
        port = socket.port

        let flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_TURBO.rawValue
        let completed:
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
                MHD_RequestTerminationCode
            ) -> Void = requestCompleted
        let notified:
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
                MHD_ConnectionNotificationCode
            ) -> Void = connectionChanged
        let unescape:
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
            ) -> Int = keepEscapes
        daemon = withVaList([
            MHD_OPTION.LISTEN_SOCKET.rawValue, socket.descriptor,
            MHD_OPTION.THREAD_POOL_SIZE.rawValue, Limits.eventLoops,
            MHD_OPTION.CONNECTION_LIMIT.rawValue, Limits.connections,
            MHD_OPTION.CONNECTION_TIMEOUT.rawValue, Limits.idleSeconds,
            MHD_OPTION.CONNECTION_MEMORY_LIMIT.rawValue, Limits.connectionMemory,
            // Off, because the library answers a missing 'Host' with a broken message; it is refused here instead.
            MHD_OPTION.STRICT_FOR_CLIENT.rawValue, Int32(0),
            MHD_OPTION.UNESCAPE_CALLBACK.rawValue, unsafeBitCast(unescape, to: OpaquePointer.self), Int(0),
            MHD_OPTION.NOTIFY_CONNECTION.rawValue, unsafeBitCast(notified, to: OpaquePointer.self),
            Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()),
            MHD_OPTION.NOTIFY_COMPLETED.rawValue, unsafeBitCast(completed, to: OpaquePointer.self),
            Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()),
            MHD_OPTION.END.rawValue,
        ]) { options in
            MHD_start_daemon_va(
                flags, 0, nil, nil, handleRequest, Unmanaged.passUnretained(self).toOpaque(), options)
        }
        guard daemon != nil else { throw .cannotStart("the HTTP server") }
    }

    /// Stops accepting, answers what was accepted, then closes every connection.
    ///
    /// A client that sends request after request on one connection is told with its next answer to close it.
    public func stop() {
        guard let daemon else { return }
        isStopping.store(true, ordering: .relaxed)
        let descriptor = MHD_quiesce_daemon(daemon)
        var quietRounds = 0
        for _ in 0..<Limits.drainRounds where quietRounds < Limits.quietDrainRounds {
            usleep(Limits.drainRoundMicroseconds)
            quietRounds = inFlight.load(ordering: .relaxed) == 0 ? quietRounds + 1 : 0
        }
        lane.stop()
        MHD_stop_daemon(daemon)
        if descriptor >= 0 { close(descriptor) }
        self.daemon = nil
    }

    /// Hands a suspended connection's work to the lane and wakes it when the answer may leave.
    fileprivate func finishOnLane(
        _ work: @escaping LaneWork, of exchange: Exchange, on connection: OpaquePointer,
        answered: @escaping @Sendable (Response) -> Void
    ) {
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection: connection)
        lane.submit(work) { response in
            answered(response)
            exchange.stage = .answered(response)
            MHD_resume_connection(suspended.connection)
        }
    }
}

extension HTTPServer {
    fileprivate func queue(_ response: Response, on connection: OpaquePointer) -> MHD_Result {
        let created = response.body.withUnsafeBytes { bytes in
            // The library copies the bytes at once and never writes to them.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let created else { return .NO }
        defer { MHD_destroy_response(created) }
        MHD_add_response_header(created, "Content-Type", response.contentType)
        if isStopping.load(ordering: .relaxed) { MHD_add_response_header(created, "Connection", "close") }
        for header in response.headers { MHD_add_response_header(created, header.name, header.value) }
        return MHD_queue_response(connection, UInt32(response.status), created)
    }
}

/// A connection between suspend and resume: the library keeps it alive for exactly that long, and only the lane holds it.
private struct SuspendedConnection: @unchecked Sendable {
    let connection: OpaquePointer
}

/// The library's one entry: called with no exchange first, then for each piece of body, then when the body is complete,
/// and once more after a resume.
private func handleRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ uploaded: UnsafePointer<CChar>?,
    _ uploadedCount: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let url, let method, let uploadedCount, let slot else { return .NO }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()

    guard let pointer = slot.pointee else {
        let exchange = Exchange(
            method: String(cString: method), path: String(cString: url),
            authorization: header("Authorization", of: connection))
        slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
        server.inFlight.add(1, ordering: .relaxed)
        if let refused = refusalByHeaders(of: connection, version: version) {
            return server.queue(refused, on: connection)
        }
        return .YES
    }

    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    if uploadedCount.pointee > 0 {
        exchange.receive(UnsafeRawBufferPointer(start: uploaded, count: uploadedCount.pointee))
        uploadedCount.pointee = 0
        return .YES
    }
    switch exchange.stage {
    case .answered(let response):
        return server.queue(response, on: connection)
    case .waiting:
        return .YES
    case .overflowing:
        return server.queue(
            Problem(.bodyTooLarge, "the body is over \(Limits.bodyBytes) bytes").response, on: connection)
    case .receiving:
        exchange.stage = .waiting
        let request = Request(
            method: exchange.method, path: exchange.path, authorization: exchange.authorization, body: exchange.body)
        exchange.body = []
        switch server.begin(request) {
        case .now(let response):
            return server.queue(response, on: connection)
        case .onLane(let work, let answered):
            server.finishOnLane(work, of: exchange, on: connection, answered: answered)
            return .YES
        }
    }
}

/// Why the headers alone make a request unacceptable; nil when they do not.
///
/// The library takes the first of two differing values, so a request that names its length or host twice, or both a
/// length and chunks, could be read differently by a proxy in front of us.
private func refusalByHeaders(of connection: OpaquePointer, version: UnsafePointer<CChar>?) -> Response? {
    let singles = ["Content-Length", "Transfer-Encoding", "Host", "Authorization"]
    for name in singles where count(of: name, on: connection) > 1 {
        return Problem(.ambiguousHeaders, "the header '\(name)' is there more than once").response
    }
    if header("Host", of: connection) == nil, let version, strcmp(version, "HTTP/1.1") == 0 {
        return Problem(.ambiguousHeaders, "the header 'Host' is missing").response
    }
    guard let length = header("Content-Length", of: connection) else { return nil }
    if header("Transfer-Encoding", of: connection) != nil {
        return Problem(.ambiguousHeaders, "'Content-Length' and 'Transfer-Encoding' are both there").response
    }
    guard let bytes = Int(length) else {
        return Problem(.ambiguousHeaders, "'Content-Length' is no number").response
    }
    guard bytes <= Limits.bodyBytes else {
        return Problem(.bodyTooLarge, "the body has \(bytes) bytes; at most \(Limits.bodyBytes) are read").response
    }
    return nil
}

private func header(_ name: String, of connection: OpaquePointer) -> String? {
    MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
}

private func count(of name: String, on connection: OpaquePointer) -> Int {
    var search = HeaderCount(name: name)
    withUnsafeMutablePointer(to: &search) {
        _ = MHD_get_connection_values(connection, .HEADER_KIND, countHeader, $0)
    }
    return search.found
}

private struct HeaderCount {
    let name: String
    var found = 0
}

private func countHeader(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ key: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let context, let key else { return .NO }
    let search = context.assumingMemoryBound(to: HeaderCount.self)
    if strcasecmp(key, search.pointee.name) == 0 { search.pointee.found += 1 }
    return .YES
}

/// Releases the exchange, whether the request was answered or its client went away.
private func requestCompleted(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let context, let slot, let pointer = slot.pointee else { return }
    Unmanaged<Exchange>.fromOpaque(pointer).release()
    slot.pointee = nil
    Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().inFlight.subtract(1, ordering: .relaxed)
}

/// Counts connections as they come and go.
private func connectionChanged(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
    guard let context else { return }
    let connections = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().connections
    switch change {
    case .CONNECTION_NOTIFY_STARTED: connections.opened()
    case .CONNECTION_NOTIFY_CLOSED: connections.ended()
    @unknown default: break
    }
}

/// Leaves percent-escapes as they are: none of our paths has one, and a decoded NUL would cut a path short.
private func keepEscapes(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    text.map { strlen($0) } ?? 0
}
