/// One HTTP answer, complete in memory.
public struct Response: Sendable, Hashable {
    public var status: Int
    public var contentType: String
    public var headers: [Header]
    public var body: [UInt8]
    /// The problem it tells, as long as nobody has counted and logged that.
    var uncounted: ProblemCode?

    /// A header beside `Content-Type`.
    public struct Header: Sendable, Hashable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(status: Int, contentType: String, headers: [Header] = [], body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// A JSON answer.
    public static func json(status: Int = 200, _ body: [UInt8]) -> Response {
        Response(status: status, contentType: "application/json", body: body)
    }

    /// A plain-text answer, as Prometheus reads it.
    public static func text(_ body: String) -> Response {
        Response(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(body.utf8))
    }
}
