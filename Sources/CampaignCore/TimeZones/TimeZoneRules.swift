/// How far one IANA time zone is from UTC at every instant, read from the bytes of its file in the system's table.
///
/// Source: RFC 8536, the TZif format. Foundation's zones come with a second library of tables, and glibc knows one zone
/// a process.
public struct TimeZoneRules: Hashable, Sendable {
    /// `Europe/Berlin` and the like.
    public let name: String
    /// Seconds since 1970 at which an offset begins, ascending.
    private let begins: [Int64]
    /// Seconds east of UTC from each of `begins` on.
    private let offsets: [Int64]
    /// Before the first of `begins`.
    private let firstOffset: Int64
    /// After the last of `begins`; nil keeps the last offset.
    private let later: YearlyChange?

    /// No offset at any time.
    public static let utc = TimeZoneRules(name: "UTC", begins: [], offsets: [], firstOffset: 0, later: nil)

    private init(name: String, begins: [Int64], offsets: [Int64], firstOffset: Int64, later: YearlyChange?) {
        self.name = name
        self.begins = begins
        self.offsets = offsets
        self.firstOffset = firstOffset
        self.later = later
    }

    /// Reads a TZif file of version 2 or later; nil for anything else.
    public init?(name: String, file bytes: [UInt8]) {
        var reader = TimeZoneFileReader(bytes)
        guard let table = reader.read() else { return nil }
        self.init(
            name: name, begins: table.begins, offsets: table.offsets, firstOffset: table.firstOffset,
            later: YearlyChange(table.footer))
    }

    /// Seconds east of UTC at an instant.
    public func secondsFromUTC(at instant: Instant) -> Int64 { secondsFromUTC(at: instant.secondsSince1970) }

    func secondsFromUTC(at seconds: Int64) -> Int64 {
        // The first entry that begins later.
        var low = 0
        var high = begins.count
        while low < high {
            let middle = (low + high) / 2
            if begins[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        if low == begins.count, let later { return later.secondsFromUTC(at: seconds) }
        return low == 0 ? firstOffset : offsets[low - 1]
    }

    /// What a calendar on the wall shows at an instant.
    public func localTime(at instant: Instant) -> LocalTime {
        let milliseconds = instant.millisecondsSince1970 + secondsFromUTC(at: instant) * 1000
        return LocalTime(milliseconds: milliseconds)
    }

    /// The instant at which the zone's clocks first show `local`; in a gap of spring, the instant that the gap ends.
    public func instant(of local: LocalTime) -> Instant {
        let wanted = local.milliseconds
        // No offset is over 26 hours, so both are on their side of any change nearby.
        let day: Int64 = 26 * 3600 * 1000
        let before = secondsFromUTC(at: Instant(millisecondsSince1970: wanted - day)) * 1000
        let after = secondsFromUTC(at: Instant(millisecondsSince1970: wanted + day)) * 1000
        let early = Instant(millisecondsSince1970: wanted - max(before, after))
        let late = Instant(millisecondsSince1970: wanted - min(before, after))
        if localTime(at: early) == local { return early }
        if localTime(at: late) == local { return late }
        return firstInstant(from: early, to: late, showing: local)
    }

    /// The first instant in a stretch that shows `local` or a later time.
    private func firstInstant(from early: Instant, to late: Instant, showing local: LocalTime) -> Instant {
        var (low, high) = (early.millisecondsSince1970, late.millisecondsSince1970)
        while low < high {
            let middle = low + (high - low) / 2
            if localTime(at: Instant(millisecondsSince1970: middle)).milliseconds < local.milliseconds {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return Instant(millisecondsSince1970: low)
    }
}

/// A date and a time of day as a wall shows them, in no zone.
public struct LocalTime: Hashable, Sendable {
    /// As if the zone were UTC.
    let milliseconds: Int64

    init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Midnight of a day that the calendar has.
    public init(_ date: CalendarDate) {
        milliseconds = Int64(date.daysSince1970) * Period.day
    }

    public var date: CalendarDate {
        CalendarDate(daysSince1970: Int(milliseconds.quotientRoundedDown(by: Period.day)))
    }

    /// Since midnight.
    public var minuteOfDay: Int {
        Int((milliseconds - Int64(date.daysSince1970) * Period.day) / 60_000)
    }
}
