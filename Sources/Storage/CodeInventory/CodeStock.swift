public import CampaignCore

/// What is left of one offer, over all its batches.
public struct CodeStock: Hashable, Sendable {
    public let pool: CodePool
    public let free: Int64
    /// Of the free ones, those that are given now: they expire after the margin.
    public let claimable: Int64
    /// Codes that customers have.
    public let claimed: Int64
    /// Of the free ones.
    public let expiringIn7Days: Int64
    public let expiringIn30Days: Int64
    /// In the last seven days, by whole hours.
    public let claimedIn7Days: Int64
    /// Subscriptions that redeemed a code of the offer, ours or not.
    public let redemptions: CodeRedemptionCount
    /// Below so many claimable codes somebody should load more; nil for an offer that nobody watches.
    public let lowStockThreshold: Int64?
    public let drain: CodeDrain

    /// How many whole days the claimable codes last at the pace of the last seven; nil when nobody claimed any.
    public var daysLeft: Int64? { claimedIn7Days == 0 ? nil : claimable * 7 / claimedIn7Days }

    public var isLow: Bool { lowStockThreshold.map { claimable < $0 } ?? false }

    /// As `codes status` and the route of batches write it.
    public var json: JSON {
        [
            "offer": .string(pool.offer.rawValue), "bundleId": .string(pool.bundleId.rawValue),
            "environment": .string(pool.environment.rawValue), "free": .integer(free),
            "claimable": .integer(claimable), "claimed": .integer(claimed),
            "expiringIn7Days": .integer(expiringIn7Days), "expiringIn30Days": .integer(expiringIn30Days),
            "claimedIn7Days": .integer(claimedIn7Days), "daysLeft": daysLeft.map(JSON.integer) ?? .null,
            "redemptions": .integer(redemptions.all), "probableRedemptions": .integer(redemptions.probable),
            "lowStockThreshold": lowStockThreshold.map(JSON.integer) ?? .null, "isLow": .bool(isLow),
            "isDrainingFast": .bool(drain.isUnusual),
        ]
    }
}

/// How the stock of one offer is judged.
public struct CodeStockRule: Hashable, Sendable {
    /// Below so many claimable codes it is low; nil for one that nobody watches.
    public let lowStockThreshold: Int64?
    /// A code is no longer given this long before it expires.
    public let expiryMarginMilliseconds: Int64

    public init(lowStockThreshold: Int64?, expiryMarginMilliseconds: Int64) {
        self.lowStockThreshold = lowStockThreshold
        self.expiryMarginMilliseconds = expiryMarginMilliseconds
    }

    /// Of an app that is not configured.
    public static let none = CodeStockRule(lowStockThreshold: nil, expiryMarginMilliseconds: 0)
}

/// How many subscriptions redeemed a code of an offer.
public struct CodeRedemptionCount: Hashable, Sendable {
    public var all: Int64 = 0
    /// Those that are probably of a code that we gave to that customer.
    public var probable: Int64 = 0
}

/// Everything about codes but the codes themselves.
public struct CodeInventory: Hashable, Sendable {
    public let batches: [CodeBatchStatus]
    public let stocks: [CodeStock]
    public let customCodes: [CustomCode]

    /// The members that `codes status` and the route of batches share.
    public var json: [JSON.Member] {
        [
            .init("batches", .array(batches.map(\.json))), .init("offers", .array(stocks.map(\.json))),
            .init("customCodes", .array(customCodes.map(\.json))),
        ]
    }
}

extension Store {
    /// The inventory of one app, or of all.
    ///
    /// - Parameter rule: how the stock of a pool is judged.
    public func codeInventory(
        of bundleId: BundleID? = nil, now: Instant, rule: (CodePool) -> CodeStockRule
    ) throws(StorageError) -> CodeInventory {
        let isWanted = { (found: BundleID) in bundleId == nil || found == bundleId }
        let batches = try codeBatches(now: now).filter { isWanted($0.bundleId) }
        return CodeInventory(
            batches: batches,
            stocks: try codeStocks(
                of: batches, redemptions: codeRedemptions().filter { isWanted($0.key.bundleId) }, now: now,
                rule: rule),
            customCodes: try customCodes().filter { isWanted($0.bundleId) })
    }

    /// Each pool with a batch, in the order of the batches, then those that are known from `redemptions` alone.
    public func codeStocks(
        of batches: [CodeBatchStatus], redemptions: [CodePool: CodeRedemptionCount], now: Instant,
        rule: (CodePool) -> CodeStockRule
    ) throws(StorageError) -> [CodeStock] {
        let hour = now.millisecondsSince1970 / CodeDrain.hourMilliseconds
        let claims = try codeClaims(sinceHour: hour - 1 - CodeDrain.hoursBefore)
        var order: [CodePool] = []
        var byPool: [CodePool: [CodeBatchStatus]] = [:]
        for batch in batches {
            let pool = CodePool(bundleId: batch.bundleId, environment: batch.environment, offer: batch.offer)
            if byPool[pool] == nil { order.append(pool) }
            byPool[pool, default: []].append(batch)
        }
        let others = redemptions.keys.filter { byPool[$0] == nil }
            .sorted {
                ($0.bundleId, $0.environment.rawValue, $0.offer) < ($1.bundleId, $1.environment.rawValue, $1.offer)
            }
        return (order + others).map { pool in
            let batches = byPool[pool] ?? []
            let free = batches.reduce(0) { $0 + $1.free }
            let byHour = claims[pool] ?? [:]
            let rule = rule(pool)
            let margin = now.adding(milliseconds: rule.expiryMarginMilliseconds)
            let claimable = batches.reduce(0) { $1.expiresDate > margin ? $0 + $1.free : $0 }
            func expiring(withinDays days: Int64) -> Int64 {
                batches.filter { $0.expiresDate <= now.adding(milliseconds: days * CodeLimits.dayMilliseconds) }
                    .reduce(0) { $0 + $1.free }
            }
            return CodeStock(
                pool: pool, free: free, claimable: claimable, claimed: batches.reduce(0) { $0 + $1.claimed },
                expiringIn7Days: expiring(withinDays: 7), expiringIn30Days: expiring(withinDays: 30),
                claimedIn7Days: byHour.filter { $0.key > hour - CodeDrain.hoursBefore }.reduce(0) { $0 + $1.value },
                redemptions: redemptions[pool] ?? CodeRedemptionCount(),
                lowStockThreshold: batches.isEmpty ? nil : rule.lowStockThreshold,
                drain: CodeDrain(free: claimable, claimedByHour: byHour, now: now))
        }
    }
}

extension CodeBatchStatus {
    /// `ready`, `exhausted`, `expired` or `void`.
    public var state: String { isVoid ? "void" : isExpired ? "expired" : free == 0 ? "exhausted" : "ready" }

    public var json: JSON {
        [
            "batch": .string(batch), "bundleId": .string(bundleId.rawValue),
            "environment": .string(environment.rawValue), "productId": .string(productId.rawValue),
            "offer": .string(offer.rawValue), "total": .integer(total), "free": .integer(free),
            "claimed": .integer(claimed), "void": .integer(void), "expired": .integer(expired),
            "expiresDate": .instant(expiresDate), "state": .string(state),
        ]
    }
}

extension CustomCode {
    /// The code itself is masked.
    public var json: JSON {
        [
            "code": .string(code.masked), "bundleId": .string(bundleId.rawValue),
            "environment": .string(environment.rawValue), "productId": .string(productId.rawValue),
            "offer": .string(offer.rawValue), "redemptionLimit": .integer(redemptionLimit),
            "expiresDate": .instant(expiresDate),
        ]
    }
}
