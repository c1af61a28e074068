public import AppStore
public import CampaignCore

/// One configured app with everything loaded that answering for it needs; shared, because each request passes it on.
public final class App: Sendable {
    public let bundleId: BundleID
    public let appAppleId: AppAppleID
    public let environments: [AppStoreEnvironment]
    public let catalog: Catalog
    /// The first of the configured keys, the one that signs.
    public let signingKey: SigningKey
    /// The other live keys: a rotation begins by adding the new one, and the old one stays known while its signatures live.
    public let otherKeys: [SigningKey]
    /// How old a device's own proof may be, in milliseconds.
    public let deviceProofMaxAgeMilliseconds: Int64
    /// What a subscriber may use in each state.
    public let accessPolicy: AccessPolicy
    /// Who may redeem each win-back offer, for subscribers of whom Apple's own list is not known.
    public let winBackRules: [OfferIdentifier: WinBackRule]
    public let offerCodes: Configuration.OfferCodes
    /// How much campaigns may give one customer.
    public let offerGuard: OfferGuard

    public init(
        bundleId: BundleID, appAppleId: AppAppleID, environments: [AppStoreEnvironment], catalog: Catalog,
        signingKey: SigningKey, otherKeys: [SigningKey] = [], deviceProofMaxAgeMilliseconds: Int64,
        accessPolicy: AccessPolicy = AccessPolicy(), winBackRules: [OfferIdentifier: WinBackRule] = [:],
        offerCodes: Configuration.OfferCodes = .standard, offerGuard: OfferGuard = OfferGuard()
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
        self.catalog = catalog
        self.signingKey = signingKey
        self.otherKeys = otherKeys
        self.deviceProofMaxAgeMilliseconds = deviceProofMaxAgeMilliseconds
        self.accessPolicy = accessPolicy
        self.winBackRules = winBackRules
        self.offerCodes = offerCodes
        self.offerGuard = offerGuard
    }

    /// What payloads must be for to be about this app.
    public var identity: AppIdentity {
        AppIdentity(bundleId: bundleId, appAppleId: appAppleId, environments: environments)
    }
}
