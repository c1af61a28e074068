import CampaignCore
import Foundation
import TestSupport
import Testing

/// Checked against Python's `zoneinfo`, which reads the same files with code of its own.
@Suite struct `Time zones` {
    private static let names = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo",
        "Africa/Casablanca", "Pacific/Auckland", "Asia/Tehran", "America/Santiago", "Europe/Dublin", "Pacific/Apia",
        "Antarctica/Troll", "UTC", "Asia/Tokyo",
    ]

    private static func rules(_ name: String) throws -> TimeZoneRules {
        let file = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
        return try #require(TimeZoneRules(name: name, file: Array(file)))
    }

    @Test func `every offset is that of Python's zoneinfo, also long after the last change in the file`() throws {
        let given = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let seconds = (0..<400).map { _ in Int64.random(in: 0...4_000_000_000, using: &generator) }
        let program = """
            import json, sys, zoneinfo, datetime
            names, seconds = json.load(sys.stdin)
            out = []
            for name in names:
                zone = zoneinfo.ZoneInfo(name)
                out.append([int(datetime.datetime.fromtimestamp(s, zone).utcoffset().total_seconds()) for s in seconds])
            print(json.dumps(out))
            """
        let input = try JSONSerialization.data(withJSONObject: [Self.names, seconds] as [Any])
        let result = try run("python3", ["-c", program], input: input)
        let offsets = try #require(JSONSerialization.jsonObject(with: result.output) as? [[Int64]])
        for (name, expected) in zip(Self.names, offsets) {
            let rules = try Self.rules(name)
            for (second, offset) in zip(seconds, expected) {
                let found = rules.secondsFromUTC(at: Instant(millisecondsSince1970: second * 1000))
                #expect(found == offset, "\(name) at \(second)")
            }
        }
    }

    @Test func `a local time that comes twice is the first, one that never comes is the end of the gap`() throws {
        let berlin = try Self.rules("Europe/Berlin")
        let twice = try #require(Instant(rfc3339: "2026-10-25T00:30:00Z"))
        #expect(berlin.instant(of: berlin.localTime(at: twice)) == twice)
        let later = try #require(Instant(rfc3339: "2026-10-25T01:30:00Z"))
        #expect(berlin.instant(of: berlin.localTime(at: later)) == twice)
        let midnight = LocalTime(try #require(CalendarDate("2026-10-05")))
        #expect(berlin.instant(of: midnight).description == "2026-10-04T22:00:00Z")
        // Midnight of that day was skipped.
        let saoPaulo = try Self.rules("America/Sao_Paulo")
        let skipped = LocalTime(try #require(CalendarDate("2018-11-04")))
        #expect(saoPaulo.instant(of: skipped).description == "2018-11-04T03:00:00Z")
    }

    @Test(arguments: ["", "TZif", "nonsense"])
    func `what is no zone file is refused`(text: String) {
        #expect(TimeZoneRules(name: "x", file: Array(text.utf8)) == nil)
    }

    @Test func `dates are those that a calendar has`() {
        #expect(CalendarDate("2026-02-29") == nil)
        #expect(CalendarDate("2028-02-29")?.description == "2028-02-29")
        #expect(CalendarDate("2026-1-1") == nil)
        #expect(CalendarDate("2026-08-31")?.adding(months: 6).description == "2027-02-28")
        #expect(CalendarDate("2026-12-31")?.next.description == "2027-01-01")
    }
}
