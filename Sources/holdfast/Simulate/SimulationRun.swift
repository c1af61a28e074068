import CampaignCore
import PrivateAppStore

/// Tells, signs and hands over the notifications of a simulation, a batch of subscribers at a time.
struct SimulationRun {
    let simulation: Simulation
    let options: DeliveryOptions
    let appStore: PrivateAppStore
    let sinks: NotificationSinks
    private(set) var summary = SimulationSummary()

    init(simulation: Simulation, options: DeliveryOptions, appStore: PrivateAppStore, sinks: NotificationSinks) {
        self.simulation = simulation
        self.options = options
        self.appStore = appStore
        self.sinks = sinks
    }

    mutating func write(_ output: Output) throws(CommandError) {
        let isOrdered = simulation.subscriberCount <= Limits.orderedSubscribers
        let step = isOrdered ? simulation.subscriberCount : Limits.simulatedBatch
        for first in stride(from: 0, to: simulation.subscriberCount, by: step) where output.isOpen {
            var deliveries: [Delivery] = []
            for index in first..<min(first + step, simulation.subscriberCount) {
                let life = simulation.life(index)
                deliveries += simulation.deliveries(of: life, options)
                guard let truth = life.truth(at: simulation.ends) else { continue }
                summary.add(life, truth)
                try sinks.write(truth, of: life)
            }
            if isOrdered { deliveries.sort { $0.deliveredDate < $1.deliveredDate } }
            try hand(deliveries, over: output)
        }
    }

    private mutating func hand(_ deliveries: [Delivery], over output: Output) throws(CommandError) {
        // The App Store repeats what it signed before, byte for byte; a second signature would be another payload.
        var awaitingRepeat = Dictionary(
            deliveries.filter(\.isRepeat).map { ($0.event.notification.notificationUUID, "") },
            uniquingKeysWith: { first, _ in first })
        for first in stride(from: 0, to: deliveries.count, by: Limits.signedAtOnce) where output.isOpen {
            let some = deliveries[first..<min(first + Limits.signedAtOnce, deliveries.count)]
            var payloads = try Self.signed(some.filter { !$0.isRepeat }, by: appStore).makeIterator()
            for delivery in some {
                summary.add(delivery)
                let uuid = delivery.event.notification.notificationUUID
                let known = delivery.isRepeat ? awaitingRepeat.removeValue(forKey: uuid) : payloads.next()
                guard let payload = known else { continue }
                if !delivery.isRepeat, awaitingRepeat[uuid] != nil { awaitingRepeat[uuid] = payload }
                try sinks.write(payload, output)
            }
            output.progress("simulate: \(summary.subscribers) subscribers, \(summary.notifications) notifications")
        }
    }

    /// Signs on every core; the payloads are in the order of the deliveries.
    static func signed(
        _ deliveries: [Delivery], by appStore: PrivateAppStore
    ) throws(CommandError) -> [String] {
        try onEveryCore(deliveries, sliceBy: Limits.signedBySlice) { some in
            let signer = NotificationSigner(appStore)
            return try some.map { try signer.signedPayload($0.event) }
        }
    }
}
