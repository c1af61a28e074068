import FoundationEssentials

/// The line that a person watches while an import runs: how many, how fast, and how long still.
struct ImportProgress {
    private let began = ContinuousClock.now
    private var told = ContinuousClock.now

    /// The line, when it is time for the next one; `total` is 0 when nobody knows how much there is.
    mutating func text(_ counts: ImportCounts, bytes: Int64, of total: Int64) -> String? {
        let now = ContinuousClock.now
        guard now - told >= .milliseconds(200) else { return nil }
        told = now
        let seconds = Double((now - began).components.seconds) + Double((now - began).components.attoseconds) / 1e18
        var text = "\(counts.read) notifications, \(Int(Double(counts.read) / max(seconds, 0.001))) a second"
        if total > 0, bytes > 0 {
            let left = seconds * Double(total - min(bytes, total)) / Double(bytes)
            text += ", \(100 * min(bytes, total) / total) %, \(Int(left.rounded(.up))) s left"
        }
        return text
    }
}
