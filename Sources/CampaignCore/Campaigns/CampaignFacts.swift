public import FoundationEssentials

/// Everything that a decision reads of one subscription and its customer.
public struct CampaignFacts: Hashable, Sendable {
    public var environment: AppStoreEnvironment
    /// The subscription that is decided for.
    public var subscription: Subscription
    /// All of the customer in the app and environment, `subscription` among them.
    public var subscriptions: [Subscription]
    /// The latest version of every known transaction of the customer there.
    public var transactions: [TransactionFact]
    /// What the request names, or what is known of the subscription; nil without either.
    public var appAccountToken: UUID?
    /// The zone that the customer's app reported; nil when it never did.
    public var zone: TimeZoneRules?
    /// The arms that were given before, by `CampaignArm.key`.
    public var arms: [String: String]
    /// Every offer that campaigns gave the subscription, newest first.
    public var given: [GivenOffer]
    /// How many offers of each campaign were redeemed, by all customers.
    public var redemptions: [CampaignName: Int]
    /// Code offers whose pool is empty.
    public var exhaustedCodes: Set<OfferIdentifier>

    public init(environment: AppStoreEnvironment, subscription: Subscription) {
        self.environment = environment
        self.subscription = subscription
        subscriptions = [subscription]
        transactions = []
        appAccountToken = subscription.appAccountToken
        arms = [:]
        given = []
        redemptions = [:]
        exhaustedCodes = []
    }
}

/// An offer that a campaign gave before.
public struct GivenOffer: Hashable, Sendable {
    /// What the app said became of it.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        case purchased
        case cancelled
        /// The purchase failed, so the customer has had nothing: it counts for no cap.
        case failed
    }

    public let campaign: CampaignName
    public let rule: RuleName
    public let givenDate: Instant
    /// nil for a message alone.
    public var offerType: OfferType?
    public var offerIdentifier: OfferIdentifier?
    /// nil until the app says it.
    public var outcome: Outcome?
    /// The token that the request named; nil when it named none.
    public var appAccountToken: UUID?

    public init(campaign: CampaignName, rule: RuleName, givenDate: Instant) {
        self.campaign = campaign
        self.rule = rule
        self.givenDate = givenDate
    }
}

/// An arm of a subscription: given once, stored, and never changed by other weights or percentages.
public struct CampaignArm: Hashable, Sendable {
    /// What the arm is of: `holdout/<campaign>`, `holdout/global/<salt>` or `variant/<campaign>`.
    public let key: String
    /// `heldOut` or `treated`, or the variant's name.
    public let arm: String

    public init(key: String, arm: String) {
        self.key = key
        self.arm = arm
    }
}
