import CampaignCore
import Foundation
import Storage
import TestSupport
import Testing

@testable import Server

/// What operators are told of the stock: metrics and lines of the log.
@Suite(.serialized) struct `The stock of offer codes` {
    private let server: TestServer
    private let operating: String

    init() throws {
        server = try TestServer(
            catalogText: TestServer.codeCatalog(),
            offerCodes: .init(
                quarterlyLimit: 10_000, quarterTimeZone: "UTC", expiryMarginMilliseconds: 0,
                lowStock: [OfferIdentifier("THANKS"): 3]))
        operating = try server.makeKey(.operator)
    }

    private func load(_ count: Int) throws {
        let codes = (0..<count).map { "TIDE\($0)\n" }.joined()
        try #require(server.loadCodes(codes, key: operating).decision == "loaded")
    }

    private func metric(_ name: String) throws -> String? {
        let series =
            "holdfast_offer_codes_\(name){bundleId=\"com.example.tide\",environment=\"Production\",offer=\"THANKS\"} "
        return try curl("GET", port: server.port, path: "/metrics", key: operating).text.split(separator: "\n")
            .first { $0.hasPrefix(series) }.map { String($0.dropFirst(series.count)) }
    }

    /// How many lines of the log tell of `event`, once there are at least `count`, after a minute at most.
    private func lines(_ event: String, becoming count: Int) -> Int {
        func found() -> Int { server.log.split(separator: "\n").count { $0.contains("\"event\":\"\(event)\"") } }
        for _ in 0..<1200 where found() < count { Thread.sleep(forTimeInterval: 0.05) }
        return found()
    }

    private func claim(_ customers: Range<Int>) throws {
        let store = try Store(server.database, now: server.clock.now)
        // One commit, so that the watch sees all of them or none.
        try store.connection.transaction { () throws(StorageError) in
            for number in customers {
                _ = try store.claimCode(
                    CodeClaim(
                        bundleId: TestServer.bundleId, environment: .production, offer: OfferIdentifier("THANKS"),
                        customer: "\(number)", expiryMarginMilliseconds: 0), now: server.clock.now)
            }
        }
    }

    @Test func `is low when its codes are about to expire, so that none of them is given`() throws {
        let server = try TestServer(
            catalogText: TestServer.codeCatalog(),
            offerCodes: .init(
                quarterlyLimit: 10_000, quarterTimeZone: "UTC", expiryMarginMilliseconds: 86_400_000,
                lowStock: [OfferIdentifier("THANKS"): 3]))
        let key = try server.makeKey(.operator)
        let soon = server.clock.now.adding(milliseconds: 86_400_000)
        let codes = (0..<4).map { "TIDE\($0)\n" }.joined()
        try #require(server.loadCodes(codes, key: key, ["expires": "\(soon)"]).decision == "loaded")
        let offer = try #require(server.codeBatches(key: key).objects("offers").first)
        #expect(offer["free"] as? Int == 4 && offer["claimable"] as? Int == 0 && offer["isLow"] as? Bool == true)
        #expect(try server.claim("a", key: key).reasons == ["codePoolExhausted"])
    }

    @Test func `is a metric, and low below its threshold, which is told once`() throws {
        #expect(try metric("free") == nil)
        try load(4)
        #expect(try metric("free") == "4")
        #expect(try metric("claimed") == "0")
        #expect(try metric("low") == "0")
        #expect(try server.claim("a", key: operating).decision == "granted")
        #expect(try metric("free") == "3")
        #expect(try metric("low") == "0")
        #expect(try server.claim("b", key: operating).decision == "granted")
        #expect(try metric("free") == "2")
        #expect(try metric("claimed") == "2")
        #expect(try metric("low") == "1")
        server.clock.advance(milliseconds: 60_000)
        #expect(lines("codeStockLow", becoming: 1) == 1)
        #expect(
            server.log.contains("\"offer\":\"THANKS\",\"free\":2,\"claimable\":2,\"lowStockThreshold\":3"),
            "\(server.log)")
        server.clock.advance(milliseconds: 60_000)
        #expect(try server.claim("c", key: operating).decision == "granted")
        Thread.sleep(forTimeInterval: 0.8)
        #expect(lines("codeStockLow", becoming: 1) == 1)
        let answers = try curl("GET", port: server.port, path: "/metrics", key: operating).text
        #expect(answers.contains("holdfast_answers_total{route=\"codeClaim\",outcome=\"granted\"} 3\n"))
    }

    @Test func `raises an alarm when a pool drains far faster than the week before`() throws {
        try load(1500)
        // A week of a code each hour is no reason for one.
        for hour in 0..<160 {
            try claim(hour..<hour + 1)
            server.clock.advance(milliseconds: 3_600_000)
        }
        #expect(try metric("draining_fast") == "0")
        #expect(server.log.contains("codePoolDraining") == false)
        server.clock.advance(milliseconds: 3_600_000)
        try claim(1000..<1150)
        #expect(try metric("draining_fast") == "1")
        server.clock.advance(milliseconds: 60_000)
        #expect(lines("codePoolDraining", becoming: 1) == 1)
        #expect(server.log.contains("\"free\":1190,\"claimable\":1190,\"claimedInTwoHours\":150"), "\(server.log)")
        server.clock.advance(milliseconds: 60_000)
        Thread.sleep(forTimeInterval: 0.8)
        #expect(lines("codePoolDraining", becoming: 1) == 1)
    }
}
