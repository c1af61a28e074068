/// What the configuration and the catalogue of one app add to a decision.
public struct CampaignContext: Sendable {
    public var catalog: Catalog
    public var policy: AccessPolicy
    /// The months of App Store Connect, by the win-back offer's identifier.
    public var winBackRules: [OfferIdentifier: WinBackRule]
    /// Whether an empty list of Apple's means no win-back offer.
    public var isWinBackListKnown: Bool
    public var offerGuard: OfferGuard

    public init(
        catalog: Catalog, policy: AccessPolicy = AccessPolicy(), winBackRules: [OfferIdentifier: WinBackRule] = [:],
        isWinBackListKnown: Bool = false, offerGuard: OfferGuard = OfferGuard()
    ) {
        self.catalog = catalog
        self.policy = policy
        self.winBackRules = winBackRules
        self.isWinBackListKnown = isWinBackListKnown
        self.offerGuard = offerGuard
    }
}
