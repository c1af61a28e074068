/// What a number of a signature says about its unit.
enum SignatureClock {
    /// Whether `value` can only be seconds: as milliseconds it would lie within three years of 1970.
    static func isInSeconds(_ value: Int64) -> Bool { value.magnitude < 100_000_000_000 }
}
