import CampaignCore
import PrivateAppStore

/// What was simulated, counted while it is written.
struct SimulationSummary {
    private(set) var subscribers = 0
    private(set) var notifications = 0
    private(set) var repeats = 0
    private var byType: [String: Int] = [:]
    private var byStatus: [SubscriptionStatus.State: Int] = [:]
    private var cancelled = 0

    mutating func add(_ life: SimulatedLife, _ truth: SimulatedTruth) {
        subscribers += 1
        byStatus[truth.status, default: 0] += 1
        if truth.status == .active, truth.autoRenewStatus == .off { cancelled += 1 }
    }

    mutating func add(_ delivery: Delivery) {
        notifications += 1
        guard !delivery.isRepeat else {
            repeats += 1
            return
        }
        let notification = delivery.event.notification
        let words = [notification.notificationType, notification.subtype].compactMap { $0 }
        byType[words.joined(separator: "/"), default: 0] += 1
    }

    func text(of simulation: Simulation) -> String {
        var text = "\(notifications) notifications of \(subscribers) subscribers, \(repeats) of them repeats, "
        text += "from \(simulation.starts) to \(simulation.ends)\n"
        for (type, count) in byType.sorted(by: { $0.key < $1.key }) { text += Self.line(count, type) }
        text += "at the end\n"
        for status in SubscriptionStatus.State.allCases {
            let note = status == .active ? ", \(cancelled) of them with auto-renew off" : ""
            text += Self.line(byStatus[status] ?? 0, status.rawValue + note)
        }
        return text
    }

    private static func line(_ count: Int, _ name: String) -> String {
        let digits = String(count)
        return String(repeating: " ", count: max(0, 10 - digits.count)) + "\(digits)  \(name)\n"
    }
}
