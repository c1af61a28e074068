import Server
@preconcurrency import Glibc

/// Requests that follow one another: templates again and again, each time with a `requestId` of its own, or given ones
/// once each.
struct LoadRequests {
    /// Whole requests that differ in their customer; the digits of an id are replaced in each.
    let templates: [[UInt8]]
    /// Where in each template the last twelve digits of the `requestId` are; nil when it has none.
    let idOffsets: [Int?]
    /// How the body of every answer begins.
    let answerStart: [UInt8]
    private let isOnce: Bool
    private var sent: UInt64 = 0

    init(templates: [[UInt8]], idOffsets: [Int?], answerStart: String) {
        self.templates = templates
        self.idOffsets = idOffsets
        self.answerStart = Array(answerStart.utf8)
        isOnce = false
    }

    /// Each of `requests` is sent once, in their order.
    init(once requests: [[UInt8]], answerStart: String) {
        templates = requests
        idOffsets = []
        self.answerStart = Array(answerStart.utf8)
        isOnce = true
    }

    /// What every server answers without any work: the yardstick of latencies.
    static var live: LoadRequests {
        let get = Array("GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        return LoadRequests(templates: [get], idOffsets: [nil], answerStart: "{\"status\":\"live\"")
    }

    /// Nil when there are no more.
    mutating func next() -> [UInt8]? {
        if isOnce {
            guard sent < templates.count else { return nil }
            sent += 1
            return templates[Int(sent) - 1]
        }
        let index = Int(sent % UInt64(templates.count))
        var request = templates[index]
        sent += 1
        guard let offset = idOffsets[index] else { return request }
        let digits: StaticString = "0123456789abcdef"
        for place in 0..<12 { request[offset + place] = digits.utf8Start[Int(sent >> UInt64(4 * (11 - place)) & 15)] }
        return request
    }
}

/// What came of one load.
struct LoadResult {
    /// From when each request was due to its whole answer, in order of size.
    let nanoseconds: [UInt64]
    let seconds: Double

    var count: Int { nanoseconds.count }
    var rate: Double { Double(count) / seconds }

    /// Both loads together.
    func and(_ other: LoadResult) -> LoadResult {
        LoadResult(nanoseconds: (nanoseconds + other.nanoseconds).sorted(), seconds: seconds + other.seconds)
    }

    /// The time within which `share` of the answers came.
    func milliseconds(_ share: Double) -> Double {
        guard !nanoseconds.isEmpty else { return 0 }
        return Double(nanoseconds[min(count - 1, Int(Double(count) * share))]) / 1e6
    }
}

/// Sends requests over connections that stay open, and checks and times every answer.
struct LoadGenerator {
    private let connections: [LoadConnection]

    init(port: UInt16, connections count: Int = Limits.loadConnections) throws(CommandError) {
        var made: [LoadConnection] = []
        do {
            for _ in 0..<count { made.append(try LoadConnection(port: port)) }
        } catch {
            throw .failed(error)
        }
        connections = made
    }

    /// Sends for `seconds`, or until there are no more requests: as fast as answers come, or `rate` requests a second
    /// whatever the answers do.
    ///
    /// A request counts from when it was due, so a server that falls behind is not spared the wait. Any answer but the
    /// wanted one ends the run.
    func run(_ requests: inout LoadRequests, seconds: Double, rate: Double? = nil) throws(CommandError) -> LoadResult {
        do {
            return try send(&requests, seconds: seconds, rate: rate)
        } catch {
            throw .failed(error)
        }
    }

    private func send(
        _ requests: inout LoadRequests, seconds: Double, rate: Double?
    ) throws(HTTPClient.Failure) -> LoadResult {
        let clock = Server.Environment.systemMonotonicNanoseconds
        var descriptors = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        var idle = Array(connections.indices)
        var times: [UInt64] = []
        times.reserveCapacity(Int(seconds * 20_000))
        let began = clock()
        var end = began + UInt64(seconds * 1e9)
        let pause = rate.map { 1e9 / $0 }
        var dueCount = 0
        var now = began
        while true {
            while now < end, let index = idle.last {
                let due = pause.map { began + UInt64($0 * Double(dueCount)) } ?? now
                guard due <= now else { break }
                guard let request = requests.next() else {
                    end = now
                    break
                }
                idle.removeLast()
                dueCount += 1
                try connections[index].send(request, due: due)
            }
            if now >= end, idle.count == connections.count { break }
            guard now < end + UInt64(Limits.clientTimeoutSeconds) * 1_000_000_000 else {
                throw HTTPClient.Failure(description: "an answer did not come; look at the server's log")
            }
            _ = poll(&descriptors, nfds_t(descriptors.count), 1)
            now = clock()
            for index in descriptors.indices where descriptors[index].revents != 0 {
                let connection = connections[index]
                guard let due = connection.due, let answer = try connection.receive(expecting: requests.answerStart)
                else { continue }
                guard answer.status == 200, answer.bodyBegins else {
                    throw HTTPClient.Failure(
                        description: "the server answered \(answer.status) to a request that is right")
                }
                times.append(now - due)
                idle.append(index)
            }
        }
        return LoadResult(nanoseconds: times.sorted(), seconds: Double(max(end, now) - began) / 1e9)
    }
}
