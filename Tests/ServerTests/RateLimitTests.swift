import CampaignCore
import TestSupport
import Testing

@testable import Server

private let start = Instant(millisecondsSince1970: 1_789_041_600_000)

/// A bucket that counts its tokens one by one, and is asked every millisecond; only tests can afford it.
private struct NaiveBucket {
    let limit: RateLimit
    var tokens: Int
    /// Milliseconds that have gone into the next token.
    var progress: Int64 = 0
    var time: Int64 = 0

    mutating func take(at now: Int64) -> Int64? {
        while time < now {
            time += 1
            guard tokens < limit.burst else { continue }
            progress += 1
            if progress == limit.milliseconds {
                tokens += 1
                progress = 0
            }
        }
        guard tokens > 0 else { return limit.milliseconds - progress }
        tokens -= 1
        return nil
    }
}

@Suite struct `A rate limit` {
    @Test(
        arguments: [
            // Milliseconds after the start at which somebody asks, and how long they are told to wait.
            ([0, 0, 0], [nil, nil, nil]),
            ([0, 0, 0, 0], [nil, nil, nil, 100]),
            ([0, 0, 0, 0, 40, 99], [nil, nil, nil, 100, 60, 1]),
            ([0, 0, 0, 100, 100], [nil, nil, nil, nil, 100]),
            ([0, 0, 0, 250, 250, 250], [nil, nil, nil, nil, nil, 50]),
            ([0, 0, 0, 300, 300, 300, 300], [nil, nil, nil, nil, nil, nil, 100]),
            ([0, 0, 0, 1_000_000, 1_000_000, 1_000_000, 1_000_000], [nil, nil, nil, nil, nil, nil, 100]),
            // A clock set back by an hour: what was taken stays taken, and nobody waits for the hour.
            ([3_600_000, 3_600_000, 0, 0, 0, 0], [nil, nil, 100, 100, 100, 100]),
            ([3_600_000, 3_600_000, 0, 100, 100], [nil, nil, 100, nil, 100]),
        ] as [([Int64], [Int64?])])
    func `lets three through at once, then one every 100 ms`(times: [Int64], waits: [Int64?]) {
        var bucket = RateLimitBucket(now: start.adding(milliseconds: times[0]))
        let limit = RateLimit(burst: 3, milliseconds: 100)
        #expect(times.map { bucket.take(limit, now: start.adding(milliseconds: $0)) } == waits)
    }

    @Test func `is the same as counting tokens one by one`() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let limit = RateLimit(
                burst: .random(in: 1...6, using: &generator), milliseconds: .random(in: 1...40, using: &generator))
            var bucket = RateLimitBucket(now: start)
            var naive = NaiveBucket(limit: limit, tokens: limit.burst)
            var time: Int64 = 0
            for _ in 0..<100 {
                time += .random(in: 0...2, using: &generator) == 0 ? .random(in: 0...60, using: &generator) : 0
                let wait = bucket.take(limit, now: start.adding(milliseconds: time))
                #expect(wait == naive.take(at: time), "seed \(seed), \(limit), \(time) ms")
            }
        }
    }

    @Test func `forgets nobody who still has to wait while few ask`() {
        let limit = RateLimit(burst: 2, milliseconds: 1_000)
        var table = RateLimitTable<Int>(limit, capacity: 100)
        var buckets: [Int: RateLimitBucket] = [:]
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for step in 0..<20_000 {
            let (name, now) = (Int.random(in: 0..<50, using: &generator), start.adding(milliseconds: Int64(step) * 7))
            let expected = buckets[name, default: RateLimitBucket(now: now)].take(limit, now: now)
            #expect(table.take(name, now: now) == expected, "seed \(seed), step \(step)")
        }
    }

    @Test func `remembers a bounded number, and those who asked last`() {
        let limit = RateLimit(burst: 1, milliseconds: 60_000)
        var table = RateLimitTable<Int>(limit, capacity: 100)
        for name in 0..<10_000 {
            #expect(table.take(name, now: start) == nil)
            #expect(table.count <= 200)
            #expect(table.take(name, now: start) == 60_000)
        }
        for name in 9_901..<10_000 { #expect(table.take(name, now: start) != nil) }
        #expect(table.take(0, now: start) == nil, "the first was forgotten long ago")
        for minute in 1...3 { _ = table.take(-1, now: start.adding(milliseconds: Int64(minute) * 61_000)) }
        #expect(table.count == 1, "full buckets need not be remembered")
    }
}
