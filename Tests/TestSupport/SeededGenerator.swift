import Foundation

/// SplitMix64: the same seed gives the same numbers, so a failing property can be run again.
///
/// A property test prints its seed and takes it from `HOLDFAST_SEED` when that is set.
public struct SeededGenerator: RandomNumberGenerator {
    public let seed: UInt64
    private var state: UInt64

    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// The seed of a property test: `HOLDFAST_SEED` when it is set, else a new one; the test prints it.
public func propertySeed() -> UInt64 {
    ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init(_:)) ?? UInt64.random(in: 0...(.max))
}
