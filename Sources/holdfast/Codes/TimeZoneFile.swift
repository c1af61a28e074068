import CampaignCore
import Server
import YAML

/// The rules of an IANA time zone, from the system's table.
func readTimeZone(_ name: String) throws(CommandError) -> TimeZoneRules {
    guard let rules = TimeZoneRules.ofSystem(name) else {
        throw .refused("there is no time zone \(quotedName(name)); write an IANA name such as 'Europe/Berlin' or 'UTC'")
    }
    return rules
}
