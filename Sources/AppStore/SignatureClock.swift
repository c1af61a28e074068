/// What a number of a signature says about its unit.
enum SignatureClock {
    /// Whether `value` can only be seconds: as milliseconds it would lie before 1973.
    static func isInSeconds(_ value: Int64) -> Bool { abs(value) < 100_000_000_000 }

}
