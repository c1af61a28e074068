public import YAML

/// One campaign's file after reading, with the places that later checks point to.
///
/// Whatever was wrong has been reported and stands here as its default, so that the rest can be checked too; a file with
/// an error is used for nothing else.
public struct CampaignFile: Sendable {
    public let campaign: Campaign
    let places: CampaignPlaces

    /// Where the campaign's name stands.
    public var nameMark: Mark { places.name }

    /// Where the percentage of a global holdout stands; nil without one.
    public var globalHoldoutMark: Mark? { places.globalHoldout }
}

/// What the table of time zones says of a name.
public enum ZoneLookup: Sendable {
    case found(TimeZoneRules)
    /// What to write instead: `did you mean 'Europe/Berlin'?`
    case missing(cure: String)
}

/// A value and where it is written.
struct Placed<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value
    let mark: Mark
}

/// Where the parts of a campaign's file stand.
struct CampaignPlaces: Hashable, Sendable {
    var name = Mark.start
    var bundleId = Mark.start
    var environment = Mark.start
    var globalHoldout: Mark?
    /// Those of the audience.
    var products: [Placed<ProductID>] = []
    var groups: [Placed<SubscriptionGroupIdentifier>] = []
    /// Whether the audience's conditions were read without an error.
    var knowsAudience = true
    /// In the order of the campaign's rules.
    var rules: [RulePlaces] = []
}

/// Where the parts of one rule stand.
struct RulePlaces: Hashable, Sendable {
    /// Of the name.
    var name: Mark
    /// Of the values under `when`.
    var when: [WhenKey: Mark] = [:]
    var products: [Placed<ProductID>] = []
    var sendAt: [Placed<String>] = []
    var retentionMessage: Mark?
    var via: Mark?
    var offers: [OfferPlaces] = []
    /// Whether the conditions were read without an error, so that comparing them with others proves something.
    var knowsConditions = true
}

/// Where the parts of one offer stand.
struct OfferPlaces: Hashable, Sendable {
    /// Of the offer's identifier, or the alternate product's.
    var offer: Mark
    var productId: Mark?
}
