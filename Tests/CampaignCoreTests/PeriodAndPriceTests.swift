import Foundation
import TestSupport
import Testing

@testable import CampaignCore

@Suite struct `Periods and prices` {
    @Test(arguments: [
        ("P3D", 3, Period.Unit.day), ("P1W", 1, .week), ("P2W", 2, .week), ("P1M", 1, .month), ("P18M", 18, .month),
        ("P1Y", 1, .year), ("P999D", 999, .day),
    ])
    func `a period is one number of one unit and prints as it was read`(text: String, value: Int, unit: Period.Unit)
        throws
    {
        let period = try #require(Period(text))
        #expect(period.value == value)
        #expect(period.unit == unit)
        #expect(period.description == text)
    }

    @Test(arguments: [
        "", "P", "PM", "P1", "1M", "P0M", "P01M", "P-1M", "P+1M", "P1.5M", "p1M", "P1m", "P1M2W", "PT1H", " P1M",
        "P1M ", "P1000D",
        "P１M", "P1M\u{301}", "P99999999999999999999D",
    ])
    func `anything else is no period`(text: String) {
        #expect(Period(text) == nil)
    }

    @Test(arguments: [
        ("9.99", 9990), ("0.5", 500), ("29", 29000), ("0", 0), ("0.00", 0), ("4.35", 4350), ("1.005", 1005),
        ("0.9900", 990),
        ("000.010", 10), ("9223372036854775.807", Int64.max),
    ])
    func `a decimal price is exact in milliunits`(text: String, expected: Int64) {
        #expect(milliunits(decimal: text) == expected)
    }

    @Test(arguments: [
        "", ".", "1.", ".5", "1.0005", "-1", "+1", "1,99", "1.2.3", "1e3", "0x1", " 1", "1 ", "١",
        "9223372036854775.808",
        "9223372036854776", "99999999999999999999",
    ])
    func `anything else is no price`(text: String) {
        #expect(milliunits(decimal: text) == nil)
    }

    @Test func `every price up to a hundred agrees with Python's decimals`() throws {
        let script =
            "from decimal import Decimal\n"
            + "for n in range(100000): print(int(Decimal('%d.%03d' % (n // 1000, n % 1000)) * 1000))"
        let expected = try run("python3", ["-c", script]).text.split(separator: "\n").map { Int64($0) }
        let ours = (0..<100_000).map { number in
            let digits = String(number % 1000)
            return milliunits(decimal: "\(number / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits)
        }
        #expect(ours.count == expected.count)
        #expect(ours == expected)
    }
}
