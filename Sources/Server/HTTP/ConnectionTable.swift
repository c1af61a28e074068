import Synchronization

/// Every open connection, and how many each network has.
final class ConnectionTable: Sendable {
    private let exempt: TrustedProxies
    private let contents = Mutex(Contents())

    private struct Contents {
        var connections: [ObjectIdentifier: Entry] = [:]
        var perNetwork: [IPAddress: Int] = [:]
    }

    private struct Entry {
        let connection: ClientConnection
        /// As it was when it opened: a reload meanwhile may exempt its address, or no longer.
        let isCounted: Bool
    }

    /// A table that does not count connections from `exempt`, nor from this machine: behind a proxy all clients
    /// share its address.
    init(exempt: TrustedProxies) {
        self.exempt = exempt
    }

    /// Whether one more connection of `peer` may be opened.
    func hasRoom(for peer: IPAddress) -> Bool {
        guard isCounted(peer) else { return true }
        return contents.withLock { $0.perNetwork[peer.network, default: 0] < Limits.connectionsPerNetwork }
    }

    func insert(_ connection: ClientConnection) {
        let isCounted = isCounted(connection.peer)
        contents.withLock { contents in
            contents.connections[ObjectIdentifier(connection)] = Entry(connection: connection, isCounted: isCounted)
            if isCounted { contents.perNetwork[connection.peer.network, default: 0] += 1 }
        }
    }

    func remove(_ connection: ClientConnection) {
        contents.withLock { contents in
            let entry = contents.connections.removeValue(forKey: ObjectIdentifier(connection))
            guard entry?.isCounted == true else { return }
            let left = contents.perNetwork[connection.peer.network, default: 0] - 1
            contents.perNetwork[connection.peer.network] = left > 0 ? left : nil
        }
    }

    /// Every connection of this moment; a copy, so that loops that open and close others never wait for the sweeper.
    var all: [ClientConnection] { contents.withLock { $0.connections.values.map(\.connection) } }

    private func isCounted(_ peer: IPAddress) -> Bool {
        !peer.isLoopback && !exempt.current.contains { $0.contains(peer) }
    }
}
