import Foundation
import TestSupport
import Testing

/// `holdfast serve` on a free port in the folder of an installation, with one subscriber, until this object goes.
final class RunningService {
    let installation: Installation
    let port: String
    private let key: String
    private let process = Process()

    init(_ installation: Installation, _ options: String...) throws {
        self.installation = installation
        let text = try String(contentsOfFile: installation.folder.path("holdfast.yaml"), encoding: .utf8)
        if text.contains("listen: 127.0.0.1:8080") {
            try installation.edit("listen: 127.0.0.1:8080", "listen: 127.0.0.1:0")
        }
        key = try installation.holdfast("key", "create", "--role", "operator", "--name", UUID().uuidString).text
            .trimmingCharacters(in: .newlines)
        let row = """
            INSERT OR IGNORE INTO app (bundle_id, environment) VALUES ('com.example.reader', 'Production');
            INSERT OR IGNORE INTO subscription (app_id, original_transaction_id)
                SELECT id, '100' FROM app WHERE bundle_id = 'com.example.reader' AND environment = 'Production';
            INSERT OR IGNORE INTO transaction_fact (subscription_id, purchase_date, transaction_id, signed_date,
                content_hash, reported_status, product_id, subscription_group_identifier, type, expires_date, is_upgraded)
                SELECT id, 1790000000000, '100', 1790000000000, 0, 0, 'reader.monthly', '21400001',
                    'Auto-Renewable Subscription', 1900000000000, 0 FROM subscription WHERE original_transaction_id = '100'
            """
        let inserted = try run("sqlite3", [installation.folder.path("holdfast.sqlite"), row])
        try #require(inserted.exitCode == 0, "\(inserted.errorText)")
        let output = try installation.folder.write("", to: "serve.out")
        process.executableURL = URL(fileURLWithPath: Surroundings.holdfast)
        process.arguments = ["serve"] + options
        process.currentDirectoryURL = installation.folder.url
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: installation.folder.write("", to: "serve.log"))
        try process.run()
        var printed = ""
        for _ in 0..<3000 where !printed.contains("\n") {
            Thread.sleep(forTimeInterval: 0.02)
            printed = try String(contentsOf: output, encoding: .utf8)
        }
        port = try #require(printed.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/), "it did not start").1.description
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// The log's lines so far, read by Foundation.
    var log: [[String: Any]] {
        let text = (try? String(contentsOfFile: installation.folder.path("serve.log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    func hangUp() {
        kill(process.processIdentifier, SIGHUP)
    }

    /// Sends SIGHUP and gives the lines that the log says about it.
    func reload() throws -> [[String: Any]] {
        let before = log.count
        hangUp()
        for _ in 0..<3000 {
            let new = log.dropFirst(before)
            if new.contains(where: { ["reloaded", "reloadRefused"].contains($0["event"] as? String) }) {
                return Array(new)
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw ServiceSilent()
    }

    struct ServiceSilent: Error {}

    /// Asks for an offer with curl and gives the answer's JSON.
    func offer(_ offerIdentifier: String = "save50") throws -> [String: Any] {
        let body = """
            { "requestId": "\(UUID().uuidString)", "bundleId": "com.example.reader", "environment": "Production",
              "productId": "reader.monthly", "offerIdentifier": "\(offerIdentifier)", "originalTransactionId": "100" }
            """
        let result = try curl("-d", body, "http://127.0.0.1:\(port)/v1/signatures/promotional-offer")
        return try #require(
            JSONSerialization.jsonObject(with: Data(result.utf8)) as? [String: Any], "\(result)")
    }

    /// The value of a metric's line.
    func metric(_ series: String) throws -> Double? {
        let text = try curl("http://127.0.0.1:\(port)/metrics")
        let line = text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Double($0.dropFirst(series.count + 1)) }
    }

    /// The JSON that a path answers.
    func get(_ path: String) throws -> [String: Any] {
        let text = try curl("http://127.0.0.1:\(port)\(path)")
        return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    /// The text that a path answers to a body.
    func post(_ path: String, _ body: String) throws -> String {
        try curl("-d", body, "http://127.0.0.1:\(port)\(path)")
    }

    /// Ends it as a power cut would.
    func killHard() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func curl(_ arguments: String...) throws -> String {
        let result = try run("curl", ["-sS", "--max-time", "20", "-H", "Authorization: Bearer \(key)"] + arguments)
        try #require(result.exitCode == 0, "\(result.errorText)")
        return result.text
    }
}
