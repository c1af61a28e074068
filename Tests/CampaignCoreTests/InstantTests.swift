import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Instants` {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-09-05T12:00:00Z", 1_788_609_600_000),
        ("2026-09-05T14:00:00+02:00", 1_788_609_600_000), ("2026-09-05T14:00:00.250+02:00", 1_788_609_600_250),
        ("2026-09-05T12:00:00.473Z", 1_788_609_600_473), ("1969-12-31T23:59:59.999Z", -1),
        ("2028-02-29T00:00:00Z", 1_835_395_200_000), ("2026-09-05T12:00:00.1Z", 1_788_609_600_100),
        ("2026-09-05T12:00:00.9999999999Z", 1_788_609_600_999), ("2026-09-05T01:00:00-11:00", 1_788_609_600_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
    func `RFC 3339 is read to the millisecond`(text: String, milliseconds: Int64) {
        #expect(Instant(rfc3339: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(arguments: [
        "", "now", "2026-09-05", "2026-09-05T12:00:00", "2026-09-05T12:00:00Zjunk", "2026-09-05T12:00:00Z ",
        "2026-9-5T12:00:00Z",
        "2026-13-05T12:00:00Z", "2026-02-30T12:00:00Z", "2026-09-05T25:00:00Z", "2026-09-05T12:60:00Z", "1788609600000",
        "2026-09-05T12:00:00+24:00", "2026-09-05T12:00:00+02", "2026-09-05T12:00:00+0200", "2026-09-05T12:00:00.Z",
        "2026-02-29T12:00:00Z", "2100-02-29T12:00:00Z", "2026-09-31T12:00:00Z", "2026-09-00T12:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-09-05T23:59:60Z", "2026-09-05 12:00:00Z", "+2026-09-05T12:00:00Z", "２026-09-05T12:00:00Z",
    ])
    func `anything else is no instant`(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test func `Python prints and reads the same instants`() throws {
        let seed =
            ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
        print("instants: HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let instants = (0..<20_000).map { index in
            let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &generator)
            // Every other one is a whole second, which prints without a fraction.
            let milliseconds = index % 2 == 0 ? 0 : Int64.random(in: 0..<1000, using: &generator)
            return Instant(millisecondsSince1970: seconds * 1000 + milliseconds)
        }
        let script = """
            import sys
            from datetime import datetime, timedelta
            for line in sys.stdin:
                n = int(line)
                date = datetime(1970, 1, 1) + timedelta(milliseconds=n)
                print(date.isoformat(timespec="milliseconds" if n % 1000 else "seconds") + "Z")
            """
        let input = instants.map { String($0.millisecondsSince1970) }.joined(separator: "\n")
        let python = try run("python3", ["-c", script], input: Data(input.utf8))
        let expected = python.text.split(separator: "\n").map(String.init)
        try #require(expected.count == instants.count, "\(python.errorText)")
        for (instant, text) in zip(instants, expected) {
            #expect(instant.description == text)
            #expect(Instant(rfc3339: text) == instant)
        }
    }

    @Test(arguments: [Int64.min, Int64.min + 998, Int64.max, -62_135_596_800_001, 253_402_300_800_000])
    func `an instant of any size can be printed and counted in seconds`(milliseconds: Int64) {
        let instant = Instant(millisecondsSince1970: milliseconds)
        #expect(!instant.description.isEmpty)
        #expect(instant.secondsSince1970 <= milliseconds / 1000)
        #expect(instant.secondsSince1970 >= milliseconds / 1000 - 1)
    }

    @Test(arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2)] as [(Int64, Int64)])
    func `seconds are rounded down`(milliseconds: Int64, seconds: Int64) {
        #expect(Instant(millisecondsSince1970: milliseconds).secondsSince1970 == seconds)
    }

    @Test func `a sum beyond 64 bits stops at the end`() {
        #expect(Instant(millisecondsSince1970: .max).adding(milliseconds: 1).millisecondsSince1970 == .max)
        #expect(Instant(millisecondsSince1970: .min).adding(milliseconds: -1).millisecondsSince1970 == .min)
    }
}
