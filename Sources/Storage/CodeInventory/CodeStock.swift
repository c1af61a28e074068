public import CampaignCore

/// What is left of one offer, over all its batches.
public struct CodeStock: Hashable, Sendable {
    public let pool: CodePool
    public let free: Int64
    /// Of the free ones.
    public let expiringIn7Days: Int64
    public let expiringIn30Days: Int64
    public let claimedIn7Days: Int64

    /// How far back the present pace looks.
    public static let paceMilliseconds = 7 * CodeLimits.dayMilliseconds

    /// How many whole days the free codes last at the pace of the last seven; nil when nobody claimed any.
    public var daysLeft: Int64? { claimedIn7Days == 0 ? nil : free * 7 / claimedIn7Days }

    /// Each offer of `batches`, in their order; `pace` counts the claims of the last seven days.
    public static func stocks(of batches: [CodeBatchStatus], pace: [CodePool: Int64]) -> [CodeStock] {
        var order: [CodePool] = []
        var byPool: [CodePool: [CodeBatchStatus]] = [:]
        for batch in batches {
            let pool = CodePool(bundleId: batch.bundleId, environment: batch.environment, offer: batch.offer)
            if byPool[pool] == nil { order.append(pool) }
            byPool[pool, default: []].append(batch)
        }
        return order.map { pool in
            let batches = byPool[pool] ?? []
            func free(within days: Int64) -> Int64 {
                batches.filter { $0.expiresDate <= $0.asOf.adding(milliseconds: days * CodeLimits.dayMilliseconds) }
                    .reduce(0) { $0 + $1.free }
            }
            return CodeStock(
                pool: pool, free: batches.reduce(0) { $0 + $1.free }, expiringIn7Days: free(within: 7),
                expiringIn30Days: free(within: 30), claimedIn7Days: pace[pool] ?? 0)
        }
    }

    /// As `codes status` and the route of batches write it.
    public var json: JSON {
        [
            "offer": .string(pool.offer.rawValue), "bundleId": .string(pool.bundleId.rawValue),
            "environment": .string(pool.environment.rawValue), "free": .integer(free),
            "expiringIn7Days": .integer(expiringIn7Days), "expiringIn30Days": .integer(expiringIn30Days),
            "claimedIn7Days": .integer(claimedIn7Days), "daysLeft": daysLeft.map(JSON.integer) ?? .null,
        ]
    }
}
