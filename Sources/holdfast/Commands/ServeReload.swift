import AppStore
import CampaignCore
import FoundationEssentials
import Server
import YAML

/// What a SIGHUP does: reads everything again, and puts it in force as a whole or not at all.
///
/// Everything that it finds goes to the log, a line each: who sends a signal reads no standard error.
struct ServeReload {
    let arguments: Arguments
    /// What the server began with: its address and its database hold until it ends.
    let started: Configuration
    let server: RunningServer
    let environment: Server.Environment
    let log: Log
    var loaded: LoadedApps
    var watch: CampaignFolderWatch

    mutating func run() {
        do throws(CommandError) {
            let configuration = try read()
            let next = try ServeCommand.load(configuration, keeping: loaded.chains)
            // Looked at before they are read: what changes meanwhile is found by the next look.
            let watch = CampaignFolderWatch(configuration.campaigns)
            let campaigns = try campaigns(configuration, for: next)
            for warning in configuration.warnings + next.warnings {
                write(.warning, "configurationWarning", "detail", warning.line(path: configuration.path))
            }
            noteWhatNeedsARestart(configuration)
            server.reload(
                next, campaigns: campaigns, trustedProxies: configuration.trustedProxies,
                retention: configuration.retention)
            loaded = next
            self.watch = watch
            log.write(
                .info, "reloaded", at: environment.now(),
                [
                    .init("apps", .array(next.apps.map { .string($0.bundleId.rawValue) })),
                    .init(
                        "signingKeys", .array(next.apps.map { .string($0.signingKey.keyId.rawValue) })),
                    .init("campaigns", .integer(Int64(campaigns.files.count))),
                ])
        } catch {
            for message in error.messages { write(.error, "configurationFault", "detail", message) }
            server.refuseReload()
            write(.error, "reloadRefused", "detail", "the configuration in force stays; mend what is named and reload")
        }
    }

    /// Reads the campaigns again when their files have changed and are at rest; one fault and the old set stays.
    mutating func look() {
        guard watch.hasChanged() else { return }
        do throws(CommandError) {
            let campaigns = try ServeCommand.campaigns(folder: watch.folder, for: loaded)
            for warning in campaigns.warnings { write(.warning, "campaignWarning", "detail", "\(warning)") }
            server.replace(campaigns: campaigns)
            log.write(
                .info, "campaignsLoaded", at: environment.now(),
                [.init("campaigns", .integer(Int64(campaigns.files.count)))])
        } catch {
            refuseCampaigns(error)
        }
    }

    private func campaigns(
        _ configuration: Configuration, for apps: LoadedApps
    ) throws(CommandError) -> LoadedCampaigns {
        do throws(CommandError) {
            let campaigns = try ServeCommand.campaigns(folder: configuration.campaigns, for: apps)
            for warning in campaigns.warnings { write(.warning, "campaignWarning", "detail", "\(warning)") }
            return campaigns
        } catch {
            server.refuseCampaigns()
            throw error
        }
    }

    /// One line with the first faults: the others are told by 'holdfast campaign check'.
    private func refuseCampaigns(_ error: CommandError) {
        server.refuseCampaigns()
        let told = error.messages.prefix(Limits.campaignFaultsTold)
        log.write(
            .error, "campaignsRefused", at: environment.now(),
            [
                .init("faults", .array(told.map(JSON.string))),
                .init("more", .integer(Int64(error.messages.count - told.count))),
                .init("detail", "the campaigns in force stay; 'holdfast campaign check' lists every fault"),
            ])
    }

    /// The file as it is now, under the same options of the line.
    private func read() throws(CommandError) -> Configuration {
        var configuration = try arguments.configuration()
        try arguments.replace(in: &configuration)
        try ServeCommand.refuseShiftedProduction(arguments, configuration)
        return configuration
    }

    private func noteWhatNeedsARestart(_ configuration: Configuration) {
        let changes = [
            ("listen", configuration.listen == started.listen),
            ("database", configuration.database == started.database),
        ]
        for (key, isSame) in changes where !isSame {
            write(.warning, "needsRestart", "key", key)
        }
    }

    private func write(_ level: Log.Level, _ event: String, _ key: String, _ text: String) {
        log.write(level, event, at: environment.now(), [.init(key, .string(text))])
    }
}
