/// One HTTP request, complete in memory; its body is within the route's limit.
public struct Request: Sendable {
    public let method: String
    /// The path without the query, as sent.
    public let path: String
    /// The parameters of the query in the order they were sent, percent-encoded as sent.
    public let query: [QueryParameter]
    /// The `Authorization` header as sent.
    public let authorization: String?
    /// The client's own address, also when a proxy of ours stands between; nil when that proxy does not tell it.
    public let clientAddress: IPAddress?
    public let body: [UInt8]

    public init(
        method: String, path: String, query: [QueryParameter] = [], authorization: String?, clientAddress: IPAddress?,
        body: [UInt8]
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.authorization = authorization
        self.clientAddress = clientAddress
        self.body = body
    }
}

/// What a loop does with a request it has looked at.
public enum Outcome: Sendable {
    /// Answered at once; nothing was remembered.
    case now(Response)
    /// Answered after the lane's commit; `answered` is told the answer just before it leaves.
    case onLane(LaneWork, answered: @Sendable (Response) -> Void = { _ in })
}
