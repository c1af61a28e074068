public import AppStore
import CampaignCore
public import Storage

/// The whole service on one address: database, lane, event loops.
public final class RunningServer {
    /// The port it listens on, also when any free one was asked for.
    public let port: UInt16
    private let http: HTTPServer

    /// Opens the database, upgrades it, and starts to answer.
    ///
    /// Errors: what the database or the address refuses; then nothing is left running.
    public init(
        apps: [App], verifier: SignedDataVerifier, database path: String, socket: ListeningSocket,
        trustedProxies: [AddressRange] = [], deadlines: ConnectionDeadlines = .standard, environment: Environment,
        log: Log
    ) throws(StartError) {
        let lane: DatabaseLane
        do throws(StorageError) {
            lane = try DatabaseLane { () throws(StorageError) in
                LaneContext(store: try Store(path, now: environment.now()), environment: environment, log: log)
            }
        } catch {
            throw .storage(error)
        }
        let service = Service(
            apps: apps, verifier: verifier, readers: ReaderPool(path: path), environment: environment, log: log)
        do throws(ServerError) {
            http = try HTTPServer(socket: socket, lane: lane, trustedProxies: trustedProxies, deadlines: deadlines) {
                service.begin($0)
            }
        } catch {
            lane.stop()
            throw .server(error)
        }
        port = http.port
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

    /// Takes no new requests, answers those it has, and closes everything.
    public func stop() {
        http.stop()
    }
}
