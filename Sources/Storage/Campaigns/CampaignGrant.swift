public import CampaignCore
public import FoundationEssentials

/// What a campaign gave a subscription once, with everything the decision used.
public struct CampaignGrant: Hashable, Sendable {
    /// By which the app names it when it tells what became of it.
    public let grantId: UUID
    public let subscription: SubscriptionRowID
    public let bundleId: BundleID
    public let environment: AppStoreEnvironment
    public let campaign: CampaignName
    public let rule: RuleName
    public var variant: VariantName?
    public let via: Rule.Via
    /// nil for what is no offer: a message alone, or another product.
    public var offerType: OfferType?
    public var offerIdentifier: OfferIdentifier?
    public var productId: ProductID?
    public var message: MessageName?
    /// SHA-256 of the campaign's file.
    public let fileDigest: [UInt8]
    /// What the decision read of the subscription, as JSON.
    public var facts: JSON = .object([])
    /// What campaigns that were asked before said, as JSON.
    public var refusals: JSON = .array([])
    /// What the request named; nil when it named none.
    public var appAccountToken: UUID?
    public let givenDate: Instant
    /// What the app said became of it; nil until it does.
    public var outcome: GivenOffer.Outcome?
    public var outcomeDate: Instant?
    /// When its redemption was counted; nil as long as there is none.
    public var redeemedDate: Instant?

    public init(
        grantId: UUID, subscription: SubscriptionRowID, bundleId: BundleID, environment: AppStoreEnvironment,
        campaign: CampaignName, rule: RuleName, via: Rule.Via, fileDigest: [UInt8], givenDate: Instant
    ) {
        self.grantId = grantId
        self.subscription = subscription
        self.bundleId = bundleId
        self.environment = environment
        self.campaign = campaign
        self.rule = rule
        self.via = via
        self.fileDigest = fileDigest
        self.givenDate = givenDate
    }
}

/// How many a campaign gave, and how many of those were redeemed.
public struct CampaignTotal: Hashable, Sendable {
    public var given: Int
    public var redeemed: Int

    public init(given: Int = 0, redeemed: Int = 0) {
        self.given = given
        self.redeemed = redeemed
    }
}

/// The number of one answer in this database.
public struct OfferGrantRowID: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

extension OfferGrantRowID: ColumnValue {}
extension GivenOffer.Outcome: ColumnValue {}
extension Rule.Via: ColumnValue {}
