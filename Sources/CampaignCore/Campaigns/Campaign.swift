/// Who gets what, when and how often: one campaign file (style guide of the format: one file a campaign, YAML).
///
/// It holds no terms of offers: App Store Connect owns prices and durations, the catalogue knows the identifiers.
public struct Campaign: Hashable, Sendable {
    public let name: CampaignName
    /// Higher is asked first; campaigns of one priority are asked by name.
    public var priority: Int
    /// Whom to ask about the campaign; nothing is sent there.
    public var owner: String?
    public var status: Status
    /// From when on it gives; nil sets no begin.
    public var starts: Instant?
    /// From when on it gives no more; nil sets no end.
    public var ends: Instant?
    public var audience: Audience
    public var holdout: Holdout?
    /// Empty, or at least two arms.
    public var variants: [Variant]
    /// Who see the campaign while it is a draft: account tokens in lower case, or original transaction ids.
    public var testCustomers: Set<String>
    public var limits: Limits
    /// At least one; tried in order.
    public var rules: [Rule]
    /// SHA-256 of the file's bytes, which every decision records.
    public var digest: [UInt8]

    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// Seen by test customers alone.
        case draft
        case active
        /// Gives nothing for now.
        case paused
        /// Gives nothing ever again.
        case ended
    }

    /// How often, and when not.
    public struct Limits: Hashable, Sendable {
        public var frequencyCaps: [FrequencyCap]
        /// For sends; whoever asks is answered at any hour.
        public var quietHours: QuietHours?
        /// The campaign ends itself when so many of its offers were redeemed; nil sets no end.
        public var redemptionsAtMost: Int?

        public init(
            frequencyCaps: [FrequencyCap] = [], quietHours: QuietHours? = nil, redemptionsAtMost: Int? = nil
        ) {
            self.frequencyCaps = frequencyCaps
            self.quietHours = quietHours
            self.redemptionsAtMost = redemptionsAtMost
        }
    }

    public init(
        name: CampaignName, priority: Int = 0, owner: String? = nil, status: Status, starts: Instant? = nil,
        ends: Instant? = nil, audience: Audience, holdout: Holdout? = nil, variants: [Variant] = [],
        testCustomers: Set<String> = [], limits: Limits = Limits(), rules: [Rule], digest: [UInt8] = []
    ) {
        self.name = name
        self.priority = priority
        self.owner = owner
        self.status = status
        self.starts = starts
        self.ends = ends
        self.audience = audience
        self.holdout = holdout
        self.variants = variants
        self.testCustomers = testCustomers
        self.limits = limits
        self.rules = rules
        self.digest = digest
    }
}
