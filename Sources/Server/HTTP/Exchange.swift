import CMicrohttpd

/// One request on its way: its bytes while they arrive, then its answer.
///
/// The HTTP library calls for one connection from one thread at a time. While a connection is suspended only the lane
/// touches its exchange, and `MHD_resume_connection` orders the lane's write before the loop's read.
final class Exchange: @unchecked Sendable {
    let method: String
    let path: String
    let authorization: String?
    var body: [UInt8] = []
    var stage = Stage.receiving

    enum Stage {
        case receiving
        /// The body is over the limit: read on, remember nothing, then answer.
        case overflowing
        case waiting
        case answered(Response)
    }

    init(method: String, path: String, authorization: String?) {
        self.method = method
        self.path = path
        self.authorization = authorization
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        guard case .receiving = stage else { return }
        guard body.count + bytes.count <= Limits.bodyBytes else {
            body = []
            stage = .overflowing
            return
        }
        body.append(contentsOf: bytes)
    }
}
