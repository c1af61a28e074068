import FoundationEssentials
import YAML

/// Checks names of time zones against the system's table, which `tzdata` keeps.
enum TimeZoneName {
    static let table = "/usr/share/zoneinfo"

    /// Other views and links of the table that are no names.
    private static let notNames: Set<Substring> = ["posix", "right", "localtime", "posixrules", "Factory"]

    /// What to write instead of `name`; nil when it is an IANA name such as `Europe/Berlin`.
    ///
    /// A bare offset is refused because it does not follow summer time.
    static func cure(for name: String) -> String? {
        if name == "UTC" { return nil }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard let area = parts.first, parts.allSatisfy(isNamePart), !notNames.contains(area) else {
            return "write an IANA name such as 'Europe/Berlin', not an offset"
        }
        if isZoneFile("\(table)/\(name)") { return nil }
        guard PathKind(at: table) == .folder else { return "install 'tzdata', which knows the names of time zones" }
        if let near = neighbour(of: parts) { return "did you mean '\(near)'?" }
        return "write an IANA name such as 'Europe/Berlin'"
    }

    private static func isNamePart(_ part: Substring) -> Bool {
        guard let first = part.utf8.first, Character(UnicodeScalar(first)).isLetter else { return false }
        return part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "+") }
    }

    private static func isZoneFile(_ path: String) -> Bool {
        (try? firstBytes(ofFile: path, limit: 4)) == Array("TZif".utf8)
    }

    /// The nearest name that does exist, each part corrected in its folder.
    private static func neighbour(of parts: [Substring]) -> String? {
        var name = ""
        for part in parts {
            let candidates = names(in: "\(table)/\(name)")
            guard let near = closestMatch(to: String(part), among: candidates) else { return nil }
            name += name.isEmpty ? near : "/\(near)"
        }
        return isZoneFile("\(table)/\(name)") ? name : nil
    }

    private static func names(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { isNamePart($0[...]) && !notNames.contains($0[...]) }.sorted()
    }
}
