import YAML

/// Until when the codes of a batch may be redeemed, as the one who loads them says it.
///
/// Apple's files tell a date without a zone, so a date means the end of that day in a zone that the batch names.
public struct CodeExpiry: Hashable, Sendable {
    /// The first instant at which the codes are expired.
    public let expiresDate: Instant

    /// Why an expiry is refused.
    public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        case notADate(String)
        case past(Instant)
        /// More than six months after the codes were made; `latest` is the last day that is allowed.
        case tooLate(latest: CalendarDate)

        public var description: String {
            switch self {
            case .notADate(let text):
                "\(quoted(text, limit: 32)) is no date; write one such as '2027-03-05', or an instant such as "
                    + "'2027-03-05T12:00:00Z'"
            case .past(let instant): "the codes expired at \(instant); load codes that can still be redeemed"
            case .tooLate(let latest):
                "that is more than six months after the codes were made, which the App Store does not allow; "
                    + "the last day is \(latest), or tell when they were made ('created')"
            }
        }
    }

    /// Reads `2027-03-05` as the end of that day in `zone`, or an RFC 3339 instant.
    ///
    /// Source: App Store Connect Help: one-time codes expire at most six months after they are made.
    public init(_ text: String, created: Instant, now: Instant, zone: TimeZoneRules) throws(Fault) {
        let latest = zone.localTime(at: created).date.adding(months: 6)
        let endOfLatest = zone.instant(of: LocalTime(latest.next))
        expiresDate = try Self.end(text, now: now, zone: zone)
        guard expiresDate <= endOfLatest else { throw .tooLate(latest: latest) }
    }

    /// The first instant after `2027-03-05`, or an RFC 3339 instant, with no ceiling: for custom codes.
    public static func end(_ text: String, now: Instant, zone: TimeZoneRules) throws(Fault) -> Instant {
        let end: Instant
        if let date = CalendarDate(text) {
            end = zone.instant(of: LocalTime(date.next))
        } else if let instant = Instant(rfc3339: text) {
            end = instant
        } else {
            throw .notADate(text)
        }
        guard end > now else { throw .past(end) }
        return end
    }
}
