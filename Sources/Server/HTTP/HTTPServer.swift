import CMicrohttpd
import Storage
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// HTTP on one address: event loops that receive, ask `begin` what to do, and answer.
///
/// A request that needs the database waits, and its loop serves others until the lane has committed.
/// All state is set in `init` and only read afterwards, up to `stop`, which one thread calls.
public final class HTTPServer: @unchecked Sendable {
    public let port: UInt16
    private let socket: ListeningSocket
    private let lane: DatabaseLane
    fileprivate let table: ConnectionTable
    private let sweeper: Sweeper
    fileprivate let deadlines: ConnectionDeadlines
    private let trustedProxies: TrustedProxies
    private let bodyMemory = BodyMemory(limit: Limits.bodyBytesInAll)
    fileprivate let begin: @Sendable (Request) -> Outcome
    fileprivate let refused: @Sendable (Request, Response) -> Void
    private let uploads: CodeUploads?
    private var loops: [EventLoop] = []
    /// Requests whose headers were read and whose answers have not left yet.
    fileprivate let inFlight = Atomic<Int>(0)
    fileprivate let isStopping = Atomic<Bool>(false)
    fileprivate let connections: ConnectionCounts

    /// Starts to listen; `begin` is called on an event loop and must not block.
    ///
    /// `trustedProxies` are believed in what they say of their clients' addresses, and may open any number of
    /// connections. `refused` is told of the answers to requests that `begin` never saw, because their headers or their
    /// length were enough; `everyRound` is called a few times a second on a thread of the server's own.
    init(
        socket: ListeningSocket, lane: DatabaseLane, trustedProxies: [AddressRange] = [],
        deadlines: ConnectionDeadlines = .standard, connections: ConnectionCounts = ConnectionCounts(),
        refused: @escaping @Sendable (Request, Response) -> Void = { _, _ in },
        everyRound: @escaping @Sendable () -> Void = {}, uploads: CodeUploads? = nil,
        begin: @escaping @Sendable (Request) -> Outcome
    ) throws(ServerError) {
        self.socket = socket
        self.lane = lane
        self.trustedProxies = TrustedProxies(trustedProxies)
        self.deadlines = deadlines
        self.connections = connections
        self.begin = begin
        self.refused = refused
        self.uploads = uploads
        port = socket.port
        // Bodies come and go all the time: given back to the system, their memory would be cleared anew for each.
        holdfast_keep_freed_memory(Limits.freedMemoryKept)
        table = ConnectionTable(exempt: self.trustedProxies)
        sweeper = try Sweeper(table, connections, everyRound: everyRound)
        let limit = OpenFiles.allow(Limits.connections + Limits.otherDescriptors) - Limits.otherDescriptors
        for _ in 0..<Limits.eventLoops {
            guard let loop = EventLoop(of: self),
                loop.start({ startDaemon(loop: $0, connections: limit / Limits.eventLoops) })
            else {
                for loop in loops { loop.stop() }
                sweeper.stop()
                throw .cannotStart("the HTTP server")
            }
            loops.append(loop)
        }
    }

