import Synchronization

/// One request on its way: its bytes while they arrive, then its answer.
///
/// Only the thread of its connection's loop touches it, except for the claim: who answers from another thread, the lane or
/// the sweeper, whichever claimed it first, hands the answer to the loop.
final class Exchange: @unchecked Sendable {
    let method: String
    let path: String
    let query: [QueryParameter]
    let authorization: String?
    let clientAddress: IPAddress?
    var body: [UInt8] = []
    /// Takes the body in place of `body`, when it may be too large for memory.
    var upload: CodeUpload?
    /// Bytes of a body after which a client that is refused is cut.
    private var drainedBytes = Limits.drainedBodyBytes
    /// What the client says that the body will have.
    var announcedBytes = 0
    var stage = Stage.receiving
    /// How often the library has asked in vain for the answer.
    var roundsWaited = 0
    /// Whether the library has been told not to ask until the answer is there.
    var isSuspended = false
    /// Bytes of the body that were read, also of one that is not kept.
    private(set) var receivedBytes = 0
    /// What `bodyMemory` counts for this exchange.
    private var reservedBytes = 0
    private let bodyMemory: BodyMemory
    private let claim = Atomic(Claim.none.rawValue)

    enum Stage {
        case receiving
        /// The body is over the limit, or over what all bodies may take: read on, remember nothing, then answer.
        case overflowing(Problem)
        case waiting
        case answered(Response)
    }

    /// Who answers a request that waits for the lane.
    private enum Claim: UInt8 {
        case none, lane, sweeper
    }

    init(
        method: String, path: String, query: [QueryParameter], authorization: String?, clientAddress: IPAddress?,
        bodyMemory: BodyMemory
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.authorization = authorization
        self.clientAddress = clientAddress
        self.bodyMemory = bodyMemory
    }

    deinit {
        bodyMemory.release(reservedBytes)
    }

    /// What has come of it so far.
    var request: Request {
        Request(
            method: method, path: path, query: query, authorization: authorization, clientAddress: clientAddress,
            body: body)
    }

    /// Takes the next piece of the body; false when so much came after the limit that the client is not worth an answer.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        receivedBytes += bytes.count
        guard case .receiving = stage else { return receivedBytes <= drainedBytes }
        if let upload {
            if let problem = upload.receive(bytes) { overflow(problem) }
            return true
        }
        guard receivedBytes <= Limits.bodyBytes else {
            overflow(Problem(.bodyTooLarge, "the body is over \(Limits.bodyBytes) bytes"))
            return true
        }
        guard bodyMemory.reserve(bytes.count) else {
            overflow(Problem(.busy, "too many large requests at once; try again"))
            return true
        }
        reservedBytes += bytes.count
        // A client that announces much and sends little gets no memory for it.
        if body.isEmpty { body.reserveCapacity(min(announcedBytes, 2 * bytes.count)) }
        body.append(contentsOf: bytes)
        return true
    }

    /// Reads the rest of the body for nothing and answers with `problem` then.
    func overflow(_ problem: Problem) {
        body = []
        // A file that was taken in for a while is read to its end, or its client would never see the answer.
        if upload != nil { drainedBytes = Limits.uploadBytes }
        upload = nil
        bodyMemory.release(reservedBytes)
        reservedBytes = 0
        stage = .overflowing(problem)
    }

    /// The lane begins or answers this request; false when the sweeper has answered it, and then nothing may be done.
    func claimForLane() -> Bool {
        take(.lane) == .lane
    }

    /// The sweeper answers this request in place of the lane; false once the lane has begun it.
    func giveUp() -> Bool {
        take(.sweeper) == .sweeper
    }

    private func take(_ claimed: Claim) -> Claim {
        let (isFirst, earlier) = claim.compareExchange(
            expected: Claim.none.rawValue, desired: claimed.rawValue, ordering: .acquiringAndReleasing)
        return isFirst ? claimed : Claim(rawValue: earlier) ?? .none
    }
}

/// An exchange that waits for an answer from another thread; only who claimed it gives that.
///
/// Sendable because nothing but the claim of the exchange is touched away from the loop.
struct WaitingExchange: @unchecked Sendable {
    let exchange: Exchange
    /// Alive as long as the exchange is suspended; otherwise its client may have gone.
    let connection: OpaquePointer
    let loop: EventLoop
    /// Told of the answer before it leaves.
    let answered: @Sendable (Response) -> Void

    /// Hands over the answer to the connection's loop.
    func answer(_ response: Response) {
        answered(response)
        loop.take(response, for: self)
    }
}

/// How much memory the bodies of all requests take together.
final class BodyMemory: Sendable {
    private let bytes = Atomic<Int>(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether `count` more bytes fit; then they are counted until they are released.
    func reserve(_ count: Int) -> Bool {
        guard bytes.add(count, ordering: .relaxed).newValue <= limit else {
            release(count)
            return false
        }
        return true
    }

    func release(_ count: Int) {
        bytes.subtract(count, ordering: .relaxed)
    }
}
