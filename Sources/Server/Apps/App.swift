public import AppStore
public import CampaignCore

/// One configured app with everything loaded that answering for it needs.
public struct App: Sendable {
    public let bundleId: BundleID
    public let appAppleId: AppAppleID
    public let environments: [AppStoreEnvironment]
    public let catalog: Catalog
    /// The first of the configured keys; the others stay known, so that their signatures can be checked.
    public let signingKey: SigningKey
    /// How old a device's own proof may be, in milliseconds.
    public let deviceProofMaxAgeMilliseconds: Int64

    public init(
        bundleId: BundleID, appAppleId: AppAppleID, environments: [AppStoreEnvironment], catalog: Catalog,
        signingKey: SigningKey, deviceProofMaxAgeMilliseconds: Int64
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
        self.catalog = catalog
        self.signingKey = signingKey
        self.deviceProofMaxAgeMilliseconds = deviceProofMaxAgeMilliseconds
    }

    /// What payloads must be for to be about this app.
    public var identity: AppIdentity {
        AppIdentity(bundleId: bundleId, appAppleId: appAppleId, environments: environments)
    }
}
