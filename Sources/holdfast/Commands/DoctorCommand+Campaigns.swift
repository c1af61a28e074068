import CampaignCore
import Server
import YAML

extension DoctorCommand {
    /// One line for the campaigns when they load, else every finding.
    static func campaignChecks(_ configuration: Configuration) -> [DoctorCheck] {
        let subject = "campaigns"
        // A catalogue with a fault has its own line; the campaigns of its app are checked without it.
        let apps = configuration.apps.map { app in
            CampaignSurroundings.App(
                bundleId: app.bundleId, environments: app.environments, catalog: readCatalog(of: app))
        }
        do throws(CampaignFileError) {
            let loaded = try LoadedCampaigns.load(
                folder: configuration.campaigns, apps: CampaignSurroundings(apps: apps))
            let active = loaded.set.campaigns.count { $0.status == .active }
            let count = "\(counted(loaded.set.campaigns.count, "campaign")), \(active) active"
            let ok = DoctorCheck(.ok, subject, "'\(configuration.campaigns.path)' loads: \(count)")
            return [ok] + loaded.warnings.map { DoctorCheck(.warn, subject, "\($0)") }
                + unknownMessages(in: loaded.set).map { DoctorCheck(.warn, subject, $0) }
        } catch {
            switch error {
            case .unreadable: return [DoctorCheck(.fail, subject, "\(error)")]
            case .refused(let findings):
                return findings.map {
                    DoctorCheck($0.diagnostic.severity == .error ? .fail : .warn, subject, "\($0)")
                }
            }
        }
    }

    /// Without a `messages.yaml` a campaign still loads, and its retention messages are never shown.
    private static func unknownMessages(in set: CampaignSet) -> [String] {
        set.campaigns.flatMap { campaign in
            campaign.rules.compactMap(\.retentionMessage)
                .filter { set.messages.messageIdentifiers[$0] == nil }
                .map { message in
                    "campaign '\(campaign.name)' names the retention message '\(message)', and there is no "
                        + "'\(MessagesFile.name)'; the App Store is shown nothing"
                }
        }
    }

    private static func readCatalog(of app: Configuration.App) -> Catalog? {
        do throws(CommandError) {
            return try app.readCatalog()
        } catch {
            return nil
        }
    }
}
