import Foundation
import TestSupport
import Testing

@Suite struct SimulateCommandTests {
    @Test func `a simulated year verifies once its root is trusted, and the truth names every subscriber`() throws {
        let installation = try Installation()
        let result = try installation.holdfast(
            "simulate", "--subscribers", "12", "--seed", "7", "--from", "2026-01-01T00:00:00Z", "--output",
            "year.jsonl", "--truth", "truth.csv")
        try #require(result.exitCode == 0, "\(result.errorText)")
        #expect(result.text == "")
        #expect(result.errorText.contains("rootCertificates: [app-store/root.pem]"))
        #expect(result.errorText.contains("12  SUBSCRIBED/INITIAL_BUY\n"))
        #expect(result.errorText.contains("from 2026-01-01T00:00:00Z to 2027-01-01T00:00:00Z\n"))

        let lines = try text("year.jsonl", installation).split(separator: "\n")
        let payloads = try lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
            #expect(object?.count == 1)
            return try #require(object?["signedPayload"])
        }
        let dates = try payloads.compactMap { try payload($0)["signedDate"] as? Int }
        #expect(dates.count == payloads.count)
        #expect(dates.count >= 12 && dates == dates.sorted())
        try installation.folder.write(payloads[0], to: "first.jws")
        let verified = try installation.holdfast("verify", "--jws", "first.jws", "--root", "app-store/root.pem")
        #expect(verified.exitCode == 0, "\(verified.errorText)")

        let rows = try text("truth.csv", installation).split(separator: "\n")
        #expect(rows.first == "originalTransactionId,status,autoRenewStatus,productId,expiresDate")
        #expect(rows.count == 13)
        let named = Set(try payloads.compactMap { try transaction($0)?["originalTransactionId"] as? String })
        #expect(Set(rows.dropFirst().map { String($0.prefix { $0 != "," }) }) == named)
        let states: Set<String> = ["active", "expired", "billingRetry", "billingGracePeriod", "revoked"]
        #expect(rows.dropFirst().allSatisfy { states.contains(String($0.split(separator: ",")[1])) })
    }

    @Test func `the same seed writes the same payloads, in any order of arrival`() throws {
        let installation = try Installation()
        func uuids(_ more: String...) throws -> [String] {
            let line = ["simulate", "--subscribers", "9", "--from", "2026-01-01T00:00:00Z", "--days", "90"] + more
            let result = try run(
                Surroundings.holdfast, line, environment: ["HOLDFAST_CONFIG": ""], in: installation.folder.url)
            try #require(result.exitCode == 0, "\(result.errorText)")
            return try result.text.split(separator: "\n").map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
                let notification = try payload(try #require(object?["signedPayload"]))
                return try #require(notification["notificationUUID"] as? String)
            }
        }
        let plain = try uuids()
        #expect(try uuids() == plain)
        #expect(try uuids("--delays", "--reorder").sorted() == plain.sorted())
        let twice = try uuids("--repeats", "100")
        #expect(twice.sorted() == (plain + plain).sorted())
        #expect(Set(try uuids("--seed", "2")).isDisjoint(with: plain))
        // Signatures differ each time, but what is delivered twice was signed once.
        let lines = try installation.holdfast(
            "simulate", "--subscribers", "9", "--from", "2026-01-01T00:00:00Z", "--days", "90", "--repeats", "100"
        ).text.split(separator: "\n")
        #expect(lines.count == twice.count && Set(lines).count == plain.count)
    }

    @Test func `notifications are posted to a server on this machine, and its refusals are told`() throws {
        let installation = try Installation()
        let service = try PostTaker(in: installation.folder)
        defer { service.stop() }
        func simulate(_ path: String) throws -> ChildResult {
            try installation.holdfast(
                "simulate", "--subscribers", "5", "--days", "60", "--post", "http://127.0.0.1:\(service.port)\(path)")
        }
        let taken = try simulate("")
        #expect(taken.exitCode == 0, "\(taken.errorText)")
        #expect(taken.text == "" && taken.errorText.contains("the server answered 200 to "))
        let count = try #require(taken.errorText.split(separator: "\n").first { $0.contains(" notifications of 5") })
        let received = try text("received", installation).split(separator: "\n")
        #expect(received.count == Int(count.prefix { $0 != " " }))
        #expect(received.allSatisfy { $0 == "/v1/app-store/notifications signedPayload" })
        let refused = try simulate("/elsewhere")
        #expect(refused.exitCode == 2)
        #expect(refused.errorText.contains("the server answered 404 to "))
    }

    @Test(arguments: [
        (["--post", "https://example.com"], 64, "'https://example.com' is no server on this machine"),
        (["--environment", "Sandbox", "--output", "there"], 2, "'there' exists already"),
        (["--truth", "there"], 2, "'there' exists already"),
    ])
    func `what cannot be done is refused`(line: [String], exitCode: Int32, message: String) throws {
        let installation = try Installation()
        try installation.folder.write("", to: "there")
        let result = try run(
            Surroundings.holdfast, ["simulate", "--subscribers", "1"] + line, environment: ["HOLDFAST_CONFIG": ""],
            in: installation.folder.url)
        #expect(result.exitCode == exitCode)
        #expect(result.errorText.contains(message), "\(result.errorText)")
    }

    private func text(_ file: String, _ installation: Installation) throws -> String {
        try String(contentsOfFile: installation.folder.path(file), encoding: .utf8)
    }

    private func payload(_ jws: String) throws -> [String: Any] {
        let part = String(jws.split(separator: ".")[1])
        let base64 = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let data = try #require(Data(base64Encoded: base64 + String(repeating: "=", count: (4 - part.count % 4) % 4)))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private func transaction(_ jws: String) throws -> [String: Any]? {
        let data = try payload(jws)["data"] as? [String: Any]
        return try (data?["signedTransactionInfo"] as? String).map(payload)
    }
}

/// A server of Python's that takes notifications and writes down their path and keys.
private final class PostTaker {
    let port: Int
    private let process = Process()

    init(in folder: TemporaryFolder) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script, folder.path("received")]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var digits = Data()
        while digits.last != UInt8(ascii: "\n") {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { break }
            digits += piece
        }
        port = try #require(Int(String(decoding: digits.dropLast(), as: UTF8.self)))
    }

    func stop() {
        // It may have been started with the usual signals blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static let script = """
        import json, sys
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        from threading import Lock
        lock, received = Lock(), open(sys.argv[1], "a")
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                known = self.path == "/v1/app-store/notifications"
                if known:
                    with lock:
                        received.write(self.path + " " + ",".join(body) + "\\n")
                        received.flush()
                self.send_response(200 if known else 404)
                self.send_header("Content-Length", "0")
                self.end_headers()
            def log_message(self, *args):
                pass
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """
}
