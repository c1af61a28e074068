/// Every campaign in force, in the order in which they are asked, with the messages that they name.
public struct CampaignSet: Hashable, Sendable {
    /// By priority, highest first, then by name.
    public let campaigns: [Campaign]
    public let messages: RetentionMessages
    /// In the same order.
    let prepared: [PreparedCampaign]

    /// - Parameter campaigns: in any order; names are unique.
    public init(campaigns: [Campaign], messages: RetentionMessages = RetentionMessages()) {
        self.campaigns = campaigns.sorted { ($1.priority, $0.name) < ($0.priority, $1.name) }
        self.messages = messages
        prepared = self.campaigns.map(PreparedCampaign.init)
    }

    public static let empty = CampaignSet(campaigns: [])

    public static func == (one: Self, other: Self) -> Bool {
        one.campaigns == other.campaigns && one.messages == other.messages
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(campaigns)
        hasher.combine(messages)
    }

    /// The campaign of that name; nil when there is none.
    public func campaign(_ name: CampaignName) -> Campaign? { campaigns.first { $0.name == name } }
}

/// What `messages.yaml` says: which of Apple's messages each name is, by locale.
public struct RetentionMessages: Hashable, Sendable {
    /// Apple's `messageIdentifier` by BCP 47 locale, such as `en-US`, by name.
    public let messageIdentifiers: [MessageName: [String: String]]

    public init(messageIdentifiers: [MessageName: [String: String]] = [:]) {
        self.messageIdentifiers = messageIdentifiers
    }
}
