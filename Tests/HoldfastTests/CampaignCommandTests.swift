import Foundation
import TestSupport
import Testing

@Suite struct CampaignCommandTests {
    @Test func `files of one folder are one set, whose names and global holdouts agree`() throws {
        let place = try CampaignFolder()
        let global = { (percent: Int) in "holdout: { percent: \(percent), salt: all, global: true }\n" }
        try place.folder.write(CampaignFolder.campaign("one", global(10)), to: "Campaigns/a.yaml")
        try place.folder.write(CampaignFolder.campaign("one", global(20)), to: "Campaigns/b.yaml")
        try place.folder.write("nonsense: [", to: "Campaigns/.hidden.yaml")
        try place.folder.write("nonsense: [", to: "Campaigns/notes.txt")
        let result = try place.check(["Campaigns"])
        #expect(result.exitCode == 2)
        #expect(
            result.text == """
                Campaigns/b.yaml:2:11: error: campaign 'one' is already at Campaigns/a.yaml:2:11; give each its own name, \
                which is never used again
                Campaigns/b.yaml:6:21: error: the global holdout 'all' has 10 percent at Campaigns/a.yaml:6:21 and 20 \
                here; write one number in both or another 'salt'

                """)
        #expect(result.errorText == "2 campaigns checked: 2 errors, 0 warnings\n")
        try place.folder.write(CampaignFolder.campaign("two", global(10)), to: "Campaigns/b.yaml")
        #expect(try place.check(["Campaigns/a.yaml", "Campaigns/b.yaml", "Campaigns"]).exitCode == 0)
    }

    @Test func `a message is looked up beside the file`() throws {
        let place = try CampaignFolder()
        let rule = "rules: { rule: a, via: retentionMessage, retentionMessage: stay }"
        try place.folder.write(
            CampaignFolder.campaign("one").replacing("rules: { rule: a, message: m }", with: rule),
            to: "Campaigns/a.yaml")
        // Without the file nothing is said of its names but that they were not looked up.
        let without = try place.check(["Campaigns/a.yaml"])
        #expect(without.exitCode == 0 && without.text == "", "\(without.text)")
        #expect(
            without.errorText == """
                no 'messages.yaml' is beside the campaigns, so names of retention messages are held against nothing
                1 campaign checked: 0 errors, 0 warnings

                """)
        try place.folder.write(
            "schema: 1\nmessages: { go: { en-US: 0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e } }\n",
            to: "Campaigns/messages.yaml")
        let empty = try place.check(["Campaigns/a.yaml"])
        #expect(
            empty.text
                == "Campaigns/a.yaml:5:60: error: 'messages.yaml' has no message 'stay'; known are 'go'\n")
        let messages = "schema: 1\nmessages: { stay: { en-US: 0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e } }\n"
        try place.folder.write(messages, to: "Campaigns/messages.yaml")
        #expect(try place.check(["Campaigns/a.yaml"]).exitCode == 0)
        // A fault in the messages is told, and proves nothing about the name.
        try place.folder.write(messages.replacing("stay", with: "go away"), to: "Campaigns/messages.yaml")
        let broken = try place.check(["Campaigns/a.yaml"])
        #expect(
            broken.exitCode == 2 && !broken.text.contains("a.yaml")
                && broken.text.contains("messages.yaml:2:13: error: "))
    }

    @Test func `without a configuration the files alone are checked, which is said once`() throws {
        let folder = try TemporaryFolder()
        let unknown = CampaignFolder.campaign("one").replacing("com.example.reader", with: "com.example.nobody")
        try folder.write(unknown, to: "one.yaml")
        try folder.write(unknown.replacing("campaign: one", with: "campaign: two"), to: "two.yaml")
        let result = try run(
            Surroundings.holdfast, ["campaign", "check", "."], environment: ["HOLDFAST_CONFIG": ""], in: folder.url)
        #expect(result.exitCode == 0 && result.text == "")
        #expect(
            result.errorText == """
                no configuration is here, so nothing is held against a catalogue; name one with '--config PATH'
                2 campaigns checked: 0 errors, 0 warnings

                """)
        let named = try run(
            Surroundings.holdfast, ["campaign", "check", ".", "--config", "absent.yaml"], in: folder.url)
        #expect(named.exitCode == 1)
    }

    @Test func `a path that is not there is a failure and an empty folder is not`() throws {
        let place = try CampaignFolder()
        let result = try place.check(["absent.yaml"])
        #expect(result.exitCode == 1)
        #expect(result.errorText == "error: there is no file or folder 'absent.yaml'; check the path\n")
        let empty = try place.check(["Campaigns"])
        #expect(empty.exitCode == 0 && empty.errorText == "0 campaigns checked: 0 errors, 0 warnings\n")
    }

    @Test func `JSON has the same findings as the lines`() throws {
        let place = CampaignFolder.fixtures.appendingPathComponent("invalid")
        let folder = try CampaignFolder()
        let text = try folder.check(["spoiled.yaml"], in: place)
        let json = try folder.check(["spoiled.yaml", "--format", "json"], in: place)
        #expect(json.exitCode == 2 && json.errorText == text.errorText)
        let answer = try object(json)
        let findings = try #require(answer["findings"] as? [[String: Any]])
        let lines = findings.map { one in
            "\(one["path"] ?? ""):\(one["line"] ?? ""):\(one["column"] ?? ""): \(one["severity"] ?? ""): \(one["message"] ?? "")\n"
        }
        #expect(lines.joined() == text.text)
        let errors = try #require(answer["errors"] as? Int)
        let warnings = try #require(answer["warnings"] as? Int)
        #expect(
            text.errorText == "1 campaign checked: \(errors) errors, \(warnings) warning\(warnings == 1 ? "" : "s")\n")
    }

    @Test func `list is in the order of asking, with a note for who ended without saying so`() throws {
        let place = try CampaignFolder()
        try place.folder.write(CampaignFolder.campaign("b", "priority: 1"), to: "Campaigns/1.yaml")
        try place.folder.write(
            CampaignFolder.campaign("c", "priority: 20\nstarts: 2026-01-01T00:00:00+01:00"), to: "Campaigns/2.yaml")
        try place.folder.write(
            CampaignFolder.campaign("a", "priority: 1\nends: 2026-06-01T00:00:00Z"), to: "Campaigns/3.yaml")
        let path = { (name: String) in place.folder.path("Campaigns/\(name).yaml") }
        let before = try place.holdfast(["campaign", "list", "--at", "2026-05-31T23:59:59Z"])
        #expect(before.exitCode == 0 && before.errorText == "")
        let rows = before.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            rows == [
                ["campaign", "app", "status", "priority", "starts", "ends", "rules", "file"],
                ["c", "com.example.reader", "active", "20", "2025-12-31T23:00:00Z", "-", "1", path("2")],
                ["a", "com.example.reader", "active", "1", "-", "2026-06-01T00:00:00Z", "1", path("3")],
                ["b", "com.example.reader", "active", "1", "-", "-", "1", path("1")],
            ])
        let after = try place.holdfast(["campaign", "list", "--format", "csv", "--at", "2026-06-01T00:00:00Z"])
        #expect(after.errorText == "campaign 'a' is active, but ended at 2026-06-01T00:00:00Z; write 'status: ended'\n")
        #expect(
            after.text.hasPrefix("campaign,app,status,priority,starts,ends,rules,file\nc,com.example.reader,active,20,")
        )
        let json = try object(place.holdfast(["campaign", "list", "--format", "json"]))
        let campaigns = try #require(json["campaigns"] as? [[String: Any]])
        #expect(campaigns.map { $0["campaign"] as? String } == ["c", "a", "b"])
        #expect(campaigns[1]["ends"] as? Int == 1_780_272_000_000)
        #expect(campaigns[1]["rules"] as? [String] == ["a"])
        try place.folder.write("schema: 3\n", to: "Campaigns/4.yaml")
        let broken = try place.holdfast(["campaign", "list"])
        #expect(broken.exitCode == 1 && broken.text == "")
        #expect(broken.errorText.hasPrefix("\(path("4")):1:9: error: 'schema' is 3, which is newer than 1"))
    }
}
