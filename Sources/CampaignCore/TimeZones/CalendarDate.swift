/// One day of the calendar, in no zone.
public struct CalendarDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int

    /// Nil for a day that the calendar does not have, and beyond the years 1 to 9999.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...CampaignCore.daysInMonth(month, year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `2026-10-05`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    init(daysSince1970: Int) {
        (year, month, day) = civilDate(daysSince1970)
    }

    var daysSince1970: Int { CampaignCore.daysSince1970(year, month, day) }

    /// The day after.
    public var next: CalendarDate { CalendarDate(daysSince1970: daysSince1970 + 1) }

    /// The same day so many months later, or the last day of a month that is too short.
    public func adding(months: Int) -> CalendarDate {
        let count = year * 12 + month - 1 + months
        let laterYear = Int(Int64(count).quotientRoundedDown(by: 12))
        let monthOfYear = count - laterYear * 12 + 1
        let last = CampaignCore.daysInMonth(monthOfYear, laterYear)
        return CalendarDate(
            daysSince1970: CampaignCore.daysSince1970(laterYear, monthOfYear, min(day, last)))
    }

    public static func < (one: Self, other: Self) -> Bool {
        (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }

    /// `2026-10-05`
    public var description: String { String(LocalTime(self).utc.description.prefix(10)) }
}

extension LocalTime {
    /// The instant that UTC shows so.
    var utc: Instant { Instant(millisecondsSince1970: milliseconds) }
}
