import CampaignCore
import FoundationEssentials
import Server
import Storage
import PrivateAppStore

/// `holdfast demo`: the whole product on this machine, without an account at Apple.
enum DemoCommand {
    static let directory = Option.text(
        "directory", "D", help: "keep the demo's files here (default: a temporary folder)")
    static let once = Option.flag("once", help: "do each main job once over HTTP, verify the results, and end")
    static let subscribers = Option.integer(
        "subscribers", "N", in: 1...5_000_000, help: "how many subscribers to make (default 200)")

    static let command = Command(
        "demo",
        summary: "Try everything on this machine with a private App Store",
        details: """
            Makes a signing key, a private App Store, a catalogue and subscribers with a believable year behind them: \
            every notification that the App Store would have sent is signed, verified and folded. Loads offer codes, \
            serves all of it on 127.0.0.1 and prints 'curl' lines that are ready to paste. When port 8080 is taken, another free port is \
            used. Without '--directory' the files are temporary and go away when the demo stops.

            With '--once' each main job is done over HTTP and its result is verified; the exit code is 1 when one fails.
            """,
        options: [directory, once, subscribers, ServeCommand.listen],
        examples: [
            Example("holdfast demo", "serve a demo and print lines to paste"),
            Example("holdfast demo --once", "do each job once, verify it, and end"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let now = Instant(Date())
        let listen = try listenAddress(arguments)
        let folder = try DemoFolder(
            folder: arguments.text(directory), listen: listen, subscriberCount: arguments.integer(subscribers) ?? 200,
            now: now, output: output)
        defer { folder.removeIfTemporary() }
        // Names are never used twice, and a folder may be used again.
        let client = try folder.makeKey(role: .client, name: "demo client \(now)", now: now)
        let device = try folder.makeKey(role: .device, name: "demo device \(now)", now: now)
        let marketer = try folder.makeKey(role: .marketer, name: "demo marketer \(now)", now: now)
        var reload = try serve(arguments, folder, listen, output)
        let server = reload.server
        defer { server.stop() }

        let demo = Demo(
            folder: folder, port: server.port, clientKey: client, deviceKey: device, marketerKey: marketer, now: now)
        if arguments.has(once) {
            let jobs = DemoJobs(demo: demo, environment: .system(), output: output)
            return jobs.run() ? .done : .failed
        }
        try demo.writeNotification()
        _ = try demo.load(Demo.makeCodes(), requestId: Server.Environment.system().makeUUID())
        output.write(DemoPage(demo: demo).text)
        output.flush()
        while true {
            switch StopSignal.next(withinSeconds: Limits.campaignLookSeconds) {
            case nil: reload.look()
            // Its configuration is the demo's own, so there is nothing to read again.
            case .reload: continue
            case .stop:
                output.announce("stopped\n")
                return .done
            }
        }
    }

    private static func listenAddress(_ arguments: Arguments) throws(CommandError) -> ListenAddress? {
        guard let text = arguments.text(ServeCommand.listen) else { return nil }
        guard let address = ListenAddress(text) else {
            throw arguments.wrongUsage("'\(text)' is no address; write \(ListenAddress.expected)")
        }
        return address
    }

    /// Starts the service as `serve` would; only a demo without an address of its own may take another port.
    private static func serve(
        _ arguments: Arguments, _ folder: DemoFolder, _ listen: ListenAddress?, _ output: Output
    ) throws(CommandError) -> ServeReload {
        var configuration: Configuration
        do {
            configuration = try Configuration.read(path: folder.configurationPath)
        } catch {
            throw .diagnosed("\(error)".split(separator: "\n").map(String.init))
        }
        if let listen {
            configuration.listen = listen
        } else if !ListeningSocket.isFree(configuration.listen) {
            configuration.listen = ListenAddress(address: configuration.listen.address, port: 0)
        }
        return try ServeCommand.start(arguments, configuration, environment: .system(), output)
    }
}
