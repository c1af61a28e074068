/// How many offers a customer may be given in a stretch of time.
public struct FrequencyCap: Hashable, Sendable {
    /// At least 1.
    public let atMost: Int
    public let per: Stretch
    public let across: Scope

    public enum Stretch: Hashable, Sendable {
        /// The last so many milliseconds: `every: 30d`.
        case rolling(milliseconds: Int64)
        /// The present day of the customer's calendar: `per: calendarDay`.
        case calendarDay
    }

    public enum Scope: String, Hashable, Sendable, CaseIterable {
        case thisCampaign
        case allCampaigns
    }

    public init(atMost: Int, per: Stretch, across: Scope = .thisCampaign) {
        self.atMost = atMost
        self.per = per
        self.across = across
    }
}

/// The hours in which nobody is sent anything, by the clock on the wall.
public struct QuietHours: Hashable, Sendable {
    /// 0 to 1439, in which quiet begins.
    public let fromMinuteOfDay: Int
    /// 0 to 1439, in which it ends; earlier than the begin crosses midnight, equal is no quiet time.
    public let toMinuteOfDay: Int
    /// Whether the zone that the customer's app reported is used when there is one.
    public let usesSubscriberZone: Bool
    /// The named zone, which is `otherwise` when the subscriber's zone is used first.
    public let zone: TimeZoneRules

    public init(fromMinuteOfDay: Int, toMinuteOfDay: Int, usesSubscriberZone: Bool, zone: TimeZoneRules) {
        self.fromMinuteOfDay = fromMinuteOfDay
        self.toMinuteOfDay = toMinuteOfDay
        self.usesSubscriberZone = usesSubscriberZone
        self.zone = zone
    }
}
