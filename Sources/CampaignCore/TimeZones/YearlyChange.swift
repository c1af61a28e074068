/// The rule by which a zone goes on after the last change that its file lists, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// Source: POSIX, the `TZ` variable; of its three kinds of day the files of the system's table use `Mm.w.d` and `Jn`.
struct YearlyChange: Hashable, Sendable {
    /// Seconds east of UTC in winter.
    private let standard: Int64
    /// Seconds east of UTC in summer, with the days that it begins and ends on; nil for a zone without.
    private let summer: Summer?

    private struct Summer: Hashable {
        let offset: Int64
        let begins: Day
        let ends: Day
    }

    /// A day of each year, with a time of that day by the clock before the change.
    private struct Day: Hashable {
        enum Kind: Hashable {
            /// The `week`th `weekday` (0 is Sunday) of a month, 5 for its last one.
            case weekday(month: Int, week: Int, weekday: Int)
            /// The day of a year whose 29 February does not count, from 1.
            case julian(Int)
        }

        let kind: Kind
        let seconds: Int64
    }

    /// Nil for text that is no such rule.
    init?(_ text: String) {
        var rest = text.utf8[...]
        guard Self.skipName(&rest), let standard = Self.offset(&rest) else { return nil }
        self.standard = -standard
        guard !rest.isEmpty else {
            summer = nil
            return
        }
        guard Self.skipName(&rest) else { return nil }
        var offset = self.standard + 3600
        if let first = rest.first, first != UInt8(ascii: ",") {
            guard let given = Self.offset(&rest) else { return nil }
            offset = -given
        }
        guard let begins = Self.day(&rest), let ends = Self.day(&rest), rest.isEmpty else { return nil }
        summer = Summer(offset: offset, begins: begins, ends: ends)
    }

    /// Seconds east of UTC at an instant, given in seconds since 1970.
    func secondsFromUTC(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = civilDate(Int((seconds + standard).quotientRoundedDown(by: 86_400))).year
        let begins = Self.seconds(of: summer.begins, in: year) - standard
        let ends = Self.seconds(of: summer.ends, in: year) - summer.offset
        // In the south summer spans the turn of the year.
        let isSummer = begins < ends ? (begins..<ends).contains(seconds) : !(ends..<begins).contains(seconds)
        return isSummer ? summer.offset : standard
    }

    /// The local time of a day's change, in seconds since 1970.
    private static func seconds(of day: Day, in year: Int) -> Int64 {
        let days: Int
        switch day.kind {
        case .weekday(let month, let week, let weekday):
            let first = daysSince1970(year, month, 1)
            // 1 January 1970 was a Thursday.
            let firstWeekday = ((first + 4) % 7 + 7) % 7
            var found = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
            if found >= first + daysInMonth(month, year) { found -= 7 }
            days = found
        case .julian(let number):
            let isAfterLeapDay = number > 59 && daysInMonth(2, year) == 29
            days = daysSince1970(year, 1, 1) + number - 1 + (isAfterLeapDay ? 1 : 0)
        }
        return Int64(days) * 86_400 + day.seconds
    }

    // MARK: - Reading

    private static func skipName(_ rest: inout Substring.UTF8View) -> Bool {
        if rest.first == UInt8(ascii: "<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let letters = rest.prefix { Character(UnicodeScalar($0)).isLetter }
        rest = rest.dropFirst(letters.count)
        return letters.count >= 3
    }

    private static func number(_ rest: inout Substring.UTF8View) -> Int64? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty, digits.count <= 4 else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// `[+-]hh[:mm[:ss]]` in seconds, as it is written: west of UTC is positive.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int64? {
        var sign: Int64 = 1
        if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            sign = first == UInt8(ascii: "-") ? -1 : 1
            rest = rest.dropFirst()
        }
        guard var seconds = number(&rest).map({ $0 * 3600 }) else { return nil }
        for unit in [Int64(60), 1] where rest.first == UInt8(ascii: ":") {
            rest = rest.dropFirst()
            guard let part = number(&rest) else { return nil }
            seconds += part * unit
        }
        return sign * seconds
    }

    /// `,M3.5.0/2` or `,J60`.
    private static func day(_ rest: inout Substring.UTF8View) -> Day? {
        guard rest.popFirst() == UInt8(ascii: ",") else { return nil }
        let kind: Day.Kind
        switch rest.popFirst() {
        case UInt8(ascii: "M"):
            guard let month = number(&rest), (1...12).contains(month), rest.popFirst() == UInt8(ascii: "."),
                let week = number(&rest), (1...5).contains(week), rest.popFirst() == UInt8(ascii: "."),
                let weekday = number(&rest), (0...6).contains(weekday)
            else { return nil }
            kind = .weekday(month: Int(month), week: Int(week), weekday: Int(weekday))
        case UInt8(ascii: "J"):
            guard let number = number(&rest), (1...365).contains(number) else { return nil }
            kind = .julian(Int(number))
        default:
            return nil
        }
        guard rest.first == UInt8(ascii: "/") else { return Day(kind: kind, seconds: 7200) }
        rest = rest.dropFirst()
        return offset(&rest).map { Day(kind: kind, seconds: $0) }
    }
}
