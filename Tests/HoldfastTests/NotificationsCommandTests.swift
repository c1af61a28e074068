import Foundation
import TestSupport
import Testing

@Suite struct NotificationsCommandTests {
    @Test func `a year is imported once, whatever files it is in, and again changes nothing`() throws {
        let year = try SimulatedYear()
        let first = try year.imports("year.jsonl")
        #expect(first["read"] == year.lines.count && first["duplicate"] == 0 && first["refused"] == 0)
        #expect(try year.sql("SELECT count(*) FROM signed_payload") == "\(year.lines.count)")
        let subscriptions = try year.sql("SELECT * FROM subscription")

        let again = try year.imports("year.jsonl")
        #expect(again["duplicate"] == year.lines.count && again["read"] == year.lines.count)
        let text = try year.installation.holdfast("notifications", "import", "year.jsonl")
        #expect(text.exitCode == 0)
        #expect(text.text.hasPrefix("\(year.lines.count) notifications read\n  \(year.lines.count)  duplicate"))
        #expect(try year.sql("SELECT * FROM subscription") == subscriptions)
    }

    @Test func `an import that was cut short goes on where it was`() throws {
        let year = try SimulatedYear()
        let half = year.lines.count / 2
        try year.installation.folder.write(year.lines[..<half].joined(separator: "\n"), to: "half.jsonl")
        _ = try year.imports("half.jsonl")
        let whole = try year.imports("year.jsonl")
        #expect(whole["duplicate"] == half)
        #expect(try year.sql("SELECT count(*) FROM signed_payload") == "\(year.lines.count)")
    }

    @Test func `lines, a bare JWS, an indented object and a page of Apple's history are all read, in a folder too`()
        throws
    {
        let year = try SimulatedYear(subscribers: 3)
        try #require(year.lines.count >= 6)
        let folder = year.installation.folder
        let jws = try year.lines.map { line in
            try #require((JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])?["signedPayload"])
        }
        try FileManager.default.createDirectory(
            atPath: folder.path("all/deep"), withIntermediateDirectories: true)
        func pretty(_ value: Any) throws -> String {
            String(
                decoding: try JSONSerialization.data(withJSONObject: value, options: [.prettyPrinted]), as: UTF8.self)
        }
        try folder.write("\n\(year.lines[0])\r\n\n", to: "all/lines.jsonl")
        try folder.write(jws[1], to: "all/bare.jws")
        try folder.write(try pretty(["signedPayload": jws[2], "other": 1] as [String: Any]), to: "all/deep/one.json")
        let history: [String: Any] = [
            "notificationHistory": [["signedPayload": jws[3], "sendAttempts": []], ["signedPayload": jws[4]]],
            "hasMore": false, "paginationToken": "x",
        ]
        try folder.write(try pretty(history), to: "all/deep/page.json")
        try folder.write("not this one", to: "all/.hidden")
        let counts = try year.imports("all")
        #expect(counts["read"] == 5 && counts["refused"] == 0, "\(counts)")
        let piped = try run(
            Surroundings.holdfast, ["notifications", "import", "-", "--format", "json"],
            input: Data(jws[5].utf8), environment: ["HOLDFAST_CONFIG": ""], in: year.installation.folder.url)
        #expect(try object(piped)["read"] as? Int == 1)
    }

    @Test func `what does not verify is told by its line, left out, and the exit code is 2`() throws {
        let year = try SimulatedYear(subscribers: 2)
        var spoiled = year.lines[1]
        let place = try #require(spoiled.lastIndex(of: "."))
        spoiled.replaceSubrange(place...spoiled.index(place, offsetBy: 4), with: ".AAAA")
        let file = [year.lines[0], spoiled, "nothing", "{\"a\": 1}", year.lines[2]].joined(separator: "\n")
        try year.installation.folder.write(file, to: "mixed.jsonl")
        try year.installation.folder.write("{\n  \"signedPayload\": \n", to: "broken.json")
        let result = try year.installation.holdfast("notifications", "import", "mixed.jsonl", "broken.json")
        #expect(result.exitCode == 2)
        for place in ["mixed.jsonl:2: ", "mixed.jsonl:3: ", "mixed.jsonl:4: ", "broken.json: "] {
            #expect(result.errorText.contains("error: \(place)"), "\(result.errorText)")
        }
        #expect(result.errorText.split(separator: "\n").count == 4, "\(result.errorText)")
        #expect(result.text.contains("6 notifications read\n"), "\(result.text)")
        #expect(try year.sql("SELECT count(*) FROM signed_payload") == "2")
        #expect(try year.installation.holdfast("notifications", "import", "absent.jsonl").exitCode == 1)
        #expect(try year.installation.holdfast("notifications", "import").exitCode == 64)
    }

    @Test func `a replay finds what the tables say, and mends what was damaged`() throws {
        let year = try SimulatedYear().imported()
        let sound = try object(try year.installation.holdfast("notifications", "replay", "--format", "json"))
        #expect(sound["differences"] as? Int == 0 && sound["payloads"] as? Int == year.lines.count)
        #expect(sound["subscriptions"] as? Int == year.truth.count)

        let subscriptions = try year.sql("SELECT * FROM subscription ORDER BY id")
        let id = try #require(year.truth.keys.sorted().first)
        try year.sql("UPDATE subscription SET expires_date = 1 WHERE original_transaction_id = '\(id)'")
        let damaged = try year.installation.holdfast("notifications", "replay")
        #expect(damaged.exitCode == 0)
        #expect(damaged.text.contains("1 came out otherwise"), "\(damaged.text)")
        #expect(damaged.text.contains("  \(id)  expiresDate 1970-01-01T00:00:00.001Z -> "), "\(damaged.text)")
        #expect(try year.sql("SELECT * FROM subscription ORDER BY id") == subscriptions)
    }
}
