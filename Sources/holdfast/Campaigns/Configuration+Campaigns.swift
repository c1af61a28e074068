import CampaignCore
import Server

extension Configuration {
    /// The apps as campaigns see them; throws what is wrong with a catalogue, and goes on without one that is not there.
    func campaignSurroundings() throws(CommandError) -> CampaignSurroundings {
        var known: [CampaignSurroundings.App] = []
        for app in apps {
            let catalog = fileExists(app.catalog.path) ? try app.readCatalog() : nil
            known.append(
                CampaignSurroundings.App(bundleId: app.bundleId, environments: app.environments, catalog: catalog))
        }
        return CampaignSurroundings(apps: known)
    }
}
