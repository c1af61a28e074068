import CMicrohttpd
import Synchronization

/// One request on its way: its bytes while they arrive, then its answer.
///
/// The HTTP library calls for one connection from one thread at a time. While a connection is suspended only the lane or
/// the sweeper touches its exchange, whichever claimed it first, and `MHD_resume_connection` orders that write before
/// the loop's read.
final class Exchange: @unchecked Sendable {
    let method: String
    let path: String
    let query: [QueryParameter]
    let authorization: String?
    let clientAddress: IPAddress?
    var body: [UInt8] = []
    var stage = Stage.receiving
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
        guard case .receiving = stage else { return receivedBytes <= Limits.drainedBodyBytes }
        guard receivedBytes <= Limits.bodyBytes else {
            overflow(Problem(.bodyTooLarge, "the body is over \(Limits.bodyBytes) bytes"))
            return true
        }
        guard bodyMemory.reserve(bytes.count) else {
            overflow(Problem(.busy, "too many large requests at once; try again"))
            return true
        }
        reservedBytes += bytes.count
        body.append(contentsOf: bytes)
        return true
    }

    private func overflow(_ problem: Problem) {
        body = []
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

/// An exchange whose connection is between suspend and resume.
///
/// The library keeps the connection alive for exactly that long, and only who claimed the exchange resumes it.
struct SuspendedExchange: @unchecked Sendable {
    let exchange: Exchange
    let connection: OpaquePointer
    /// Told of the answer before it leaves.
    let answered: @Sendable (Response) -> Void

    /// Hands over the answer and wakes the connection's loop.
    func answer(_ response: Response) {
        answered(response)
        exchange.stage = .answered(response)
        MHD_resume_connection(connection)
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
