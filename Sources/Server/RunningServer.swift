public import AppStore
import CampaignCore
public import Storage
import Synchronization

/// The whole service on one address: database, lane, event loops, and what is done beside the requests.
public final class RunningServer: Sendable {
    /// The port it listens on, also when any free one was asked for.
    public let port: UInt16
    private let http: HTTPServer
    private let lane: DatabaseLane
    private let inForce: ServiceInForce
    private let metrics: Metrics
    private let logRetention: LogRetention
    private let stockWatch: CodeStockWatch
    private let environment: Environment
    private let log: Log

    /// Opens the database, upgrades it, and starts to answer.
    ///
    /// Errors: what the database or the address refuses; then nothing is left running.
    public init(
        apps: [App], campaigns: LoadedCampaigns = .empty, verifier: SignedDataVerifier, database path: String,
        socket: ListeningSocket,
        trustedProxies: [AddressRange] = [], deadlines: ConnectionDeadlines = .standard,
        retention: Configuration.Retention = .standard, environment: Environment, log: Log
    ) throws(StartError) {
        let lane: DatabaseLane
        do throws(StorageError) {
            lane = try DatabaseLane { () throws(StorageError) in
                let store = try Store(path, now: environment.now())
                try store.record(campaigns, loadedDate: environment.now())
                return LaneContext(store: store, environment: environment, log: log)
            }
        } catch {
            throw .storage(error)
        }
        let readers = ReaderPool(path: path)
        let logRetention = LogRetention(
            lane: lane, log: log, keptMilliseconds: retention.notificationLogMilliseconds, now: environment.now())
        let metrics = Metrics(
            lane: lane, readers: readers, retention: logRetention, log: log, environment: environment)
        let inForce = ServiceInForce(
            Service(
                apps: apps, campaigns: campaigns, verifier: verifier, readers: readers, environment: environment,
                log: log,
                metrics: metrics))
        let stockWatch = CodeStockWatch(readers: readers, log: log, now: environment.now()) {
            inForce.service.stockRule(of: $0)
        }
        let uploads = CodeUploads { request, uploads in inForce.service.beginUpload(request, of: uploads) }
        do throws(ServerError) {
            http = try HTTPServer(
                socket: socket, lane: lane, trustedProxies: trustedProxies, deadlines: deadlines,
                connections: metrics.connections,
                refused: { request, response in inForce.service.note(response, to: request) },
                everyRound: {
                    let now = environment.now()
                    log.tellLeftOut(at: now)
                    logRetention.look(at: now)
                    stockWatch.look(at: now)
                }, uploads: uploads
            ) { request in
                inForce.service.begin(request)
            }
        } catch {
            lane.stop()
            stockWatch.stop()
            uploads.giveUp()
            throw .server(error)
        }
        port = http.port
        self.lane = lane
        self.inForce = inForce
        self.metrics = metrics
        self.logRetention = logRetention
        self.stockWatch = stockWatch
        self.environment = environment
        self.log = log
    }

    /// Why the service did not start.
    public enum StartError: Error, Hashable, Sendable, CustomStringConvertible {
        case storage(StorageError)
        case server(ServerError)

        public var description: String {
            switch self {
            case .storage(let error): "\(error)"
            case .server(let error): "\(error)"
            }
        }
    }

    /// Answers for `loaded`, and believes `trustedProxies`, from the next request on; those that have begun end with
    /// what they began with. The log is kept as `retention` says.
    public func reload(
        _ loaded: LoadedApps, campaigns: LoadedCampaigns, trustedProxies: [AddressRange],
        retention: Configuration.Retention
    ) {
        record(campaigns)
        logRetention.replace(
            keptMilliseconds: retention.notificationLogMilliseconds, now: environment.now())
        http.replace(trustedProxies: trustedProxies)
        inForce.replace(apps: loaded.apps, campaigns: campaigns, verifier: loaded.verifier)
        metrics.reloaded(at: environment.now())
        metrics.campaignsLoaded(true)
    }

    /// Puts other campaigns in force for the same apps.
    public func replace(campaigns: LoadedCampaigns) {
        record(campaigns)
        inForce.replace(campaigns: campaigns)
        metrics.campaignsLoaded(true)
    }

    /// Notes that campaigns were refused; the old set stays in force.
    public func refuseCampaigns() {
        metrics.campaignsLoaded(false)
    }

    /// Keeps the files for the record, in the lane before any decision by them.
    private func record(_ campaigns: LoadedCampaigns) {
        let now = environment.now()
        lane.submit({ context throws(StorageError) in
            try context.store.record(campaigns, loadedDate: now)
            return .text("")
        }) { [log] response in
            guard response.status >= 500 else { return }
            log.write(.error, "campaignFilesNotRecorded", at: now, [])
        }
    }

    /// Notes that a reload was refused; the old set stays in force.
    public func refuseReload() {
        metrics.reloadRefused()
    }

    /// Takes no new requests, answers those it has, and closes everything.
    public func stop() {
        http.stop()
        stockWatch.stop()
        log.tellLeftOut(at: environment.now(), isLast: true)
        log.flush()
    }
}

/// The one service that new requests begin with; a reload puts another in its place as a whole.
private final class ServiceInForce: Sendable {
    private let current: Mutex<Service>

    init(_ service: Service) {
        current = Mutex(service)
    }

    var service: Service { current.withLock { $0 } }

    func replace(apps: [App], campaigns: LoadedCampaigns, verifier: SignedDataVerifier) {
        current.withLock { $0 = $0.replacing(apps: apps, campaigns: campaigns, verifier: verifier) }
    }

    func replace(campaigns: LoadedCampaigns) {
        current.withLock {
            $0 = $0.replacing(apps: Array($0.apps.values), campaigns: campaigns, verifier: $0.verifier)
        }
    }
}
