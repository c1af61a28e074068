public import CampaignCore

/// The key that made a signature in the place of the one that is named.
public enum OtherKey: Hashable, Sendable {
    case known(KeyID)
    /// A key that is at hand without its id; `name` is `SignatureCheck.Candidate.name`.
    case candidate(name: String)

    /// The name of a key in quotes.
    static func shown(_ name: String) -> String { quoted(name, limit: SignatureCheckLimits.keyNameCharacters) }

    /// How to find out whether a certain key signed.
    static let test = "check again with the one you suspect as '--key FILE'"
}
