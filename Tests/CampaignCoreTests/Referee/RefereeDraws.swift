import CampaignCore
import TestSupport

/// Draws that cost little in a debug build, of which a case takes some hundred.
struct RefereeDraws {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// 0 up to `bound`, which it is not.
    mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: generator.next() >> 33) % bound }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// `values` without some of them, in another order.
    mutating func some<Value>(of values: [Value], percent: Int) -> [Value] {
        var some: [Value] = []
        for value in values where chance(percent) { some.insert(value, at: below(some.count + 1)) }
        return some
    }

    /// A millisecond before, at, or a millisecond after, where most mistakes are.
    mutating func edge() -> Int64 { Int64(below(3) - 1) }
}

let minute: Int64 = 60 * 1000
let hour = 60 * minute
let day = 24 * hour
