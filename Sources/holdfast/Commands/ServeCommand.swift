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
    static let clockStart = Option.instant(
        "clock-start", help: "begin at this instant instead of now, for rehearsals in Sandbox")
    static let allowShiftedClock = Option.flag(
        "allow-shifted-clock", help: "shift the clock although an app lists Production")

    static let command = Command(
        "serve",
        summary: "Run the service",
        details: """
            Reads the configuration, the catalogues and the keys, tells every fault in them at once, opens or upgrades \
            the database, and answers on one address. Logs are JSON lines on standard error.

            SIGTERM and SIGINT stop it: it answers what it has accepted and ends with 0.
            """,
        options: [listen, database, clockStart, allowShiftedClock],
        examples: [Example("holdfast serve --config reader/holdfast.yaml", "serve what the file configures")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        var configuration = try arguments.configuration()
        try arguments.replace(in: &configuration)
        let shift = try clockShift(arguments, configuration)
        let server = try start(configuration, environment: .system(shiftedBy: shift), output)
        output.write("serving on http://\(ListenAddress(address: configuration.listen.address, port: server.port))\n")
        output.flush()
        StopSignal.wait()
        server.stop()
        output.write("stopped\n")
        return .done
    }

    /// Loads what `configuration` names and starts to serve it; the demo starts the same way.
    static func start(
        _ configuration: Configuration, environment: Server.Environment, _ output: Output
    ) throws(CommandError) -> RunningServer {
        let loaded: LoadedApps
        do {
            loaded = try LoadedApps(configuration, variables: ProcessInfo.processInfo.environment)
        } catch {
            throw .diagnosed("\(error)".split(separator: "\n").map(String.init))
        }
        for warning in configuration.warnings + loaded.warnings {
            output.note(warning.line(path: configuration.path) + "\n")
        }
        // Before any thread is made, so that every thread leaves these signals to `StopSignal.wait`.
        StopSignal.block()
        do {
            return try RunningServer(
                apps: loaded.apps, verifier: loaded.verifier, database: try sqlitePath(configuration),
                socket: try ListeningSocket(configuration.listen), trustedProxies: configuration.trustedProxies,
                environment: environment, log: Log())
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed(error)
        }
    }

    private static func sqlitePath(_ configuration: Configuration) throws(CommandError) -> String {
        switch configuration.database {
        case .sqlite(let path): return path
        case .postgresql:
            throw .failed("a PostgreSQL database is not supported yet; name a file as 'database: sqlite:PATH'")
        }
    }

    private static func clockShift(
        _ arguments: Arguments, _ configuration: Configuration
    ) throws(CommandError) -> Int64 {
        guard let start = arguments.instant(clockStart) else { return 0 }
        let live = configuration.apps.first { $0.environments.contains(.production) }
        if let live, !arguments.has(allowShiftedClock) {
            throw .refused(
                "'\(live.bundleId)' lists Production, where a shifted clock signs offers that StoreKit refuses; "
                    + "leave '--clock-start' out, or add '--allow-shifted-clock'")
        }
        return start.millisecondsSince1970 - Instant(Date()).millisecondsSince1970
    }
}

extension Arguments {
    /// Puts `--listen` and `--database` in the place of what the file says.
    fileprivate func replace(in configuration: inout Configuration) throws(CommandError) {
        if let text = text(ServeCommand.listen) {
            guard let address = ListenAddress(text) else {
                throw wrongUsage("'\(text)' is no address; write \(ListenAddress.expected)")
            }
            configuration.listen = address
        }
        if let text = text(ServeCommand.database) {
            let folder = FileManager.default.currentDirectoryPath
            guard let database = Configuration.Database(text, folder: folder) else {
                throw wrongUsage("'--database' takes \(Configuration.Database.expected)")
            }
            configuration.database = database
        }
    }
}