    /// A daemon of the library whose callbacks are given `own`, the loop that runs it.
    private func startDaemon(loop own: UnsafeMutableRawPointer, connections limit: Int) -> OpaquePointer? {
        let flags = MHD_USE_EPOLL.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_TURBO.rawValue
        let completed:
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
                MHD_RequestTerminationCode
            ) -> Void = requestCompleted
        let unescape:
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
            ) -> Int = keepEscapes
        let changed:
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
                MHD_ConnectionNotificationCode
            ) -> Void = connectionChanged
        let lineRead:
            @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?)
                -> UnsafeMutableRawPointer? = requestLineRead
        return withVaList([
            MHD_OPTION.LISTEN_SOCKET.rawValue, socket.descriptor,
            MHD_OPTION.CONNECTION_LIMIT.rawValue, UInt32(max(limit, 1)),
            MHD_OPTION.CONNECTION_MEMORY_LIMIT.rawValue, Limits.connectionMemory,
            // Off, because the library answers a missing 'Host' with a broken message; it is refused here instead.
            MHD_OPTION.STRICT_FOR_CLIENT.rawValue, Int32(0),
            MHD_OPTION.UNESCAPE_CALLBACK.rawValue, unsafeBitCast(unescape, to: OpaquePointer.self), Int(0),
            MHD_OPTION.NOTIFY_COMPLETED.rawValue, unsafeBitCast(completed, to: OpaquePointer.self),
            Int(bitPattern: own),
            MHD_OPTION.NOTIFY_CONNECTION.rawValue, unsafeBitCast(changed, to: OpaquePointer.self),
            Int(bitPattern: own),
            MHD_OPTION.URI_LOG_CALLBACK.rawValue, unsafeBitCast(lineRead, to: OpaquePointer.self), Int(0),
            MHD_OPTION.END.rawValue,
        ]) { options in
            MHD_start_daemon_va(flags, 0, acceptConnection, own, handleRequest, own, options)
        }
    }

    /// Stops accepting, answers what was accepted, then closes every connection.
    ///
    /// A client that sends request after request on one connection is told with its next answer to close it.
    public func stop() {
        guard !loops.isEmpty else { return }
        isStopping.store(true, ordering: .relaxed)
        for loop in loops { loop.quiesce() }
        var quietRounds = 0
        for _ in 0..<Limits.drainRounds where quietRounds < Limits.quietDrainRounds {
            usleep(Limits.drainRoundMicroseconds)
            quietRounds = inFlight.load(ordering: .relaxed) == 0 ? quietRounds + 1 : 0
        }
        if let uploads, uploads.giveUp() {
            // Their answers are with the loops now, which take them in their next rounds.
            for _ in 0..<Limits.givenUpRounds where inFlight.load(ordering: .relaxed) > 0 {
                usleep(Limits.drainRoundMicroseconds)
            }
        }
        lane.stop()
        sweeper.stop()
        for loop in loops { loop.stop() }
        loops = []
        close(socket.descriptor)
    }

    /// Believes these from the next request and connection on.
    func replace(trustedProxies: [AddressRange]) {
        self.trustedProxies.replace(with: trustedProxies)
    }

    /// The exchange of a request whose headers are there.
    fileprivate func exchange(
        method: String, path: String, authorization: String?, on connection: OpaquePointer, of peer: IPAddress
    ) -> Exchange {
        let trustedProxies = trustedProxies.current
        let isProxy = trustedProxies.contains { $0.contains(peer) }
        let forwardedFor = isProxy ? headers("X-Forwarded-For", of: connection) : []
        return Exchange(
            method: method, path: path, query: queryParameters(of: connection), authorization: authorization,
            clientAddress: .client(peer: peer, forwardedFor: forwardedFor, trustedProxies: trustedProxies),
            bodyMemory: bodyMemory)
    }

    /// Whether the body is taken as it comes.
    fileprivate func isUpload(_ exchange: Exchange) -> Bool {
        uploads != nil && Route.takesUpload(method: exchange.method, path: exchange.path)
    }

    /// Judges a request whose body is taken as it comes, before any of it is there.
    ///
    /// What is wrong with it is told at once when its body is large, and behind the body when that is small, for many
    /// clients send a small one before they read.
    fileprivate func beginUpload(
        _ exchange: Exchange, on connection: OpaquePointer, _ client: ClientConnection
    ) -> MHD_Result {
        guard let uploads else { return .NO }
        switch uploads.begin(exchange.request) {
        case .success(let upload):
            exchange.upload = upload
            return .YES
        case .failure(let problem):
            guard exchange.announcedBytes > Limits.drainedBodyBytes else {
                exchange.overflow(problem)
                return .YES
            }
            let response = problem.response
            refused(exchange.request, response)
            return queue(response, on: connection, client)
        }
    }

    /// Has a whole body worked on by its own thread; the sweeper does not answer in its place.
    fileprivate func finish(_ upload: CodeUpload, of waiting: WaitingExchange, _ client: ClientConnection) {
        client.waitBegan(waiting, now: uptimeMilliseconds())
        guard waiting.exchange.claimForLane() else { return }
        upload.finish { waiting.answer($0) }
    }

    /// Hands a request's work to the lane, whose answer leaves with a later round of the loop.
    ///
    /// The lane does nothing for a request that the sweeper has answered, and answers every one that it has begun.
    fileprivate func finishOnLane(_ work: @escaping LaneWork, of waiting: WaitingExchange, _ client: ClientConnection) {
        client.waitBegan(waiting, now: uptimeMilliseconds())
        lane.submit { context throws(StorageError) in
            guard waiting.exchange.claimForLane() else { return lateResponse }
            return try work(context)
        } answer: { response in
            guard waiting.exchange.claimForLane() else { return }
            waiting.answer(response)
        }
    }
}

/// What the lane gives for a request that was answered without it; nobody sees it.
private let lateResponse = Response(status: 503, contentType: "text/plain", body: [])

