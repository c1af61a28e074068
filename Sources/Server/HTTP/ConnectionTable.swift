import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Every open connection, and how many each network has.
///
/// A connection's socket is only closed after it has left the table, so a socket found under the mutex is still its own.
final class ConnectionTable: Sendable {
    private let exempt: [AddressRange]
    private let contents = Mutex(Contents())

    private struct Contents {
        var connections: [ObjectIdentifier: ClientConnection] = [:]
        var perNetwork: [IPAddress: Int] = [:]
    }

    /// A table that does not count connections from `exempt`, nor from this machine: behind a proxy all clients
    /// share its address.
    init(exempt: [AddressRange]) {
        self.exempt = exempt
    }

    var count: Int { contents.withLock { $0.connections.count } }

    /// Whether one more connection of `peer` may be opened.
    func hasRoom(for peer: IPAddress) -> Bool {
        guard isCounted(peer) else { return true }
        return contents.withLock { $0.perNetwork[peer.network, default: 0] < Limits.connectionsPerNetwork }
    }

    func insert(_ connection: ClientConnection) {
        let isCounted = isCounted(connection.peer)
        contents.withLock { contents in
            contents.connections[ObjectIdentifier(connection)] = connection
            if isCounted { contents.perNetwork[connection.peer.network, default: 0] += 1 }
        }
    }

    func remove(_ connection: ClientConnection) {
        let isCounted = isCounted(connection.peer)
        contents.withLock { contents in
            contents.connections[ObjectIdentifier(connection)] = nil
            guard isCounted else { return }
            let left = contents.perNetwork[connection.peer.network, default: 0] - 1
            contents.perNetwork[connection.peer.network] = left > 0 ? left : nil
        }
    }

    /// Cuts every connection whose time is over, and gives the exchanges that must be told that the lane is late.
    func sweep(now: Int64) -> [SuspendedExchange] {
        contents.withLock { contents in
            var late: [SuspendedExchange] = []
            for connection in contents.connections.values {
                switch connection.sweep(now: now) {
                case nil: break
                case .cut: shutdown(connection.descriptor, Int32(SHUT_RDWR))
                case .answerBusy(let exchange): late.append(exchange)
                }
            }
            return late
        }
    }

    private func isCounted(_ peer: IPAddress) -> Bool {
        !peer.isLoopback && !exempt.contains { $0.contains(peer) }
    }
}
