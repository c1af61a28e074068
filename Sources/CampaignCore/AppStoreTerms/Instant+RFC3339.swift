// Foundation's ISO 8601 style takes 25 o'clock and 30 February, ignores what follows the zone and prints some
// milliseconds one too low, so dates are read and written here.

extension Instant: CustomStringConvertible {
    /// Reads RFC 3339 such as `2026-09-05T12:00:00Z` or `2026-09-05T14:00:00.250+02:00`; nil for anything else.
    ///
    /// Digits beyond milliseconds are dropped. A leap second is refused, because no instant of Apple's can be one.
    public init?(rfc3339 text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = number(4, from: &rest), take("-", from: &rest), let month = number(2, from: &rest),
            take("-", from: &rest), let day = number(2, from: &rest), take("T", from: &rest),
            let hour = number(2, from: &rest), take(":", from: &rest), let minute = number(2, from: &rest),
            take(":", from: &rest), let second = number(2, from: &rest), let fraction = fraction(from: &rest),
            let offsetMinutes = offsetMinutes(from: &rest), rest.isEmpty,
            year >= 1, (1...12).contains(month), (1...daysInMonth(month, year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offsetMinutes
        self.init(millisecondsSince1970: Int64((minutes * 60 + second) * 1000 + fraction))
    }

    /// RFC 3339 in UTC, with milliseconds when there are any; beyond the years 1 to 9999 the bare number.
    public var description: String {
        let seconds = secondsSince1970
        guard (-62_135_596_800...253_402_300_799).contains(seconds) else {
            return "\(millisecondsSince1970) ms since 1970"
        }
        let milliseconds = Int(millisecondsSince1970 - seconds * 1000)
        let secondOfDay = Int(((seconds % 86_400) + 86_400) % 86_400)
        let (year, month, day) = civilDate((Int(seconds) - secondOfDay) / 86_400)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { padded($0, 2) }
        let fraction = milliseconds == 0 ? "" : ".\(padded(milliseconds, 3))"
        return "\(date)T\(time.joined(separator: ":"))\(fraction)Z"
    }
}

private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

private func take(_ scalar: Unicode.Scalar, from rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: scalar) else { return false }
    rest.removeFirst()
    return true
}

private func digit(from rest: inout ArraySlice<UInt8>) -> Int? {
    guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    rest.removeFirst()
    return Int(byte - UInt8(ascii: "0"))
}

/// The number that exactly `width` digits spell.
private func number(_ width: Int, from rest: inout ArraySlice<UInt8>) -> Int? {
    var number = 0
    for _ in 0..<width {
        guard let digit = digit(from: &rest) else { return nil }
        number = number * 10 + digit
    }
    return number
}

/// Milliseconds after the full second; 0 without a fraction, nil for a point without digits.
private func fraction(from rest: inout ArraySlice<UInt8>) -> Int? {
    guard take(".", from: &rest) else { return 0 }
    guard let first = digit(from: &rest) else { return nil }
    let second = digit(from: &rest) ?? 0
    let third = digit(from: &rest) ?? 0
    while digit(from: &rest) != nil {}
    return first * 100 + second * 10 + third
}

/// Minutes east of UTC.
private func offsetMinutes(from rest: inout ArraySlice<UInt8>) -> Int? {
    if take("Z", from: &rest) { return 0 }
    let isEast = take("+", from: &rest)
    guard isEast || take("-", from: &rest), let hours = number(2, from: &rest), take(":", from: &rest),
        let minutes = number(2, from: &rest), hours < 24, minutes < 60
    else { return nil }
    return (isEast ? 1 : -1) * (hours * 60 + minutes)
}

func daysInMonth(_ month: Int, _ year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return switch month {
    case 2: isLeap ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}

// Both count years from March, so that the leap day is the last of its year, and days from 0000-03-01,
// which lies 719,468 days before 1970.

func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
}

func civilDate(_ daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    let days = daysSince1970 + 719_468
    let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
}
