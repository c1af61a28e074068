import Foundation
import TestSupport
import Testing

/// Files against the diagnostics beside them, which were reviewed line by line against the format's description.
@Suite struct CampaignCheckTests {
    static let invalid = names("invalid").filter { $0 != "messages" }
    static let valid = names("valid").filter { $0 != "messages" }

    static func names(_ folder: String) -> [String] {
        let place = CampaignFolder.fixtures.appendingPathComponent(folder).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }

    @Test(arguments: invalid)
    func `a file has exactly the diagnostics beside it`(name: String) throws {
        let place = CampaignFolder.fixtures.appendingPathComponent("invalid")
        let result = try CampaignFolder().check(["\(name).yaml"], in: place)
        let expected = try String(contentsOf: place.appendingPathComponent("\(name).txt"), encoding: .utf8)
        #expect(result.text == expected)
        #expect(result.exitCode == (expected.contains(": error: ") ? 2 : 0))
    }

    @Test func `messages have exactly the diagnostics beside them`() throws {
        let place = CampaignFolder.fixtures.appendingPathComponent("messages")
        let result = try CampaignFolder().check(["messages.yaml"], in: place)
        #expect(result.exitCode == 2)
        #expect(try result.text == String(contentsOf: place.appendingPathComponent("messages.txt"), encoding: .utf8))
    }

    @Test func `there are fixtures, each with something wrong`() throws {
        #expect(Self.invalid.count >= 15 && Self.valid.count >= 3)
        for name in Self.invalid {
            let file = CampaignFolder.fixtures.appendingPathComponent("invalid/\(name).txt")
            #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("\(name).yaml:"))
        }
    }

    @Test(arguments: valid)
    func `a sound file has no diagnostic`(name: String) throws {
        let place = CampaignFolder.fixtures.appendingPathComponent("valid")
        let result = try CampaignFolder().check(["\(name).yaml"], in: place)
        #expect(result.text == "" && result.exitCode == 0)
        #expect(result.errorText == "1 campaign checked: 0 errors, 0 warnings\n")
    }

    @Test(arguments: ["keep-annual", "win-back", "price-increase", "offer-code", "retention-message"])
    func `a shipped example fits the demo's catalogue`(name: String) throws {
        let result = try CampaignFolder().check(["\(name).yaml"], in: CampaignFolder.shipped)
        #expect(result.text == "" && result.exitCode == 0)
        #expect(result.errorText == "1 campaign checked: 0 errors, 0 warnings\n")
    }

    @Test func `the shipped examples are one set`() throws {
        let result = try CampaignFolder().check([CampaignFolder.shipped.path + "/"])
        #expect(result.text == "" && result.exitCode == 0)
        #expect(result.errorText == "5 campaigns checked: 0 errors, 0 warnings\n")
    }

    @Test(.enabled(if: Surroundings.hasShared, "needs the shared folder beside the project"))
    func `the example of the format's description is read, spoiled in three places it has three diagnostics`() throws {
        let text = try String(contentsOf: Surroundings.shared.appendingPathComponent("style.md"), encoding: .utf8)
        let start = try #require(text.range(of: "```yaml\n# Keep annual readers"))
        let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
        let example = String(text[start.lowerBound..<end.lowerBound].dropFirst("```yaml\n".count))
        let messages = "schema: 1\nmessages: { stay-half-price: { en-US: 0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e } }\n"
        // Its offers are those of another catalogue, so the file alone is judged.
        let other = try TemporaryFolder()
        try other.write(example, to: "keep-annual.yaml")
        try other.write(messages, to: "messages.yaml")
        func check() throws -> ChildResult {
            try run(
                Surroundings.holdfast, ["campaign", "check", "keep-annual.yaml"], environment: ["HOLDFAST_CONFIG": ""],
                in: other.url)
        }
        let sound = try check()
        #expect(sound.text == "" && sound.exitCode == 0)
        let spoiled = example.replacing("holdout:", with: "holduot:").replacing("every: 30d", with: "every: 30 days")
            .replacing(
                "  # A ladder",
                with: "  - rule: save-late\n    when: { status: active, untilExpires: { atMost: 3d } }\n"
                    + "    message: stay\n\n  # A ladder")
        try other.write(spoiled, to: "keep-annual.yaml")
        let lines = spoiled.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func place(_ text: String, _ value: String) throws -> String {
            let line = try #require(lines.firstIndex { $0.contains(text) })
            let written = try #require(lines[line].firstRange(of: text))
            let column = try #require(lines[line][written].firstRange(of: value))
            return "\(line + 1):\(lines[line].distance(from: lines[line].startIndex, to: column.lowerBound) + 1)"
        }
        let result = try check()
        #expect(result.exitCode == 2)
        #expect(
            result.text == """
                keep-annual.yaml:\(try place("holduot", "holduot")): error: unknown key 'holduot'; did you mean 'holdout'?
                keep-annual.yaml:\(try place("every: 30 days", "30 days")): error: 'every' is '30 days'; \
                write a span such as '30d', '12h' or '45m'
                keep-annual.yaml:\(try place("rule: save-late", "save-late")): warning: rules 'save' and 'save-late' \
                can both hold; 'save' is used

                """)
    }
}
