import CampaignCore
import FoundationEssentials
import PrivateAppStore
import Storage

/// Notifications of real size over HTTP: verified, logged and folded on the disk before they are answered.
enum NotificationBench {
    static let bench = Bench(name: "notifications", summary: "App Store notifications over HTTP, 64 connections") {
        session throws(CommandError) in try run(session)
    }

    private static func run(_ session: BenchSession) throws(CommandError) {
        session.progress("notifications")
        let folder = try DemoFolder(
            folder: nil, listen: nil, subscriberCount: Limits.benchSubscribers, now: session.now)
        defer { folder.removeIfTemporary() }
        let seconds = session.seconds(0.16) + Limits.benchPhaseSeconds
        let wanted = min(Limits.notificationsPrepared, Int(seconds * Limits.notificationsPerSecond))
        let payloads = try signedPayloads(wanted, folder, now: session.now)
        let before = try logSize(folder, now: session.now)
        do {
            let server = try ServerProcess(configuration: folder.configurationPath, log: folder.path + "/serve.log")
            defer { server.stop() }
            let load = try LoadGenerator(port: server.port)
            var requests = LoadRequests(once: payloads.map(request), answerStart: "{\"outcome\":\"")
            // The first ones prove the chain, and grow the database's first pages.
            _ = try load.run(&requests, seconds: Limits.benchPhaseSeconds)
            try session.saturate("notifications", nil, server, load, &requests, .verification, ratio: 3.5)
        }
        let after = try logSize(folder, now: session.now)
        let count = Double(max(1, after.count - before.count))
        func add(_ what: String, _ value: Double) {
            session.add(BenchFigure(bench: "notifications", what: what, value: value, unit: .bytes))
        }
        add("one as it is posted, on average", Double(payloads.reduce(0) { $0 + $1.utf8.count } / payloads.count))
        add("one as the log keeps it", Double(after.bytes - before.bytes) / count)
        add("the database grows by, for each", Double(after.file - before.file) / count)
    }

    /// A year of as many simulated subscribers as have `count` notifications, in the order of their arrival.
    private static func signedPayloads(
        _ count: Int, _ folder: DemoFolder, now: Instant
    ) throws(CommandError) -> [String] {
        guard let catalog = Catalog.read(storeKitFile: Array(DemoCatalog.text.utf8)).catalog else {
            throw .failed("the demo's catalogue cannot be read; this program is broken")
        }
        let simulation = Simulation(
            bundleId: DemoFolder.bundleId, appAppleId: DemoFolder.appAppleId, environment: .production,
            products: catalog.subscriptions.map { SimulatedProduct($0, currency: "USD") },
            subscriberCount: count, seed: 1, starts: now.adding(milliseconds: -360 * Limits.dayMilliseconds), ends: now)
        let subscribers = max(1, count / Limits.notificationsEach)
        let deliveries = simulation.deliveriesInOrder(0..<subscribers)
        return try SimulationRun.signed(Array(deliveries.suffix(count)), by: folder.appStore)
    }

    private static func request(_ payload: String) -> [UInt8] {
        let body = "{\"signedPayload\":\"\(payload)\"}"
        let head =
            "POST /v1/app-store/notifications HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        return Array((head + body).utf8)
    }

    private struct LogSize {
        let count: Int
        let bytes: Int64
        let file: Int64
    }

    /// What the database holds while no server runs on it.
    private static func logSize(_ folder: DemoFolder, now: Instant) throws(CommandError) -> LogSize {
        do {
            let store = try Store(folder.databasePath, now: now)
            let log = try store.notificationLogSize()
            let size = try store.size()
            return LogSize(count: log.count, bytes: log.bytes, file: size.file - size.free)
        } catch {
            throw .failed(error)
        }
    }
}
