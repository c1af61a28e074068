public import CampaignCore

extension LoadedApps {
    /// What campaigns must agree with.
    public var campaignSurroundings: CampaignSurroundings {
        CampaignSurroundings(
            apps: apps.map {
                CampaignSurroundings.App(bundleId: $0.bundleId, environments: $0.environments, catalog: $0.catalog)
            })
    }
}
