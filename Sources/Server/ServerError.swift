/// Why the server cannot start or go on.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    case notAnAddress(String)
    case cannotListen(host: String, port: UInt16, reason: String)
    case cannotStart(String)

    public var description: String {
        switch self {
        case .notAnAddress(let host):
            "'\(host)' is not a numeric address; listen on one such as '127.0.0.1:8080'"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on '\(host):\(port)': \(reason.lowercased()); stop what uses the port or give another with "
                + "'--listen \(host):PORT'"
        case .cannotStart(let what):
            "cannot start \(what); look at the limits of this process ('ulimit -a')"
        }
    }
}
