import Foundation
import TestSupport
import Testing

/// Campaign files that change under a running service.
@Suite(.serialized) struct `A change of campaign files` {
    private func campaign(_ name: String, status: String = "active") -> String {
        """
        schema: 1
        campaign: \(name)
        status: \(status)
        audience: { bundleId: \(Installation.bundleId), environment: Production }
        rules: [{ rule: words, message: hello }]

        """
    }

    /// The next line of the log with one of the events.
    private func line(_ events: String..., after count: Int, of service: RunningService) throws -> [String: Any] {
        for _ in 0..<1500 {
            let found = service.log.dropFirst(count).first { events.contains($0["event"] as? String ?? "") }
            if let found { return found }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw RunningService.ServiceSilent()
    }

    private func names(_ service: RunningService) throws -> [String] {
        let answer = try service.get("/v1/campaigns")
        return (answer["campaigns"] as? [[String: Any]] ?? []).compactMap { $0["campaign"] as? String }
    }

    @Test func `takes effect as a whole set or not at all, without a signal`() throws {
        let installation = try Installation()
        let folder = installation.folder
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("Campaigns")) {
            try FileManager.default.removeItem(atPath: folder.path("Campaigns/\(name)"))
        }
        try folder.write(campaign("one"), to: "Campaigns/one.yaml")
        let service = try RunningService(installation)
        #expect(try names(service) == ["one"])
        #expect(try service.metric("holdfast_campaigns_loaded") == 1)

        var count = service.log.count
        try folder.write(campaign("two"), to: "Campaigns/two.yaml")
        #expect(try line("campaignsLoaded", "campaignsRefused", after: count, of: service)["campaigns"] as? Int == 2)
        #expect(try names(service) == ["one", "two"])

        // A fault in one file, and the sound change of another is not taken over either.
        count = service.log.count
        try folder.write(campaign("three"), to: "Campaigns/three.yaml")
        try folder.write(campaign("two", status: "actve"), to: "Campaigns/two.yaml")
        let refused = try line("campaignsLoaded", "campaignsRefused", after: count, of: service)
        #expect(refused["event"] as? String == "campaignsRefused" && refused["level"] as? String == "error")
        let faults = try #require(refused["faults"] as? [String])
        #expect(faults.count == 1 && faults[0].contains("two.yaml:3:9: error:"), "\(faults)")
        #expect(try names(service) == ["one", "two"])
        #expect(try service.metric("holdfast_campaigns_loaded") == 0)
        // By signal it is refused as well, with the rest of the configuration.
        let lines = try service.reload()
        #expect(lines.map { $0["event"] as? String } == ["configurationFault", "reloadRefused"], "\(lines)")

        count = service.log.count
        try FileManager.default.removeItem(atPath: folder.path("Campaigns/two.yaml"))
        #expect(try line("campaignsLoaded", "campaignsRefused", after: count, of: service)["campaigns"] as? Int == 2)
        #expect(try names(service) == ["one", "three"])
        #expect(try service.metric("holdfast_campaigns_loaded") == 1)
        let kept = try run(
            "sqlite3",
            [
                folder.path("holdfast.sqlite"),
                "SELECT group_concat(campaign, ' ') FROM (SELECT * FROM campaign_file ORDER BY loaded_date)",
            ])
        #expect(kept.text == "one two three\n")
    }

    @Test func `an offer that was answered is answered the same after kill -9`() throws {
        let installation = try Installation()
        let folder = installation.folder
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("Campaigns")) {
            try FileManager.default.removeItem(atPath: folder.path("Campaigns/\(name)"))
        }
        try folder.write(campaign("one"), to: "Campaigns/one.yaml")
        let requests = (0..<20).map { _ in
            """
            { "requestId": "\(UUID().uuidString)", "bundleId": "com.example.reader", "environment": "Production",
              "originalTransactionId": "100", "via": "app" }
            """
        }
        let first = try RunningService(installation)
        let answers = try requests.map { try first.post("/v1/offers", $0) }
        #expect(answers.allSatisfy { $0.contains("\"decision\":\"offered\"") }, "\(answers.first ?? "")")
        first.killHard()
        let second = try RunningService(installation)
        #expect(try requests.map { try second.post("/v1/offers", $0) } == answers)
        let counts = try run(
            "sqlite3",
            [
                folder.path("holdfast.sqlite"),
                "SELECT count(*), count(DISTINCT grant_id), (SELECT given FROM campaign_total) FROM campaign_grant",
            ])
        #expect(counts.text == "20|20|20\n")
    }
}
