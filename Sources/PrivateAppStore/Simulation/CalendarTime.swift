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

    private func adding(months: Int) -> Instant {
        let dayNumber = Int(millisecondsSince1970.flooredQuotient(by: Self.day))
        let date = CivilDate(daysSince1970: dayNumber)
        let month = date.year * 12 + date.month - 1 + months
        let target = CivilDate(year: Int(Int64(month).flooredQuotient(by: 12)), month: month % 12 + 1, day: date.day)
        return adding(days: target.daysSince1970 - dayNumber)
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

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self + 1) / divisor - 1
    }
}

/// A day of the Gregorian calendar after 1970.
private struct CivilDate {
    let year: Int
    let month: Int
    let day: Int

    /// A day that the month does not have becomes its last one.
    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        self.day = min(day, lengths[month - 1])
    }

    // Years are counted from March, so that the leap day is the last of its year; 0000-03-01 is 719,468 days before
    // 1970.

    init(daysSince1970: Int) {
        let days = daysSince1970 + 719_468
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    }

    var daysSince1970: Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}
