import CampaignCore
import FoundationEssentials
import Server
import Storage

extension Arguments {
    /// The present, or the instant that `--at` names when the command has that option.
    var now: Instant {
        let takesInstant = command.options.contains { $0.name == Option.at.name }
        return (takesInstant ? instant(.at) : nil) ?? Instant(Date())
    }

    /// Where the configuration is: `--config`, else `HOLDFAST_CONFIG`, else the current folder.
    var configurationPath: String {
        Configuration.locate(option: text(.config), environment: ProcessInfo.processInfo.environment)
    }

    /// Whether the line or the environment names a configuration.
    var namesConfiguration: Bool {
        text(.config) != nil || configurationPath != Configuration.locate(option: nil, environment: [:])
    }

    /// `requiringFiles` is false for a command that opens none of the files that the configuration names.
    func configuration(requiringFiles: Bool = true) throws(CommandError) -> Configuration {
        do {
            return try Configuration.read(path: configurationPath, requiringFiles: requiringFiles)
        } catch {
            switch error {
            case .unreadable: throw .failed(error)
            case .refused: throw .diagnosed(String(describing: error).split(separator: "\n").map(String.init))
            }
        }
    }

    /// The app that `--app` names, or the only one there is.
    func app(of configuration: Configuration) throws(CommandError) -> Configuration.App {
        let bundleIds = configuration.apps.map(\.bundleId.rawValue)
        guard let bundleId = text(.app) else {
            guard configuration.apps.count == 1 else {
                let list = bundleIds.map { "'\($0)'" }.joined(separator: ", ")
                throw wrongUsage("several apps are configured; name one of \(list) with '--app'")
            }
            return configuration.apps[0]
        }
        guard let app = configuration.app(BundleID(bundleId)) else {
            throw .refused(
                "no app '\(bundleId)' in '\(configuration.path)'" + didYouMean(bundleId, among: bundleIds))
        }
        return app
    }

    /// Opens the configured database, which is made or upgraded when that is needed.
    func openStore(of configuration: Configuration) throws(CommandError) -> Store {
        let path = try configuration.databasePath
        do {
            return try Store(path, now: now)
        } catch {
            throw .failed(error)
        }
    }

}

extension Configuration {
    /// The file of the database.
    var databasePath: String {
        get throws(CommandError) {
            switch database {
            case .sqlite(let path): return path
            case .postgresql:
                throw .failed("a PostgreSQL database is not supported yet; name a file as 'database: sqlite:PATH'")
            }
        }
    }
}
