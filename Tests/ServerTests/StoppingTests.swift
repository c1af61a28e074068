import Foundation
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `A server that stops or loses its database` {
    @Test func `answers every request that it has accepted`() throws {
        let server = try TestServer()
        let key = try server.makeKey(.client)
        try server.subscribe("100")
        let script = """
            import http.client, json, sys, threading, uuid
            port, key, started = int(sys.argv[1]), sys.argv[2], threading.Event()
            counts, lock = {"answered": 0, "refused": 0, "lost": 0}, threading.Lock()
            def work():
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                try:
                    connection.connect()
                except OSError:
                    return
                while True:
                    body = json.dumps({"requestId": str(uuid.uuid4()), "bundleId": "com.example.tide",
                        "environment": "Production", "productId": "tide.monthly", "offerIdentifier": "save50",
                        "originalTransactionId": "100"})
                    try:
                        connection.request("POST", "/v1/signatures/promotional-offer", body,
                            {"Authorization": "Bearer " + key})
                        answer = connection.getresponse()
                        answer.read()
                    except (OSError, http.client.HTTPException):
                        with lock: counts["lost"] += 1
                        return
                    with lock: counts["answered" if answer.status == 200 else "refused"] += 1
                    if counts["answered"] == 100: print("started", flush=True)
                    if answer.will_close: return
            threads = [threading.Thread(target=work) for _ in range(24)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            print(json.dumps(counts))
            """
        let output = try server.folder.write("", to: "output")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, "\(server.port)", key]
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        func text() -> String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
        for _ in 0..<3000 where !text().hasPrefix("started") { Thread.sleep(forTimeInterval: 0.02) }
        server.stop()
        process.waitUntilExit()
        let last = try #require(text().split(separator: "\n").last)
        let counts = try #require(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Int])
        let granted = try run("sqlite3", [server.database, "SELECT count(*) FROM offer_grant"]).text
        #expect(counts["lost"] == 0 && counts["refused"] == 0, "\(counts)")
        #expect(granted == "\(counts["answered"] ?? 0)\n")
    }

    @Test func `offers nothing and is not ready once its database file is gone or another`() throws {
        let server = try TestServer()
        let key = try server.makeKey(.client)
        try server.subscribe("100")
        #expect(try server.offer(key: key).decision == "offered")
        let moved = server.database + ".moved"
        try FileManager.default.moveItem(atPath: server.database, toPath: moved)
        let answer = try server.offer(key: key)
        #expect(answer.status == 503 && answer.problem == "storageUnavailable", "\(answer.text)")
        #expect(try curl("GET", port: server.port, path: "/health/ready").status == 503)
        #expect(try curl("GET", port: server.port, path: "/health/live").status == 200)
        #expect(server.log.contains("was removed or replaced while it was open"))
        try FileManager.default.copyItem(atPath: moved, toPath: server.database)
        #expect(try server.offer(key: key).status == 503)
        try FileManager.default.removeItem(atPath: server.database)
        try FileManager.default.moveItem(atPath: moved, toPath: server.database)
        #expect(try server.offer(key: key).decision == "offered")
    }

    @Test func `is not ready while another process holds the database, and by itself ready again`() throws {
        let server = try TestServer()
        let lock = Process()
        lock.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        lock.arguments = ["sqlite3", server.database]
        let input = Pipe()
        lock.standardInput = input
        lock.standardOutput = FileHandle.nullDevice
        try lock.run()
        try input.fileHandleForWriting.write(contentsOf: Data("BEGIN IMMEDIATE;\n".utf8))
        Thread.sleep(forTimeInterval: 0.3)
        #expect(try curl("GET", port: server.port, path: "/health/ready").status == 503)
        try input.fileHandleForWriting.write(contentsOf: Data("ROLLBACK;\n.quit\n".utf8))
        lock.waitUntilExit()
        #expect(try curl("GET", port: server.port, path: "/health/ready").status == 200)
    }
}
