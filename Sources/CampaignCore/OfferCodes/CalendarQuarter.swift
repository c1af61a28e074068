/// Three months of the calendar, by which Apple limits how many offer codes an app may make.
///
/// Apple does not say which quarters it counts, nor in which zone; both are configuration.
public struct CalendarQuarter: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let year: Int
    /// 1 to 4.
    public let number: Int

    /// The quarter that an instant lies in, by the calendar of a zone.
    public init(at instant: Instant, in zone: TimeZoneRules) {
        let date = zone.localTime(at: instant).date
        year = date.year
        number = (date.month - 1) / 3 + 1
    }

    private init(year: Int, number: Int) {
        self.year = year
        self.number = number
    }

    public var next: CalendarQuarter {
        number == 4 ? CalendarQuarter(year: year + 1, number: 1) : CalendarQuarter(year: year, number: number + 1)
    }

    /// The first instant of it, when the quota before it resets.
    public func begins(in zone: TimeZoneRules) -> Instant {
        let days = daysSince1970(year, (number - 1) * 3 + 1, 1)
        return zone.instant(of: LocalTime(milliseconds: Int64(days) * Period.day))
    }

    /// The first instant after it.
    public func ends(in zone: TimeZoneRules) -> Instant { next.begins(in: zone) }

    public static func < (one: Self, other: Self) -> Bool { (one.year, one.number) < (other.year, other.number) }

    /// `2026-Q4`
    public var description: String { "\(year)-Q\(number)" }
}
