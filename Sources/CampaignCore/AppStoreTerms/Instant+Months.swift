extension Instant {
    /// The same time of day in UTC so many calendar months later; the last day of a month that is too short.
    ///
    /// 31 January and one month is 28 February, or 29.
    public func adding(months: Int) -> Instant {
        let milliseconds = millisecondsSince1970
        let day = Int(milliseconds.quotientRoundedDown(by: Period.day))
        let timeOfDay = milliseconds - Int64(day) * Period.day
        let date = civilDate(day)
        let monthsSinceYear0 = date.year * 12 + date.month - 1 + months
        let year = Int(Int64(monthsSinceYear0).quotientRoundedDown(by: 12))
        let month = monthsSinceYear0 - year * 12 + 1
        let dayOfMonth = min(date.day, daysInMonth(month, year))
        return Instant(
            millisecondsSince1970: Int64(daysSince1970(year, month, dayOfMonth)) * Period.day + timeOfDay)
    }

    /// Whole calendar months from here to `end`: the most that may be added without passing it; 0 for an earlier end.
    public func wholeMonths(until end: Instant) -> Int {
        guard end > self else { return 0 }
        // No month is longer than 31 days, so this many months surely fit.
        let days = Int((end.millisecondsSince1970 - millisecondsSince1970) / Period.day)
        var months = max(0, days / 31)
        while adding(months: months + 1) <= end { months += 1 }
        return months
    }
}

extension Int64 {
    func quotientRoundedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
