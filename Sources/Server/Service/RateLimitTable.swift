import CampaignCore

/// The buckets of everyone who asked lately, in bounded memory.
///
/// There are two generations. Who asks is moved to the young one; when that is full, or as old as a bucket takes to
/// fill, it becomes the old one, and what was in the old one is forgotten. So a bucket is forgotten either when it is
/// full, which changes nothing, or when more than `capacity` others asked after it.
struct RateLimitTable<Name: Hashable & Sendable>: Sendable {
    private let limit: RateLimit
    private let capacity: Int
    private var young: [Name: RateLimitBucket] = [:]
    private var old: [Name: RateLimitBucket] = [:]
    private var youngSince: Instant?

    init(_ limit: RateLimit, capacity: Int) {
        self.limit = limit
        self.capacity = capacity
    }

    /// How many buckets are remembered: at most twice `capacity`.
    var count: Int { young.count + old.count }

    /// Takes a token of `name` and gives nil; or gives the milliseconds after which there is one.
    mutating func take(_ name: Name, now: Instant) -> Int64? {
        turnGeneration(now: now)
        var bucket = young[name] ?? old.removeValue(forKey: name) ?? RateLimitBucket(now: now)
        let wait = bucket.take(limit, now: now)
        young[name] = bucket
        return wait
    }

    private mutating func turnGeneration(now: Instant) {
        let since = youngSince ?? now
        let age = now.millisecondsSince1970 - since.millisecondsSince1970
        // A negative age is a clock that was set back.
        if young.count >= capacity || age >= limit.fillMilliseconds || age < 0 {
            old = young
            young = [:]
            youngSince = now
        } else {
            youngSince = since
        }
    }
}
