import YAML

/// What the core cannot make sense of.
public enum CampaignCoreError: Error, Hashable, CustomStringConvertible {
    /// A signed transaction without fields that every decision needs.
    case transactionLacks(fields: [String])

    public var description: String {
        switch self {
        case .transactionLacks(let fields):
            "the signed transaction lacks \(fields.map { quoted($0) }.joined(separator: ", ")); "
                + "send one that StoreKit gave the app"
        }
    }
}
