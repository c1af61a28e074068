import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `A server with slow clients` {
    @Test func `cuts every client that drips, and answers the others meanwhile`() throws {
        var deadlines = ConnectionDeadlines.standard
        deadlines.requestMilliseconds = 2_000
        deadlines.idleMilliseconds = 3_000
        let server = try TestServer(deadlines: deadlines)
        let script = Surroundings.project.appendingPathComponent("Fixtures/Load/slow_clients.py").path
        let result = try run(
            "python3",
            [
                script, "--port", "\(server.port)", "--pid", "\(ProcessInfo.processInfo.processIdentifier)",
                "--connections", "400", "--calm", "0.5", "--seconds", "20",
            ])
        let report = try #require(
            try JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result.errorText)")
        #expect(result.exitCode == 0 && report["cut"] as? Int == 400, "\(result.text)")
        #expect(report["failures"] as? Int == 0, "\(result.text)")
        let cut = try #require(report["cut_after_seconds"] as? [String: Double])
        let (first, last) = (try #require(cut["first"]), try #require(cut["last"]))
        #expect((1.7...8).contains(first) && (2.7...12).contains(last), "\(result.text)")
        let answered = try #require((report["latency"] as? [String: [String: Any]])?["dripping"]?["requests"] as? Int)
        #expect(answered > 20, "\(result.text)")
    }

    @Test func `reads a bounded part of a body that is too large, and ends what goes on`() throws {
        let server = try TestServer()
        func send(_ bytes: Int, _ headers: [String]) throws -> ChildResult {
            try run(
                "curl",
                [
                    "-s", "-X", "POST", "-w", "%{http_code} %{size_upload}", "-o", "/dev/null", "--data-binary", "@-",
                    "-H", "Expect:", "http://127.0.0.1:\(server.port)/v1/signatures/promotional-offer",
                ] + headers.flatMap { ["-H", $0] }, input: Data(count: bytes))
        }
        let drained = try send(3 * 1024 * 1024, ["Transfer-Encoding: chunked"])
        #expect(drained.text.hasPrefix("413 "), "\(drained.text)")
        let endless = try send(64 * 1024 * 1024, ["Transfer-Encoding: chunked"])
        let sent = try #require(Int(endless.text.split(separator: " ")[1]))
        #expect(endless.text.hasPrefix("000 ") && sent < 32 * 1024 * 1024, "\(endless.text)")
    }

    @Test(arguments: ["xchunked", "gzip, chunked", "identity"])
    func `refuses an encoding that it would read to the end of time`(encoding: String) throws {
        let server = try TestServer()
        let answer = try curl(
            "POST", port: server.port, path: "/v1/signatures/promotional-offer",
            headers: ["Transfer-Encoding: \(encoding)"])
        #expect(answer.status == 400 && answer.problem == "ambiguousHeaders", "\(answer.text)")
    }

    @Test func `bounds the memory of all bodies together`() {
        let memory = BodyMemory(limit: 1_000)
        func exchange() -> Exchange {
            Exchange(method: "POST", path: "/", query: [], authorization: nil, clientAddress: nil, bodyMemory: memory)
        }
        func receive(_ count: Int, _ exchange: Exchange) -> String {
            let goesOn = [UInt8](repeating: 0, count: count).withUnsafeBytes { exchange.receive($0) }
            if case .overflowing(let problem) = exchange.stage { return "\(goesOn) \(problem.code)" }
            return "\(goesOn) \(exchange.body.count)"
        }
        do {
            let (first, second) = (exchange(), exchange())
            #expect(receive(700, first) == "true 700")
            #expect(receive(300, second) == "true 300")
            #expect(receive(1, second) == "true busy")
            #expect(receive(300, first) == "true 1000")
            #expect(receive(Limits.drainedBodyBytes, second) == "false busy")
        }
        #expect(memory.reserve(1_000), "an ended exchange gives back what it took")
    }
}

@Suite(.serialized) struct `A database lane that is late` {
    /// A server whose lane can be held up: `/hold` keeps it for two seconds, `/count` counts what the lane has done.
    private final class HeldServer: @unchecked Sendable {
        let http: HTTPServer
        let done: Counted
        private let folder: TemporaryFolder

        final class Counted: Sendable {
            let count = Atomic<Int>(0)
        }

        init() throws {
            let folder = try TemporaryFolder()
            self.folder = folder
            let done = Counted()
            self.done = done
            var deadlines = ConnectionDeadlines.standard
            deadlines.laneMilliseconds = 400
            let path = folder.path("lane.sqlite")
            let lane = try DatabaseLane { () throws(StorageError) in
                LaneContext(
                    store: try Store(path, now: TestServer.start),
                    environment: Server.Environment(now: { TestServer.start }, makeUUID: { UUID() }), log: Log())
            }
            http = try HTTPServer(
                socket: ListeningSocket(#require(ListenAddress("127.0.0.1:0"))), lane: lane, deadlines: deadlines
            ) { request in
                .onLane { _ throws(StorageError) in
                    if request.path == "/hold" { Thread.sleep(forTimeInterval: 2) }
                    if request.path == "/count" { done.count.add(1, ordering: .sequentiallyConsistent) }
                    return .text("done")
                }
            }
        }
    }

    @Test func `is told to the client once, and never does the work afterwards`() throws {
        let server = try HeldServer()
        defer { server.http.stop() }
        let script = """
            import http.client, sys, threading, time
            port, began = int(sys.argv[1]), time.monotonic()
            def ask(connection, path):
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                print(path, answer.status, answer.getheader("Retry-After"), round(time.monotonic() - began), flush=True)
            def connect(): return http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            holder = threading.Thread(target=ask, args=(connect(), "/hold"))
            holder.start()
            time.sleep(0.2)
            late = connect()
            ask(late, "/count")
            ask(late, "/count")
            holder.join()
            ask(late, "/count")
            """
        let result = try run("python3", ["-c", script, "\(server.http.port)"])
        #expect(
            result.text == "/count 503 1 1\n/count 503 1 1\n/hold 200 None 2\n/count 200 None 2\n",
            "\(result.text)\(result.errorText)")
        #expect(server.done.count.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test func `harms nobody when its client has gone before the answer`() throws {
        let server = try HeldServer()
        let script = """
            import http.client, socket, struct, sys, time
            port = int(sys.argv[1])
            def request(path): return ("GET %s HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n" % path).encode()
            leaving = [socket.create_connection(("127.0.0.1", port)) for _ in range(8)]
            for connection in leaving:
                connection.sendall(request("/first"))
                connection.recv(1000)
            leaving[0].sendall(request("/hold"))
            time.sleep(0.1)
            for connection in leaving[1:]: connection.sendall(request("/count"))
            time.sleep(0.1)
            for connection in leaving:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
            time.sleep(2.2)
            other = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            other.request("GET", "/other")
            print(other.getresponse().status, flush=True)
            """
        let result = try run("python3", ["-c", script, "\(server.http.port)"])
        #expect(result.text == "200\n", "\(result.text)\(result.errorText)")
        let began = ContinuousClock.now
        server.http.stop()
        // One that was still counted as in flight would hold the server for ten seconds.
        #expect(ContinuousClock.now - began < .seconds(5))
    }
}
