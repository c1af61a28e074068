import Synchronization

/// Who is believed in what they forward, and may open any number of connections; a reload replaces the whole list.
final class TrustedProxies: Sendable {
    private let ranges: Mutex<[AddressRange]>

    init(_ ranges: [AddressRange]) {
        self.ranges = Mutex(ranges)
    }

    /// The list in force: to be read once for one decision.
    var current: [AddressRange] { ranges.withLock { $0 } }

    func replace(with ranges: [AddressRange]) {
        self.ranges.withLock { $0 = ranges }
    }
}
