/// What the campaigns give one subscription at an instant, and why.
public struct CampaignDecision: Hashable, Sendable {
    /// nil when no campaign gives anything; `refusals` then say why.
    public var chosen: ChosenOffer?
    /// Every reason of every campaign that was asked before one gave, in the order of asking.
    public var refusals: [Refusal]
    /// Arms that were drawn now and must be stored with the answer, so that they never change.
    public var newArms: [CampaignArm]

    public init(chosen: ChosenOffer? = nil, refusals: [Refusal] = [], newArms: [CampaignArm] = []) {
        self.chosen = chosen
        self.refusals = refusals
        self.newArms = newArms
    }
}

/// What one rule gives.
public struct ChosenOffer: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case promotionalOffer(OfferIdentifier, productId: ProductID)
        case winBackOffer(OfferIdentifier, productId: ProductID)
        /// By the reference name of the code offer.
        case offerCode(OfferIdentifier, productId: ProductID)
        /// Only in a retention message.
        case alternateProduct(ProductID)
        /// The rule's message alone.
        case message
    }

    public let campaign: CampaignName
    /// SHA-256 of the campaign's file.
    public let digest: [UInt8]
    public let rule: RuleName
    /// The arm of the subscription; nil for a campaign without arms.
    public let variant: VariantName?
    public let content: Content
    /// What is said beside the offer; nil when the rule names nothing.
    public let message: MessageName?
    /// The message of `messages.yaml` for the App Store; nil when the rule names none.
    public let retentionMessage: MessageName?

    public init(
        campaign: CampaignName, digest: [UInt8], rule: RuleName, variant: VariantName? = nil, content: Content,
        message: MessageName? = nil, retentionMessage: MessageName? = nil
    ) {
        self.campaign = campaign
        self.digest = digest
        self.rule = rule
        self.variant = variant
        self.content = content
        self.message = message
        self.retentionMessage = retentionMessage
    }
}

/// How much one customer may be given before it looks like abuse. Each bound counts the last 365 days; nil sets none.
public struct OfferGuard: Hashable, Sendable {
    /// Offers of all campaigns together.
    public var offersPerYear: Int?
    /// Promotional offers redeemed before cancelling again: who cancels to get a discount finds an end of it.
    public var savesPerYear: Int?
    /// Account tokens that used one subscription.
    public var accountsPerSubscription: Int?

    public init(offersPerYear: Int? = 12, savesPerYear: Int? = 2, accountsPerSubscription: Int? = 3) {
        self.offersPerYear = offersPerYear
        self.savesPerYear = savesPerYear
        self.accountsPerSubscription = accountsPerSubscription
    }
}
