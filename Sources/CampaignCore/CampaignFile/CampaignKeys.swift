// The keys of campaign files and of `messages.yaml`, mapping by mapping. Reader, messages and JSON Schema share these
// tables.

enum CampaignKey: String, CaseIterable {
    case schema
    case campaign
    case priority
    case owner
    case status
    case starts
    case ends
    case audience
    case holdout
    case variants
    case testCustomers
    case limits
    case rules
}

enum AudienceKey: String, CaseIterable {
    case bundleId
    case environment
    case productId
    case subscriptionGroupIdentifier
    case inAppOwnershipType
    case storefront
}

enum HoldoutKey: String, CaseIterable {
    case percent
    case salt
    case global
}

enum VariantKey: String, CaseIterable {
    case name
    case weight
}

enum LimitsKey: String, CaseIterable {
    case frequencyCap
    case quietHours
    case redemptions
}

enum FrequencyCapKey: String, CaseIterable {
    case atMost
    case every
    case per
    case across
}

enum QuietHoursKey: String, CaseIterable {
    case from
    case to
    case timeZone
    case otherwise
}

enum RedemptionsKey: String, CaseIterable {
    case atMost
}

enum RuleKey: String, CaseIterable {
    case rule
    case when
    case via
    case sendAt
    case retentionMessage
    case offers
    case message
}

enum WhenKey: String, CaseIterable {
    case status
    case autoRenewStatus
    case expirationIntent
    case productId
    case offerType
    case pendingChange
    case untilExpires
    case sinceExpired

    /// Made once, because decisions go through them.
    static let all = allCases
}

/// `{ not: [CHN] }`
enum NotKey: String, CaseIterable {
    case not
}

enum SpanRangeKey: String, CaseIterable {
    case atLeast
    case atMost
}

enum OfferKey: String, CaseIterable {
    case promotionalOffer
    case winBackOffer
    case offerCode
    case alternateProduct
    case productId
    case variant

    /// One of these says what is given; the others say more about it.
    static let kinds: [OfferKey] = [.promotionalOffer, .winBackOffer, .offerCode, .alternateProduct]
}

enum MessagesKey: String, CaseIterable {
    case schema
    case messages
}
