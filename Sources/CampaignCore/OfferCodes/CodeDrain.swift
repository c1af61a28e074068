/// How fast the codes of one offer were claimed lately, beside the week before.
public struct CodeDrain: Hashable, Sendable {
    /// Codes that nobody has.
    public let free: Int64
    /// In this hour so far and the one before it.
    public let claimedLately: Int64
    /// How long that is, one to two hours.
    public let latelyMilliseconds: Int64
    /// In the week before those hours.
    public let claimedBefore: Int64

    /// - Parameter claimedByHour: claims by the number of their hour since 1970.
    public init(free: Int64, claimedByHour: [Int64: Int64], now: Instant) {
        let hour = now.millisecondsSince1970 / Self.hourMilliseconds
        self.free = free
        claimedLately = claimedByHour[hour, default: 0] + claimedByHour[hour - 1, default: 0]
        latelyMilliseconds = now.millisecondsSince1970 - (hour - 1) * Self.hourMilliseconds
        claimedBefore = claimedByHour.filter { (hour - 1 - Self.hoursBefore..<hour - 1).contains($0.key) }
            .reduce(0) { $0 + $1.value }
    }

    /// Whether the pool drains so fast that somebody should look: ten times the pace of the week before, many codes, and
    /// none left within a day if it goes on.
    ///
    /// A mailing drains a pool as fast, once; a leaked link or a script does not stop.
    public var isUnusual: Bool {
        let lately = Double(claimedLately) / Double(latelyMilliseconds)
        let before = Double(claimedBefore) / Double(Self.hoursBefore * Self.hourMilliseconds)
        return claimedLately >= Limits.unusualClaims && lately > Limits.unusualPace * before
            && Double(free) < lately * Double(Self.hourMilliseconds * 24)
    }

    public static let hourMilliseconds: Int64 = 60 * 60 * 1000
    /// The hours of the week that is compared with.
    public static let hoursBefore: Int64 = 7 * 24
}
