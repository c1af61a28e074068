public import CampaignCore

extension TimeZoneRules {
    /// The rules of an IANA time zone from the system's table; nil when there is none of that name.
    public static func ofSystem(_ name: String) -> TimeZoneRules? {
        if name == utc.name { return .utc }
        // A name leads never out of the table's folder.
        guard TimeZoneName.cure(for: name) == nil,
            let bytes = try? firstBytes(
                ofFile: "\(TimeZoneName.table)/\(name)", limit: ConfigurationLimits.timeZoneFileBytes)
        else { return nil }
        return TimeZoneRules(name: name, file: bytes)
    }
}
