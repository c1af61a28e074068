import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Calendar months` {
    @Test(arguments: [
        ("2026-01-31T10:00:00Z", 1, "2026-02-28T10:00:00Z"), ("2028-01-31T10:00:00Z", 1, "2028-02-29T10:00:00Z"),
        ("2026-01-31T10:00:00.123Z", 2, "2026-03-31T10:00:00.123Z"),
        ("2026-12-31T23:59:59Z", 2, "2027-02-28T23:59:59Z"),
        ("2026-03-31T00:00:00Z", -1, "2026-02-28T00:00:00Z"), ("2026-01-15T00:00:00Z", -13, "2024-12-15T00:00:00Z"),
        ("2026-05-31T00:00:00Z", 12, "2027-05-31T00:00:00Z"), ("2024-02-29T00:00:00Z", 12, "2025-02-28T00:00:00Z"),
        ("2076-01-31T16:50:09Z", -23, "2074-02-28T16:50:09Z"), ("1970-01-01T00:00:00Z", -1, "1969-12-01T00:00:00Z"),
        ("2000-02-29T12:00:00Z", 1200, "2100-02-28T12:00:00Z"),
    ])
    func `a month later is the same day, or the last one`(from: String, months: Int, to: String) throws {
        #expect(try #require(Instant(rfc3339: from)).adding(months: months).description == to)
    }

    @Test(arguments: [
        ("2026-01-31T10:00:00Z", "2026-02-28T09:59:59.999Z", 0), ("2026-01-31T10:00:00Z", "2026-02-28T10:00:00Z", 1),
        ("2026-01-31T10:00:00Z", "2026-03-31T09:59:59Z", 1), ("2026-01-31T10:00:00Z", "2026-03-31T10:00:00Z", 2),
        ("2020-02-29T00:00:00Z", "2026-02-28T00:00:00Z", 72), ("2026-02-01T00:00:00Z", "2026-01-01T00:00:00Z", 0),
        ("2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z", 0), ("1970-01-01T00:00:00Z", "9999-12-31T00:00:00Z", 96_359),
    ])
    func `whole months are those that have passed to the millisecond`(from: String, to: String, months: Int) throws {
        #expect(
            try #require(Instant(rfc3339: from)).wholeMonths(until: #require(Instant(rfc3339: to))) == months)
    }

    @Test func `Foundation's calendar adds months to a day that every month has the same way`() throws {
        let seed = propertySeed()
        print("months: HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for _ in 0..<2000 {
            let seconds = Int64.random(in: 0...4_102_444_800, using: &generator)
            // Foundation takes 29 February for a day of 2074 when it comes from 31 January 2076; the table has such days.
            guard let day = Int("\(Instant(millisecondsSince1970: seconds * 1000))".dropFirst(8).prefix(2)), day <= 28
            else { continue }
            let months = Int.random(in: -60...240, using: &generator)
            let instant = Instant(millisecondsSince1970: seconds * 1000)
            let expected = try #require(calendar.date(byAdding: .month, value: months, to: instant.date))
            #expect(instant.adding(months: months) == Instant(expected), "seed \(seed): \(instant) and \(months)")
        }
    }
}
