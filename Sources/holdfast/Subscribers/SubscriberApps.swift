import CampaignCore
import Server
import YAML

/// What the configuration says of the apps that subscribers belong to.
struct SubscriberApps {
    let configuration: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// What a status of one app is judged by.
    struct App {
        let catalog: Catalog
        let policy: AccessPolicy
    }

    /// The app's catalogue and policy; those of no product at all for an app that is no longer configured.
    func app(_ bundleId: BundleID) throws(CommandError) -> App {
        guard let app = configuration.app(bundleId) else { return App(catalog: .empty, policy: AccessPolicy()) }
        return App(catalog: try app.readCatalog(), policy: app.accessPolicy)
    }
}

/// A name as errors show it.
func quotedName(_ text: String) -> String { quoted(text, limit: Limits.quotedName) }
