/// How often values fell into fixed ranges, as Prometheus keeps it; whole numbers inside, scaled when told.
struct Histogram: Sendable {
    /// The upper end of each range, inclusive and ascending; one more range takes the rest.
    let bounds: [UInt64]
    /// What one unit of the metric is in values: a billion for seconds kept as nanoseconds.
    let valuesPerUnit: Double
    /// By range, not summed up; the last is that of the rest.
    private(set) var counts: [Int]
    private(set) var sum: UInt64 = 0

    init(bounds: [UInt64], valuesPerUnit: Double = 1) {
        self.bounds = bounds
        self.valuesPerUnit = valuesPerUnit
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    /// Durations, told in seconds: from half a millisecond, below which nobody waits, to ten seconds.
    static let durations = Histogram(
        bounds: [
            500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000,
            500_000_000, 1_000_000_000, 2_500_000_000, 10_000_000_000,
        ], valuesPerUnit: 1_000_000_000)

    /// Requests of one batch of the lane, up to the largest there is.
    static let batchSizes = Histogram(bounds: [1, 2, 4, 8, 16, 32, 64, UInt64(Limits.laneBatch)])

    mutating func record(_ value: UInt64) {
        // A dozen bounds are walked faster than they are halved.
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        counts[index] += 1
        sum &+= value
    }
}
