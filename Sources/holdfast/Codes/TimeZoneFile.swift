import CampaignCore
import Server
import YAML

/// The rules of an IANA time zone, from the system's table.
func readTimeZone(_ name: String) throws(CommandError) -> TimeZoneRules {
    if name == "UTC" { return .utc }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    // Never out of the table's folder.
    let isName = parts.allSatisfy { part in
        part.utf8.first.map { $0 >= UInt8(ascii: "A") } == true && part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
    guard isName, let bytes = try? readFile("/usr/share/zoneinfo/\(name)", limit: Limits.timeZoneFileBytes),
        let rules = TimeZoneRules(name: name, file: bytes)
    else {
        throw .refused("there is no time zone \(quotedName(name)); write an IANA name such as 'Europe/Berlin' or 'UTC'")
    }
    return rules
}
