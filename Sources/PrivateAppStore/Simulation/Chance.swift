import CampaignCore
import FoundationEssentials

/// The dice of one simulated life.
struct Chance {
    private var random: SplitMix64

    /// Each subscriber has dice of its own, and each purpose too: what is drawn for one does not move the others.
    init(seed: UInt64, index: Int, purpose: UInt64) {
        var mixing = SplitMix64(seed: seed ^ purpose &* 0xd6e8_feb8_6659_fd93)
        random = SplitMix64(seed: mixing.next() &+ UInt64(truncatingIfNeeded: index) &* 0xd134_2543_de82_ef95)
    }

    /// From 0 to under 1.
    mutating func share() -> Double { Double(random.next() >> 11) * 0x1p-53 }

    /// True in `share` of the cases.
    mutating func happens(_ share: Double) -> Bool { self.share() < share }

    mutating func number(in range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(random.next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    mutating func seconds(_ range: ClosedRange<Int64>) -> Int64 {
        number(in: range.lowerBound * Instant.second...range.upperBound * Instant.second)
    }

    /// Nil when there is nothing to choose from.
    mutating func one<Element>(of choices: [Element]) -> Element? {
        choices.isEmpty ? nil : choices[Int(number(in: 0...Int64(choices.count - 1)))]
    }

    mutating func uuid() -> UUID { random.uuid() }
}
