import YAML

/// What the core cannot make sense of.
public enum CampaignCoreError: Error, Hashable, CustomStringConvertible {
    /// A signed transaction without fields that every decision needs.
    case transactionLacks(fields: [String])
    /// A signed renewal info without fields that every decision needs.
    case renewalInfoLacks(fields: [String])
    /// A date before 1970 or after 9999, which no decision can be right about.
    case dateOutOfRange(field: String, millisecondsSince1970: Int64)

    public var description: String {
        switch self {
        case .transactionLacks(let fields):
            "the signed transaction lacks \(fields.map { quoted($0) }.joined(separator: ", ")); "
                + "send one that StoreKit gave the app"
        case .renewalInfoLacks(let fields):
            "the signed renewal info lacks \(fields.map { quoted($0) }.joined(separator: ", ")); "
                + "send one that the App Store signed"
        case .dateOutOfRange(let field, let milliseconds):
            "\(quoted(field)) is \(quoted(String(milliseconds))) milliseconds since 1970, which is not in the years "
                + "1970 to 9999; send a date that the App Store signed"
        }
    }
}

/// Throws `dateOutOfRange` for the first date that lies before 1970 or after 9999.
func checkDates(_ dates: [(field: String, date: Instant?)]) throws(CampaignCoreError) {
    for case (let field, let date?) in dates where !Limits.dates.contains(date) {
        throw .dateOutOfRange(field: field, millisecondsSince1970: date.millisecondsSince1970)
    }
}
