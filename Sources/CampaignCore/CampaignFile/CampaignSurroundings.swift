/// What the configuration knows that a campaign's file must agree with.
public struct CampaignSurroundings: Hashable, Sendable {
    /// An app as far as campaigns go.
    public struct App: Hashable, Sendable {
        public let bundleId: BundleID
        public let environments: [AppStoreEnvironment]
        /// nil when it cannot be read; then nothing is held against it.
        public let catalog: Catalog?

        public init(bundleId: BundleID, environments: [AppStoreEnvironment], catalog: Catalog?) {
            self.bundleId = bundleId
            self.environments = environments
            self.catalog = catalog
        }
    }

    /// In the order of the configuration.
    public let apps: [App]

    public init(apps: [App]) {
        self.apps = apps
    }

    /// The app of that identifier; nil when it is not configured.
    func app(_ bundleId: BundleID) -> App? { apps.first { $0.bundleId == bundleId } }
}
