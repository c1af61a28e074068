import CampaignCore

/// How many requests at once, and how often one more.
struct RateLimit: Hashable, Sendable {
    let burst: Int
    /// Between two requests at the steady pace.
    let milliseconds: Int64

    /// How long an empty bucket takes to fill; one that nobody has touched for so long is as good as new.
    var fillMilliseconds: Int64 { Int64(burst) * milliseconds }
}

/// A bucket of tokens that fills at a steady pace; each request takes one.
///
/// Kept as the one instant at which it will be full again, so that nothing has to run while nobody asks, and no
/// fraction of a token is ever rounded.
struct RateLimitBucket: Hashable, Sendable {
    private(set) var fullDate: Instant

    /// A full bucket.
    init(now: Instant) {
        fullDate = now
    }

    /// Takes a token and gives nil; or, when there is none, takes nothing and gives the milliseconds until there is one.
    mutating func take(_ limit: RateLimit, now: Instant) -> Int64? {
        // A clock that was set back must not make anybody wait longer than an empty bucket would.
        let latest = now.adding(milliseconds: limit.fillMilliseconds)
        let full = min(max(fullDate, now), latest)
        let after = full.adding(milliseconds: limit.milliseconds)
        guard after <= latest else {
            fullDate = full
            return after.millisecondsSince1970 - latest.millisecondsSince1970
        }
        fullDate = after
        return nil
    }
}