extension HTTPServer {
    fileprivate func queue(
        _ response: Response, on connection: OpaquePointer, _ client: ClientConnection
    ) -> MHD_Result {
        guard client.answerBegan(now: uptimeMilliseconds()) else { return .NO }
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

/// The library's one entry: called with no exchange first, then for each piece of body, then when the body is complete,
/// and again in each round of the loop until there is an answer.
private func handleRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ uploaded: UnsafePointer<CChar>?,
    _ uploadedCount: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let url, let method, let uploadedCount, let slot,
        let client = client(of: connection)
    else { return .NO }
    let loop = eventLoop(context)
    let server = loop.server

    guard let pointer = slot.pointee else {
        let headers = RequestHeaders(of: connection)
        let exchange = server.exchange(
            method: String(cString: method), path: String(cString: url), authorization: headers.authorization,
            on: connection, of: client.peer)
        exchange.announcedBytes = headers.announcedBytes
        slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
        server.inFlight.add(1, ordering: .relaxed)
        let isUpload = server.isUpload(exchange)
        let limit = isUpload ? Limits.uploadBytes : Limits.bodyBytes
        if let refused = headers.refusal(version: version, bodyLimit: limit) {
            server.refused(exchange.request, refused)
            return server.queue(refused, on: connection, client)
        }
        return isUpload ? server.beginUpload(exchange, on: connection, client) : .YES
    }

    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    if case .waiting = exchange.stage {
        loop.waits(exchange, on: connection)
        return .YES
    }
    loop.moves()
    if uploadedCount.pointee > 0 {
        let goesOn = exchange.receive(UnsafeRawBufferPointer(start: uploaded, count: uploadedCount.pointee))
        uploadedCount.pointee = 0
        if exchange.upload != nil { client.requestGoesOn(now: uptimeMilliseconds()) }
        if !goesOn { server.connections.cut(.body) }
        return goesOn ? .YES : .NO
    }
    switch exchange.stage {
    case .waiting:
        return .YES
    case .answered(let response):
        return server.queue(response, on: connection, client)
    case .overflowing(let problem):
        let response = problem.response
        server.refused(exchange.request, response)
        return server.queue(response, on: connection, client)
    case .receiving:
        // From here on the request is complete, and no longer cut.
        guard client.answerBegan(now: uptimeMilliseconds()) else { return .NO }
        exchange.stage = .waiting
        if let upload = exchange.upload {
            exchange.upload = nil
            let waiting = WaitingExchange(exchange: exchange, connection: connection, loop: loop) { _ in }
            server.finish(upload, of: waiting, client)
            loop.waits(exchange, on: connection)
            return .YES
        }
        let request = exchange.request
        exchange.body = []
        switch server.begin(request) {
        case .now(let response):
            return server.queue(response, on: connection, client)
        case .onLane(let work, let answered):
            let waiting = WaitingExchange(
                exchange: exchange, connection: connection, loop: loop, answered: answered)
            server.finishOnLane(work, of: waiting, client)
            loop.waits(exchange, on: connection)
            return .YES
        }
    }
}

/// Releases the exchange, whether the request was answered or its client went away.
private func requestCompleted(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let context, let slot, let pointer = slot.pointee else { return }
    Unmanaged<Exchange>.fromOpaque(pointer).release()
    slot.pointee = nil
    eventLoop(context).server.inFlight.subtract(1, ordering: .relaxed)
    if let connection { client(of: connection)?.requestEnded(now: uptimeMilliseconds()) }
}

/// The loop whose daemon calls, which is the context of every callback.
private func eventLoop(_ context: UnsafeMutableRawPointer) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
}

/// What `connectionChanged` keeps with the connection.
private func client(of connection: OpaquePointer) -> ClientConnection? {
    guard let context = holdfast_connection_info(connection, .CONNECTION_INFO_SOCKET_CONTEXT)?.pointee.socket_context
    else { return nil }
    return Unmanaged<ClientConnection>.fromOpaque(context).takeUnretainedValue()
}

/// Refuses a connection, before a byte of it is read, when its network has as many as one may have.
private func acceptConnection(
    _ context: UnsafeMutableRawPointer?, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t
) -> MHD_Result {
    guard let context, let peer = IPAddress(address) else { return .NO }
    let server = eventLoop(context).server
    if server.table.hasRoom(for: peer) { return .YES }
    server.connections.refuse()
    return .NO
}

/// Enters a connection in the table when it opens, and takes it out before its socket is closed.
private func connectionChanged(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let slot else { return }
    let server = eventLoop(context).server
    switch change {
    case .CONNECTION_NOTIFY_STARTED:
        guard let descriptor = holdfast_connection_info(connection, .CONNECTION_INFO_CONNECTION_FD)?.pointee.connect_fd,
            let peer = IPAddress(
                holdfast_connection_info(connection, .CONNECTION_INFO_CLIENT_ADDRESS)?.pointee.client_addr)
        else { return }
        let client = ClientConnection(
            descriptor: descriptor, peer: peer, deadlines: server.deadlines, now: uptimeMilliseconds())
        slot.pointee = Unmanaged.passRetained(client).toOpaque()
        server.table.insert(client)
        server.connections.opened()
    case .CONNECTION_NOTIFY_CLOSED:
        guard let pointer = slot.pointee else { return }
        server.connections.ended()
        let client = Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue()
        client.closed()
        server.table.remove(client)
        slot.pointee = nil
    @unknown default:
        break
    }
}

/// Tells the connection that a request has begun; the exchange is made later, when all headers are there.
private func requestLineRead(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    if let connection { client(of: connection)?.requestBegan(now: uptimeMilliseconds()) }
    return nil
}

/// Leaves percent-escapes as they are: none of our paths has one, and a decoded NUL would cut a path short.
private func keepEscapes(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    text.map { strlen($0) } ?? 0
}
