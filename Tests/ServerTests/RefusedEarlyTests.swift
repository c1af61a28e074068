import CampaignCore
import Foundation
import Storage
import TestSupport
import Testing

@testable import Server

/// Everything that is turned away without the service having seen a whole request, as metrics and the log tell it.
@Suite(.serialized) struct `What is refused before it is a whole request` {
    private static let offer = "/v1/signatures/promotional-offer"

    private func metric(_ series: String, _ server: TestServer) throws -> Double? {
        let key = try server.makeKey(.operator)
        return try curl("GET", port: server.port, path: "/metrics", key: key).text.split(separator: "\n")
            .first { $0.hasPrefix(series + " ") }
            .flatMap { Double($0.dropFirst(series.count + 1)) }
    }

    private func answers(_ route: String, _ code: String, _ server: TestServer) throws -> Double? {
        try metric("holdfast_answers_total{route=\"\(route)\",outcome=\"\(code)\"}", server)
    }

    /// The members of each line of the log with this event.
    private func lines(_ event: String, _ server: TestServer) -> [[String: Any]] {
        server.log.split(separator: "\n")
            .compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
            .filter { $0["event"] as? String == event }
    }

    @Test(arguments: [
        (["Host:"], 400, "ambiguousHeaders"), (["Content-Length: 5", "Content-Length: 5"], 400, "ambiguousHeaders"),
        (["Transfer-Encoding: gzip"], 400, "ambiguousHeaders"),
        (["Content-Length: 5", "Transfer-Encoding: chunked"], 400, "ambiguousHeaders"),
        (["Content-Length: 262145"], 413, "bodyTooLarge"),
    ])
    func `by its headers is counted and logged by route and code`(
        headers: [String], status: Int, code: String
    ) throws {
        let server = try TestServer()
        for (path, route) in [(Self.offer, "promotionalOffer"), ("/nothing", "none")] {
            let answer = try curl("POST", port: server.port, path: path, headers: headers)
            try #require(answer.status == status, "\(answer.text)")
            #expect(answer.problem == code)
            #expect(try answers(route, code, server) == 1)
        }
        let told = lines("refusedRequest", server)
        #expect(told.map { $0["route"] as? String } == ["promotionalOffer", "none"])
        #expect(told.allSatisfy { $0["code"] as? String == code && $0["requestId"] is NSNull }, "\(told)")
    }

    @Test func `by the length of what came is counted and logged, answered or not`() throws {
        let server = try TestServer()
        func send(_ bytes: Int) throws -> ChildResult {
            try run(
                "curl",
                [
                    "-s", "-X", "POST", "-o", "/dev/null", "-w", "%{http_code}", "--data-binary", "@-",
                    "-H", "Expect:", "-H", "Transfer-Encoding: chunked",
                    "http://127.0.0.1:\(server.port)\(Self.offer)",
                ], input: Data(count: bytes))
        }
        #expect(try send(300_000).text == "413")
        #expect(try answers("promotionalOffer", "bodyTooLarge", server) == 1)
        #expect(try send(32 * 1024 * 1024).text == "000")
        #expect(try metric("holdfast_connections_cut_total{reason=\"body\"}", server) == 1)
        #expect(lines("refusedRequest", server).map { $0["code"] as? String } == ["bodyTooLarge"])
        #expect(lines("cutConnection", server).map { $0["reason"] as? String } == ["body"])
    }

    @Test func `by a deadline is counted, and logged unless it was only idle`() throws {
        var deadlines = ConnectionDeadlines.standard
        deadlines.requestMilliseconds = 400
        deadlines.idleMilliseconds = 400
        let server = try TestServer(deadlines: deadlines)
        let script = """
            import socket, sys
            def cut(text):
                client = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
                client.sendall(text)
                while client.recv(4096): pass
            cut(b"")
            cut(b"POST / HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 9\\r\\n\\r\\n{")
            cut(b"GET /health/live HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
            """
        let result = try run("python3", ["-c", script, "\(server.port)"])
        try #require(result.exitCode == 0, "\(result.errorText)")
        #expect(try metric("holdfast_connections_cut_total{reason=\"request\"}", server) == 2)
        #expect(try metric("holdfast_connections_cut_total{reason=\"idle\"}", server) == 1)
        #expect(try metric("holdfast_connections_cut_total{reason=\"answer\"}", server) == 0)
        #expect(lines("cutConnection", server).map { $0["reason"] as? String } == ["request", "request"])
    }

    /// An address of this machine that is not its loopback one, whose connections are not limited.
    private static let ownAddress = try? run("hostname", ["-I"]).text.split(separator: " ").map(String.init)
        .first { $0.contains(".") }

