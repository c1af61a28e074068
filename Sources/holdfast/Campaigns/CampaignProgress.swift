/// The line that a person watches while the whole base is read: how many, how fast, and how long still.
struct CampaignProgress {
    let total: Int
    private let began = ContinuousClock.now
    private var told = ContinuousClock.now

    init(total: Int) {
        self.total = total
    }

    /// The line, when it is time for the next one.
    mutating func text(read: Int) -> String? {
        let now = ContinuousClock.now
        guard now - told >= .milliseconds(200), read > 0, total > 0 else { return nil }
        told = now
        let seconds = (now - began) / .seconds(1)
        let left = seconds * Double(max(0, total - read)) / Double(read)
        return "\(read) of \(total) subscribers, \(Int(Double(read) / max(seconds, 0.001))) a second, "
            + "\(Int(left.rounded(.up))) s left"
    }
}
