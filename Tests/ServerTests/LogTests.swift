import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `The log` {
    /// Asks for everything that can be asked, and gives what must not be logged.
    private func busyRun(_ server: TestServer) throws -> (secrets: [String], customers: [String]) {
        let client = try server.makeKey(.client)
        let device = try server.makeKey(.device)
        let revoked = try server.makeKey(.client, name: "old key")
        _ = try Store(server.database, now: server.clock.now).revokeAPIKey("old key", now: server.clock.now)
        let token = UUID()
        try server.subscribe("7700000001", token: token)
        let jws = try server.appStore.signedTransaction(server.transaction("7700000002", token: token))
        let customer: [String: Any?] = ["originalTransactionId": "7700000001", "appAccountToken": token.uuidString]
        var secrets = [client, device, revoked, jws]
        let offered = try server.offer(key: client, customer)
        #expect(offered.decision == "offered")
        secrets += [offered.v1?["signature"] as? String, offered.v1?["nonce"] as? String, offered.compactJWS]
            .compactMap(\.self)
        _ = try server.offer(key: client, customer.merging(["productId": "7700000003"]) { $1 })
        _ = try server.offer(key: client, customer.merging(["7700000004": "x", "ann@example.com": 1]) { $1 })
        _ = try server.offer(key: client, customer.merging(["appAccountToken": "7700000005"]) { $1 })
        _ = try server.offer(key: client, customer.merging(["originalTransactionId": "77000 00006"]) { $1 })
        _ = try server.offer(key: client, ["signedTransactionInfo": jws, "environment": "Sandbox"])
        _ = try server.offer(key: client, ["signedTransactionInfo": jws + "x"])
        _ = try server.offer(key: device, ["originalTransactionId": nil, "signedTransactionInfo": jws])
        _ = try server.offer(key: device, customer)
        _ = try server.offer(key: revoked, customer)
        _ = try server.offer(key: "hf_client_7700000007", customer)
        _ = try curl("GET", port: server.port, path: "/v1/subscribers/7700000008?token=\(token)", key: client)
        _ = try curl(
            "POST", port: server.port, path: "/v1/signatures/promotional-offer", key: client,
            body: Data("{\"originalTransactionId\":\"7700000009\"".utf8))
        return (
            secrets + ["hf_client_7700000007"],
            ["77000", token.uuidString, token.uuidString.lowercased(), "ann@example.com"]
        )
    }

    @Test(arguments: [Log.Level.info, .warning, .error])
    func `names no secret and no customer after a busy run`(level: Log.Level) throws {
        let server = try TestServer(logLevel: level)
        let (secrets, customers) = try busyRun(server)
        let log = server.log
        #expect(log.isEmpty == (level == .error))
        for word in secrets + customers { #expect(!log.contains(word), "\(word)") }
    }

    @Test func `at the level debug has a line for each request, and still no secret`() throws {
        let server = try TestServer(logLevel: .debug)
        let secrets = try busyRun(server).secrets
        let requestId = UUID()
        _ = try server.offer(key: nil, ["requestId": requestId.uuidString])
        let log = server.log
        for word in secrets { #expect(!log.contains(word), "\(word)") }
        let lines = try log.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let requests = lines.filter { $0["event"] as? String == "request" }
        #expect(requests.count == 14)
        #expect(
            requests.map { $0["status"] as? Int } == [
                200, 422, 400, 422, 422, 422, 422, 200, 403, 401, 401, 400, 400, 401,
            ])
        #expect(requests.allSatisfy { $0["level"] as? String == "debug" && $0["durationMicroseconds"] is Int })
        #expect(requests.last?["requestId"] as? String == requestId.uuidString.lowercased())
        #expect(requests.last?["route"] as? String == "promotionalOffer")
    }

    @Test func `never waits for whoever reads it, drops what is too much, and counts it`() throws {
        let pipe = Pipe()
        let log = Log(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let now = Instant(millisecondsSince1970: 0)
        let began = Server.Environment.systemMonotonicNanoseconds()
        for number in 0..<15_000 { log.write(.info, "line", at: now, [.init("number", .integer(Int64(number)))]) }
        let microseconds = (Server.Environment.systemMonotonicNanoseconds() - began) / 15_000 / 1000
        #expect(microseconds < 500, "\(microseconds) us a line")
        // The pipe holds 64 KiB and the queue its limit; nobody has read yet.
        #expect(log.droppedLines > 1000)
        var text = ""
        let kept = 15_000 - log.droppedLines
        while text.count(where: { $0 == "\n" }) < kept {
            text += String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        }
        let numbers = text.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["number"] as? Int
        }
        // Whole lines in their order, the first ones.
        #expect(numbers.count == kept && numbers == numbers.sorted() && numbers.first == 0)
    }

    @Test func `writes its own level and what matters more`() throws {
        let folder = try TemporaryFolder()
        for level in Log.Level.allCases {
            let file = try folder.write("", to: level.rawValue)
            let log = Log(descriptor: open(file.path, O_WRONLY | O_CLOEXEC), level: level)
            for each in Log.Level.allCases { log.write(each, each.rawValue, at: TestServer.start) }
            log.flush()
            let order = ["debug", "info", "warning", "error"]
            let expected = order.drop { $0 != level.rawValue }
            let events = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap {
                $0.firstMatch(of: /"event":"(\w+)"/)?.1
            }
            #expect(events.map(String.init) == Array(expected))
        }
    }
}
