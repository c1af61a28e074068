import Synchronization

/// How many connections there are and have been.
final class ConnectionCounts: Sendable {
    private let accepted = Atomic<Int>(0)
    private let closed = Atomic<Int>(0)

    func opened() { accepted.add(1, ordering: .relaxed) }

    func ended() { closed.add(1, ordering: .relaxed) }

    func write(to text: inout PrometheusText) {
        let closed = closed.load(ordering: .relaxed)
        let accepted = accepted.load(ordering: .relaxed)
        text.value("holdfast_connections_open", .gauge, "Connections at this moment.", max(0, accepted - closed))
        text.value("holdfast_connections_accepted_total", .counter, "Connections since the start.", accepted)
    }
}
