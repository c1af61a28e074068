import AppStore
import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

/// `GET /metrics`, judged by a referee of the text format and by what was asked before.
@Suite(.serialized) struct `The metrics` {
    private let server: TestServer
    private let client: String
    private let operating: String

    init() throws {
        server = try TestServer()
        client = try server.makeKey(.client)
        operating = try server.makeKey(.operator)
        try server.subscribe("100")
    }

    private func metrics() throws -> String {
        try curl("GET", port: server.port, path: "/metrics", key: operating).text
    }

    private func value(_ series: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
            .flatMap { Double($0.dropFirst(series.count + 1)) }
    }

    /// What the Python referee says; its exit code is 0 when the text is sound.
    private func judged(_ text: String) throws -> ChildResult {
        let referee = Surroundings.project.appendingPathComponent("Fixtures/Oracles/prometheus_text.py").path
        return try run("python3", [referee], input: Data(text.utf8))
    }

    @Test func `are sound text whatever was asked`() throws {
        #expect(try judged(metrics()).exitCode == 0)
        _ = try server.offer(key: client)
        _ = try server.offer(key: client, ["offerIdentifier": "\"x\\\n"])
        _ = try server.offer(key: "hf_unknown")
        _ = try curl("GET", port: server.port, path: "/no\"thing")
        let text = try metrics()
        let verdict = try judged(text)
        #expect(verdict.exitCode == 0, "\(verdict.text)")
        #expect(verdict.text.hasPrefix("31 families"), "\(verdict.text)")
        // The referee can find fault.
        for spoiled in [
            text + "holdfast_answers_total 1\n", String(text.dropLast()),
            text.replacing("le=\"+Inf\"", with: "le=\"9\""),
            text.replacing("# TYPE holdfast_reload_ok gauge\n", with: ""), text.replacing("route=", with: "route:"),
        ] { #expect(try judged(spoiled).exitCode == 1) }
    }

    @Test func `count answers, refusals, durations, commits and connections`() throws {
        for _ in 0..<5 { _ = try server.offer(key: client) }
        _ = try server.offer(key: client, ["originalTransactionId": "999"])
        _ = try server.offer(key: client, ["productId": "nothing"])
        let text = try metrics()
        #expect(value("holdfast_answers_total{route=\"promotionalOffer\",outcome=\"offered\"}", in: text) == 5)
        #expect(value("holdfast_answers_total{route=\"promotionalOffer\",outcome=\"refused\"}", in: text) == 1)
        #expect(value("holdfast_answers_total{route=\"promotionalOffer\",outcome=\"unknownProduct\"}", in: text) == 1)
        #expect(value("holdfast_refusals_total{reason=\"neverSubscribed\"}", in: text) == 1)
        let duration = "holdfast_request_duration_seconds"
        #expect(value("\(duration)_count{route=\"promotionalOffer\"}", in: text) == 7)
        let seconds = try #require(value("\(duration)_sum{route=\"promotionalOffer\"}", in: text))
        #expect(seconds > 0 && seconds < 60)
        let commits = value("holdfast_lane_commit_duration_seconds_count", in: text)
        #expect(commits == value("holdfast_lane_batch_requests_count", in: text))
        #expect(value("holdfast_lane_batch_requests_sum", in: text) == 7)
        #expect(value("holdfast_lane_queue_length", in: text) == 0)
        // Each curl has a connection of its own, and the last one is still open.
        #expect(value("holdfast_connections_accepted_total", in: text) == 8)
        #expect((1...8).contains(value("holdfast_connections_open", in: text) ?? 0))
        #expect(value("holdfast_reload_ok", in: text) == 1)
        #expect(value("holdfast_log_dropped_lines_total", in: text) == 0)
        #expect(value("process_start_time_seconds", in: text) == Double(TestServer.start.secondsSince1970))
        let size = try FileManager.default.attributesOfItem(atPath: server.database + "-wal")[.size] as? Int
        #expect(value("holdfast_database_log_bytes", in: text) == size.map(Double.init))
        #expect(try #require(value("holdfast_database_file_bytes", in: text)) > 0)
    }

    @Test func `tell how often a certificate chain was known`() throws {
        let device = try server.makeKey(.device)
        for number in 0..<3 {
            let jws = try server.appStore.signedTransaction(server.transaction("\(300 + number)"))
            _ = try server.offer(key: device, ["originalTransactionId": nil, "signedTransactionInfo": jws])
        }
        let text = try metrics()
        #expect(value("holdfast_chain_cache_misses_total", in: text) == 1)
        #expect(value("holdfast_chain_cache_hits_total", in: text) == 2)
        #expect(value("holdfast_chain_cache_entries", in: text) == 1)
    }

    @Test func `have labels of our own words alone, however many different things are asked`() throws {
        _ = try server.offer(key: client)
        _ = try curl("GET", port: server.port, path: "/first")
        let before = try metrics().split(separator: "\n").map { $0.prefix { $0 != " " } }
        for number in 0..<30 {
            _ = try server.offer(key: client, ["productId": "p\(number)"])
            _ = try curl("GET", port: server.port, path: "/v\(number)")
            _ = try curl("M\(number)", port: server.port, path: "/health/live")
        }
        let new = Set(try metrics().split(separator: "\n").map { $0.prefix { $0 != " " } }).subtracting(before)
        #expect(
            new.filter { !$0.contains("route=\"metrics\"") }.map(String.init).sorted() == [
                "holdfast_answers_total{route=\"none\",outcome=\"methodNotAllowed\"}",
                "holdfast_answers_total{route=\"promotionalOffer\",outcome=\"unknownProduct\"}",
            ])
    }

    @Test func `a value falls into the first range whose end it does not pass`() {
        var histogram = Histogram(bounds: [10, 20])
        for value: UInt64 in [0, 10, 11, 20, 21, .max] { histogram.record(value) }
        #expect(histogram.counts == [2, 2, 2])
    }
}
