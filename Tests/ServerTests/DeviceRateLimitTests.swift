import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

@Suite(.serialized) struct `The pace of a device key` {
    private let server: TestServer
    private let device: String

    init() throws {
        server = try TestServer(trustedProxies: [#require(AddressRange("127.0.0.0/8"))])
        device = try server.makeKey(.device)
    }

    private func body(_ jws: String, _ more: [String: Any?] = [:]) throws -> Data {
        let fields: [String: Any?] = ["originalTransactionId": nil, "signedTransactionInfo": jws]
        return try JSONSerialization.data(withJSONObject: TestServer.request(fields.merging(more) { $1 }))
    }

    private func ask(_ jws: String, key: String? = nil, from address: String = "203.0.113.1") throws -> CurlAnswer {
        try curl(
            "POST", port: server.port, path: "/v1/signatures/promotional-offer", key: key ?? device, body: body(jws),
            headers: ["X-Forwarded-For: \(address)"])
    }

    @Test func `is ten purchases of a customer at once, from whatever address, then one every six seconds`() throws {
        let jws = try server.appStore.signedTransaction(server.transaction("200"))
        for number in 1...10 {
            #expect(try ask(jws, from: "203.0.113.\(number)").decision == "offered")
        }
        let answer = try ask(jws, from: "203.0.113.99")
        #expect(answer.status == 429 && answer.problem == "tooManyRequests", "\(answer.text)")
        #expect(answer.json["requestId"] as? String != nil, "\(answer.text)")
        let other = try server.appStore.signedTransaction(server.transaction("201"))
        #expect(try ask(other).decision == "offered")
        let client = try server.makeKey(.client)
        for _ in 1...12 { #expect(try ask(jws, key: client).decision == "offered") }
        server.clock.advance(milliseconds: 5_999)
        #expect(try ask(jws).status == 429)
        server.clock.advance(milliseconds: 1)
        #expect(try ask(jws).decision == "offered")
        #expect(try ask(jws).status == 429)
        let granted = try run("sqlite3", [server.database, "SELECT count(*) FROM offer_grant"]).text
        #expect(granted == "24\n", "nothing is written for a request that came too soon")
    }

    @Test func `says when to come back`() throws {
        let jws = try server.appStore.signedTransaction(server.transaction("200"))
        for _ in 1...10 { _ = try ask(jws) }
        server.clock.advance(milliseconds: 1_500)
        let result = try run(
            "curl",
            [
                "-s", "-i", "-H", "Authorization: Bearer \(device)", "--data-binary", "@-",
                "http://127.0.0.1:\(server.port)/v1/signatures/promotional-offer",
            ], input: body(jws))
        #expect(
            result.text.hasPrefix("HTTP/1.1 429 ") && result.text.contains("\r\nRetry-After: 5\r\n"), "\(result.text)")
    }

    /// The statuses of `count` requests with one forged proof, in one curl.
    private func statuses(_ count: Int, key: String, _ forwardedFor: String?) throws -> [String: Int] {
        var arguments = [
            "-s", "-o", "/dev/null", "-w", "%{http_code}\n", "-H", "Authorization: Bearer \(key)",
            "--data-binary", "@-",
        ]
        if let forwardedFor { arguments += ["-H", "X-Forwarded-For: \(forwardedFor)"] }
        let file = try server.folder.write(String(decoding: body("a.b.c"), as: UTF8.self), to: "body")
        arguments[arguments.firstIndex(of: "@-")!] = "@\(file.path)"
        let result = try run(
            "curl", arguments + ["http://127.0.0.1:\(server.port)/v1/signatures/promotional-offer?[1-\(count)]"])
        return Dictionary(result.text.split(separator: "\n").map { (String($0), 1) }, uniquingKeysWith: +)
    }

    @Test func `is 600 requests of an address at once, whoever they are for and whatever the client forwards`() throws {
        #expect(try statuses(605, key: device, "203.0.113.7") == ["422": 600, "429": 5])
        #expect(try statuses(3, key: device, "198.51.100.1, 203.0.113.7") == ["429": 3])
        #expect(try statuses(3, key: device, "203.0.113.7, 198.51.100.1") == ["422": 3])
        #expect(try statuses(3, key: server.makeKey(.client), "203.0.113.7") == ["422": 3])
        server.clock.advance(milliseconds: 100)
        #expect(try statuses(4, key: device, "203.0.113.7") == ["422": 2, "429": 2])
        #expect(try statuses(605, key: device, nil) == ["422": 605], "a proxy that tells no address tells nobody apart")
    }
}
