import CampaignCore
import FoundationEssentials
import PrivateAppStore
import Server

/// `holdfast simulate`: the notifications that the App Store would send about made-up subscribers, signed.
enum SimulateCommand {
    private static let subscribers = Option.integer(
        "subscribers", "N", in: 1...5_000_000, help: "how many subscribers to make", isRequired: true)
    private static let seed = Option.integer(
        "seed", "S", in: 0...Int.max, help: "another seed makes other histories (default 1)")
    private static let from = Option.instant("from", help: "when it begins (default '--days' before now)")
    private static let days = Option.integer("days", "D", in: 1...3650, help: "how long it takes (default 365)")
    private static let delays = Option.flag(
        "delays", help: "some attempts fail, and arrive by Apple's retries after 1, 12, 24, 48 and 72 hours")
    private static let repeats = Option.integer(
        "repeats", "PERCENT", in: 0...100, help: "how many notifications arrive twice (default 0)")
    private static let reorder = Option.flag("reorder", help: "some notifications arrive after the one that follows")
    private static let output = Option.text(
        "output", "FILE", help: "write JSON Lines there, '-' for standard output (default without '--post')")
    private static let post = Option.text(
        "post", "URL", help: "post them to a server on this machine, such as http://127.0.0.1:8080")
    private static let truth = Option.text(
        "truth", "FILE", help: "write what is true of each subscriber at the end, as CSV")
    private static let appStore = Option.text(
        "app-store", "DIR",
        help: "the private App Store that signs; made when absent (default 'app-store' beside the configuration)")

    static let command = Command(
        "simulate",
        summary: "Make signed notifications for N subscribers over a period",
        details: """
            Tells believable lives of subscribers of the configured app (trials, renewals, cancellations, failed \
            payments, refunds, changes of plan, win-backs) and writes each notification that the App Store would send, \
            one '{"signedPayload": ...}' a line. The same options give the same histories; signatures differ each time. \
            Up to \(Limits.orderedSubscribers) subscribers are written in order of arrival, more of them one after \
            the other.

            A private App Store signs, so the service must trust its root: name 'root.pem' of that folder under \
            'trust: rootCertificates'. '--truth' tells what the lives themselves know at the end, to check a service \
            against. A summary goes to standard error.
            """,
        options: [
            subscribers, seed, from, days, delays, repeats, reorder, output, post, truth, appStore, .app, .environment,
        ],
        examples: [
            Example("holdfast simulate --subscribers 100 --output year.jsonl", "a year of a hundred subscribers"),
            Example(
                "holdfast simulate --subscribers 1000 --delays --repeats 5 --reorder --post http://127.0.0.1:8080",
                "the same for more, as a bad network delivers it to a server"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let configuration = try arguments.configuration(requiringFiles: false)
        let app = try arguments.app(of: configuration)
        let simulation = try simulation(arguments, app)
        let store = try openAppStore(arguments, configuration, output)
        let options = DeliveryOptions(
            delays: arguments.has(delays), repeats: Double(arguments.integer(repeats) ?? 0) / 100,
            reorders: arguments.has(reorder))
        let sinks = try NotificationSinks(
            file: arguments.text(Self.output), post: arguments.text(post), truth: arguments.text(truth),
            arguments: arguments, output: output)
        var run = SimulationRun(simulation: simulation, options: options, appStore: store, sinks: sinks)
        try run.write(output)
        output.progress("")
        output.note(run.summary.text(of: simulation))
        return try sinks.finish(output)
    }

    private static func simulation(
        _ arguments: Arguments, _ app: Configuration.App
    ) throws(CommandError) -> Simulation {
        let environment = arguments.text(.environment).map(AppStoreEnvironment.init(rawValue:)) ?? .production
        guard app.environments.contains(environment) else {
            throw .refused("app '\(app.bundleId)' does not list '\(environment)'; add it to its 'environments'")
        }
        let products = try app.readCatalog().subscriptions.map { SimulatedProduct($0, currency: "USD") }
        guard !products.isEmpty else {
            throw .refused("'\(app.catalog.path)' has no subscription; add one to simulate its subscribers")
        }
        let span = Int64(arguments.integer(days) ?? 365) * 24 * 60 * 60 * 1000
        let starts = arguments.instant(from) ?? Instant(Date()).adding(milliseconds: -span)
        var behaviour = SimulatedBehaviour.believable
        behaviour.gracePeriodDays = app.gracePeriodDays
        return Simulation(
            bundleId: app.bundleId, appAppleId: app.appAppleId, environment: environment, products: products,
            subscriberCount: arguments.integer(subscribers) ?? 1, seed: UInt64(arguments.integer(seed) ?? 1),
            starts: starts, ends: starts.adding(milliseconds: span), behaviour: behaviour)
    }

    private static func openAppStore(
        _ arguments: Arguments, _ configuration: Configuration, _ output: Output
    ) throws(CommandError) -> PrivateAppStore {
        let beside = configuration.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let folder = arguments.text(appStore) ?? (beside + ["app-store"]).joined(separator: "/")
        let root = "\(withoutTrailingSlashes(folder))/\(PrivateAppStore.rootCertificateFile)"
        let isNew = !fileExists(root)
        do {
            let store = try PrivateAppStore.open(folder: folder, now: Instant(Date()))
            if isNew {
                output.note("made a private App Store; trust it with 'trust: { rootCertificates: [\(root)] }'\n")
            }
            return store
        } catch {
            throw .failed(error)
        }
    }
}
