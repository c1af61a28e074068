import FoundationEssentials

/// The line that a person watches while codes are loaded: how far, how fast, and how long still.
struct CodesProgress {
    private let began = ContinuousClock.now
    private var stepBegan = ContinuousClock.now
    private var told = ContinuousClock.now
    private var step = ""

    /// The line, when it is time for the next one; `done` of `total` are codes or bytes, and `total` is 0 when nobody
    /// knows how much there is.
    mutating func text(_ step: String, codes: Int64, done: Int64, of total: Int64) -> String? {
        let now = ContinuousClock.now
        if step != self.step {
            self.step = step
            stepBegan = now
        }
        guard now - told >= .milliseconds(200) else { return nil }
        told = now
        let seconds = max(0.001, Double((now - stepBegan) / .milliseconds(1)) / 1000)
        var text = "\(step): \(codes) codes, \(Int(Double(codes) / seconds)) a second"
        if total > 0, done > 0 {
            let left = seconds * Double(total - min(done, total)) / Double(done)
            text += ", \(100 * min(done, total) / total) %, \(Int(left.rounded(.up))) s left"
        }
        return text
    }
}