    /// Whether a process may open as many files as clients connect below.
    private static let mayOpenEnough: Bool = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit.rlim_max > rlim_t(Limits.connectionsPerNetwork + 100)
    }()

    @Test(
        .enabled(if: ownAddress != nil, "needs an address beside 127.0.0.1"),
        .enabled(if: mayOpenEnough, "needs a hard limit of open files above that of connections"))
    func `because its network has too many connections is closed unread, counted and logged`() throws {
        let server = try TestServer(listen: "0.0.0.0:0")
        let script = """
            import resource, socket, sys, time
            resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
            clients = [socket.create_connection((sys.argv[1], int(sys.argv[2])), 20) for _ in range(int(sys.argv[3]))]
            time.sleep(1)
            closed = 0
            for client in clients:
                client.setblocking(False)
                try: closed += client.recv(1) == b""
                except ConnectionResetError: closed += 1
                except BlockingIOError: pass
            print(closed)
            """
        let address = try #require(Self.ownAddress)
        let count = "\(Limits.connectionsPerNetwork + 5)"
        let result = try run("python3", ["-c", script, address, "\(server.port)", count])
        let closed = Int(result.text.trimmingCharacters(in: .newlines)) ?? 0
        // The event loops look and enter one after the other, so each may let in one more.
        #expect((6 - Int(Limits.eventLoops)...5).contains(closed), "\(result.text)\(result.errorText)")
        #expect(try metric("holdfast_connections_refused_total", server) == Double(closed))
        #expect(lines("refusedConnection", server).count == closed)
    }

    @Test func `by a lane that is late or cannot write is counted and logged like every other`() throws {
        var deadlines = ConnectionDeadlines.standard
        deadlines.laneMilliseconds = 300
        let server = try TestServer(deadlines: deadlines)
        let key = try server.makeKey(.client)
        let holder = try Connection(server.database, mode: .readWrite)
        try holder.begin()
        let script = """
            import http.client, sys, threading, time
            def ask(path):
                connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
                connection.request("GET", path)
                print(connection.getresponse().status, flush=True)
            first = threading.Thread(target=ask, args=("/health/ready",))
            first.start()
            time.sleep(0.2)
            ask("/health/ready")
            first.join()
            """
        let result = try run("python3", ["-c", script, "\(server.port)"])
        #expect(result.text == "503\n503\n", "\(result.text)\(result.errorText)")
        try holder.rollback()
        #expect(try server.offer(key: key).status == 200)
        try FileManager.default.moveItem(atPath: server.database, toPath: server.folder.path("moved"))
        let unavailable = try curl("GET", port: server.port, path: "/health/ready")
        try FileManager.default.moveItem(atPath: server.folder.path("moved"), toPath: server.database)
        #expect(unavailable.status == 503 && unavailable.problem == "storageUnavailable", "\(unavailable.text)")
        #expect(try answers("ready", "busy", server) == 2)
        #expect(try answers("ready", "storageUnavailable", server) == 1)
        let told = lines("refusedRequest", server)
        #expect(told.map { $0["code"] as? String } == ["busy", "busy", "storageUnavailable"])
        #expect(told.allSatisfy { $0["level"] as? String == "error" })
    }

    @Test func `in a flood writes a bounded number of lines, then how many more there were, and is counted in full`()
        throws
    {
        let server = try TestServer()
        func ask(_ count: Int, _ path: String) throws {
            let result = try run(
                "curl",
                [
                    "-s", "-o", "/dev/null", "-w", "%{http_code}\n",
                    "http://127.0.0.1:\(server.port)\(path)?[1-\(count)]",
                ])
            try #require(result.text.split(separator: "\n").count == count)
        }
        try ask(60, "/metrics")
        try ask(30, "/nothing")
        func told(_ code: String) -> Int {
            lines("refusedRequest", server).count { $0["code"] as? String == code }
        }
        #expect(told("keyMissing") == Limits.logBurst && told("notFound") == Limits.logBurst)
        #expect(try answers("metrics", "keyMissing", server) == 60)
        #expect(try answers("none", "notFound", server) == 30)
        #expect(lines("notLogged", server).isEmpty)

        server.clock.advance(milliseconds: Limits.logLeftOutMilliseconds)
        for _ in 0..<3000 where lines("notLogged", server).count < 2 { Thread.sleep(forTimeInterval: 0.02) }
        let more = lines("notLogged", server)
        let expected = ["keyMissing": 60 - Limits.logBurst, "notFound": 30 - Limits.logBurst]
        #expect(
            Dictionary(uniqueKeysWithValues: more.map { ($0["code"] as? String ?? "", $0["count"] as? Int ?? 0) })
                == expected)
        #expect(more.allSatisfy { $0["like"] as? String == "refusedRequest" && $0["level"] as? String == "warning" })
        #expect(more.first?["detail"] as? String == "40 more like this were not logged")

        // Ten seconds later ten more are written; the end of the server tells of the rest.
        try ask(15, "/metrics")
        #expect(told("keyMissing") == Limits.logBurst + 10)
        server.stop()
        #expect(lines("notLogged", server).map { $0["count"] as? Int } == [40, 10, 5])
        #expect(server.log.split(separator: "\n").count == 2 * Limits.logBurst + 10 + 3)
    }

    @Test func `is told of again after the clock was set back`() {
        let pace = LogPace()
        let kind = LogPace.Kind(level: .warning, event: "refusedRequest", code: "notFound")
        let late = TestServer.start.adding(milliseconds: 86_400_000)
        #expect((0..<100).count { _ in pace.allows(kind, now: late) } == Limits.logBurst)
        #expect(pace.takeLeftOut(now: late, isLast: false).isEmpty)
        #expect(pace.takeLeftOut(now: TestServer.start, isLast: false).map(\.count) == [100 - Limits.logBurst])
        let soon = TestServer.start.adding(milliseconds: Int64(Limits.logBurst) * Limits.logMilliseconds)
        #expect(!pace.allows(kind, now: TestServer.start) && pace.allows(kind, now: soon))
    }
}
