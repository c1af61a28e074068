/// How many offer codes an app may make in one quarter.
///
/// Source: App Store Connect Help, "Set up offer codes"; the number and the zone are configuration (design, section 5).
public struct CodeQuota: Hashable, Sendable {
    /// Codes per bundle id and calendar quarter: one-time codes and the redemption limits of custom codes.
    public let limit: Int64
    /// Whose midnight begins a quarter.
    public let zone: TimeZoneRules

    public init(limit: Int64, zone: TimeZoneRules) {
        self.limit = limit
        self.zone = zone
    }
}

/// How much of one quarter's quota is used.
public struct CodeQuotaUse: Hashable, Sendable {
    public let quarter: CalendarQuarter
    public let used: Int64
    public let limit: Int64
    /// The first instant of the next quarter.
    public let resetsDate: Instant

    public init(quarter: CalendarQuarter, used: Int64, quota: CodeQuota) {
        self.quarter = quarter
        self.used = used
        limit = quota.limit
        resetsDate = quarter.ends(in: quota.zone)
    }

    /// Zero also when more is used than a limit that was lowered later.
    public var left: Int64 { max(0, limit - used) }

    /// Whether so many more would pass it; written so that no sum can overflow.
    public func isPassed(by asked: Int64) -> Bool { asked > left }
}

extension CodeQuotaUse {
    /// As the answer to a load and `codes import` write it; `zone` is the name of the quota's.
    public func json(zone: String) -> JSON {
        [
            "quarter": .string("\(quarter)"), "used": .integer(used), "limit": .integer(limit),
            "left": .integer(left), "resetsDate": .instant(resetsDate), "timeZone": .string(zone),
        ]
    }

    /// The use of several quarters as `codes quota` and the route of batches write it.
    public static func json(of bundleId: BundleID, _ quota: CodeQuota, _ uses: [CodeQuotaUse]) -> JSON {
        [
            "bundleId": .string(bundleId.rawValue), "timeZone": .string(quota.zone.name),
            "limit": .integer(quota.limit),
            "quarters": .array(
                uses.map { use in
                    [
                        "quarter": .string("\(use.quarter)"), "used": .integer(use.used), "left": .integer(use.left),
                        "resetsDate": .instant(use.resetsDate),
                    ]
                }),
        ]
    }
}
