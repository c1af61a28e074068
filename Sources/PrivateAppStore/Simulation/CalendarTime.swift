import CampaignCore

extension Instant {
    static let second: Int64 = 1000
    static let minute: Int64 = 60 * second
    static let hour: Int64 = 60 * minute
    static let day: Int64 = 24 * hour

    /// Apple's dates of purchases and refunds have no milliseconds.
    var wholeSecond: Instant { Instant(millisecondsSince1970: secondsSince1970 * Self.second) }

    func adding(days: Int) -> Instant { adding(milliseconds: Int64(days) * Self.day) }
    func adding(seconds: Int) -> Instant { adding(milliseconds: Int64(seconds) * Self.second) }

    func milliseconds(until later: Instant) -> Int64 { later.millisecondsSince1970 - millisecondsSince1970 }

    /// `count` periods after this instant on the calendar in UTC.
    ///
    /// A month that lacks the day of this instant ends on its last one, so counting from the first day of the
    /// subscription comes back to it, as the App Store does.
    func adding(_ period: Period, times count: Int) -> Instant {
        let number = period.value * count
        switch period.unit {
        case .day: return adding(days: number)
        case .week: return adding(days: 7 * number)
        case .month: return adding(months: number)
        case .year: return adding(months: 12 * number)
        }
    }
}

extension Period {
    /// For rates: a year has twelve, and a month has 30 days.
    var months: Double {
        switch unit {
        case .day: Double(value) / 30
        case .week: Double(value) * 7 / 30
        case .month: Double(value)
        case .year: Double(value) * 12
        }
    }
}
