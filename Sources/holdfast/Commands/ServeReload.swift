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

    mutating func run() {
        do throws(CommandError) {
            let configuration = try read()
            let next = try ServeCommand.load(configuration, keeping: loaded.chains)
            for warning in configuration.warnings + next.warnings {
                write(.warning, "configurationWarning", "detail", warning.line(path: configuration.path))
            }
            noteWhatNeedsARestart(configuration)
            server.reload(
                next, trustedProxies: configuration.trustedProxies, retention: configuration.retention)
            loaded = next
            log.write(
                .info, "reloaded", at: environment.now(),
                [
                    .init("apps", .array(next.apps.map { .string($0.bundleId.rawValue) })),
                    .init(
                        "signingKeys", .array(next.apps.map { .string($0.signingKey.keyId.rawValue) })),
                ])
        } catch {
            for message in error.messages { write(.error, "configurationFault", "detail", message) }
            server.refuseReload()
            write(.error, "reloadRefused", "detail", "the configuration in force stays; mend what is named and reload")
        }
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
