import AppStore
import CampaignCore
import FoundationEssentials
@preconcurrency import Glibc
import Server
import YAML

/// `holdfast serve`: the service, until it is told to stop.
enum ServeCommand {
    static let listen = Option.text(
        "listen", "H:P", help: "address and port (default: as configured, 127.0.0.1:8080 in a demo)")
    static let database = Option.text("database", "URL", help: "database instead of the configured one")
    static let logLevel = Option.choice(
        "log-level", Log.Level.allCases.map(\.rawValue), help: "the least that is logged (default info)")
    static let clockStart = Option.instant(
        "clock-start", help: "begin at this instant instead of now, for rehearsals in Sandbox")
    static let allowShiftedClock = Option.flag(
        "allow-shifted-clock", help: "shift the clock although an app lists Production")

    static let command = Command(
        "serve",
        summary: "Run the service",
        details: """
            Reads the configuration, the catalogues, the keys and the campaigns, tells every fault in them at once, opens or upgrades \
            the database, and answers on one address. Logs are JSON lines on standard error.

            SIGTERM and SIGINT stop it: it answers what it has accepted and ends with 0. SIGHUP has it read the \
            configuration, the catalogues, the campaigns and the keys again, all of them or, when one has a fault, \
            none; the log says which, and what takes a restart. Campaign files that change are read again by \
            themselves within seconds, as a whole set or not at all.
            """,
        options: [listen, database, logLevel, clockStart, allowShiftedClock],
        examples: [Example("holdfast serve --config reader/holdfast.yaml", "serve what the file configures")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        StopSignal.blockReload()
        var configuration = try arguments.configuration()
        try arguments.replace(in: &configuration)
        try refuseShiftedProduction(arguments, configuration)
        let environment = Server.Environment.system(shiftedBy: clockShift(arguments))
        // Looked at before they are read: what changes meanwhile is found by the next look.
        let watch = CampaignFolderWatch(configuration.campaigns)
        let (loaded, campaigns) = try loadNoting(configuration, output)
        // Before any thread is made, that of the log too, so that every thread leaves these signals to `StopSignal`.
        StopSignal.block()
        let log = Log(level: arguments.text(logLevel).flatMap { Log.Level(rawValue: $0) } ?? .info)
        let server = try start(configuration, loaded, campaigns, environment: environment, log: log)
        output.announce(
            "serving on http://\(ListenAddress(address: configuration.listen.address, port: server.port))\n")
        var reload = ServeReload(
            arguments: arguments, started: configuration, server: server, environment: environment, log: log,
            loaded: loaded, watch: watch)
        while true {
            switch StopSignal.next(withinSeconds: Limits.campaignLookSeconds) {
            case nil: reload.look()
            case .reload: reload.run()
            case .stop:
                server.stop()
                output.announce("stopped\n")
                return .done
            }
        }
    }

    /// Loads what `configuration` names and starts to serve it; the demo starts the same way.
    static func start(
        _ arguments: Arguments, _ configuration: Configuration, environment: Server.Environment, _ output: Output
    ) throws(CommandError) -> ServeReload {
        let watch = CampaignFolderWatch(configuration.campaigns)
        let (loaded, campaigns) = try loadNoting(configuration, output)
        StopSignal.block()
        let log = Log()
        let server = try start(configuration, loaded, campaigns, environment: environment, log: log)
        return ServeReload(
            arguments: arguments, started: configuration, server: server, environment: environment, log: log,
            loaded: loaded, watch: watch)
    }

    /// Everything that `configuration` names, or every fault in it; `chains` as `LoadedApps` keeps them.
    static func load(
        _ configuration: Configuration, keeping chains: ChainVerifier? = nil
    ) throws(CommandError) -> LoadedApps {
        do {
            return try LoadedApps(
                configuration, variables: ProcessInfo.processInfo.environment, keeping: chains)
        } catch {
            throw .diagnosed("\(error)".split(separator: "\n").map(String.init))
        }
    }

    /// Every campaign of the configured folder, or every fault in any of them.
    static func campaigns(
        folder: Configuration.CampaignFolder, for loaded: LoadedApps
    ) throws(CommandError) -> LoadedCampaigns {
        do throws(CampaignFileError) {
            return try LoadedCampaigns.load(folder: folder, apps: loaded.campaignSurroundings)
        } catch {
            throw .diagnosed("\(error)".split(separator: "\n").map(String.init))
        }
    }

    private static func loadNoting(
        _ configuration: Configuration, _ output: Output
    ) throws(CommandError) -> (LoadedApps, LoadedCampaigns) {
        let loaded = try load(configuration)
        let campaigns = try campaigns(folder: configuration.campaigns, for: loaded)
        for warning in configuration.warnings + loaded.warnings {
            output.note(warning.line(path: configuration.path) + "\n")
        }
        for warning in campaigns.warnings { output.note("\(warning)\n") }
        return (loaded, campaigns)
    }

    private static func start(
        _ configuration: Configuration, _ loaded: LoadedApps, _ campaigns: LoadedCampaigns,
        environment: Server.Environment, log: Log
    ) throws(CommandError) -> RunningServer {
        do {
            return try RunningServer(
                apps: loaded.apps, campaigns: campaigns, verifier: loaded.verifier,
                database: try configuration.databasePath,
                socket: try ListeningSocket(configuration.listen), trustedProxies: configuration.trustedProxies,
                retention: configuration.retention, environment: environment, log: log)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed(error)
        }
    }

    /// How far the clock is moved, in milliseconds.
    private static func clockShift(_ arguments: Arguments) -> Int64 {
        guard let start = arguments.instant(clockStart) else { return 0 }
        return start.millisecondsSince1970 - Instant(Date()).millisecondsSince1970
    }

    static func refuseShiftedProduction(_ arguments: Arguments, _ configuration: Configuration) throws(CommandError) {
        guard arguments.isGiven(clockStart) else { return }
        let live = configuration.apps.first { $0.environments.contains(.production) }
        if let live, !arguments.has(allowShiftedClock) {
            throw .refused(
                "'\(live.bundleId)' lists Production, where a shifted clock signs offers that StoreKit refuses; "
                    + "leave '--clock-start' out, or add '--allow-shifted-clock'")
        }
    }
}

extension Arguments {
    /// Puts `--listen` and `--database` in the place of what the file says.
    func replace(in configuration: inout Configuration) throws(CommandError) {
        if let text = text(ServeCommand.listen) {
            guard let address = ListenAddress(text) else {
                throw wrongUsage("'\(text)' is no address; write \(ListenAddress.expected)")
            }
            configuration.listen = address
        }
        if let text = text(ServeCommand.database) {
            let folder = FileManager.default.currentDirectoryPath
            guard let database = Configuration.Database(text, folder: folder) else {
                throw wrongUsage("'--database' takes \(Configuration.Database.cure(for: text))")
            }
            configuration.database = database
        }
    }
}
