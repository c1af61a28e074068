public import CampaignCore

extension LoadedCampaigns {
    /// Reads every `*.yaml` of the folder but hidden ones, `messages.yaml` with them, and checks them against `apps`.
    ///
    /// The whole set or, thrown, every fault of every file at once. A default folder that is not there is empty.
    public static func load(
        folder: Configuration.CampaignFolder, apps: CampaignSurroundings
    ) throws(CampaignFileError) -> LoadedCampaigns {
        .empty
    }
}
