public import CampaignCore

/// One batch with its counts: `total` = free + claimed + void + expired.
public struct CodeBatchStatus: Hashable, Sendable {
    public let bundleId: BundleID
    public let environment: AppStoreEnvironment
    public let productId: ProductID
    public let offer: OfferIdentifier
    public let batch: String
    public let isVoid: Bool
    public let createdDate: Instant
    public let expiresDate: Instant
    public let loadedDate: Instant
    /// Every code that was ever loaded.
    public let total: Int64
    public let claimed: Int64
    public let void: Int64
    /// When the counts were taken.
    public let asOf: Instant

    /// Neither claimed nor void.
    private var unclaimed: Int64 { total - claimed - void }

    public var isExpired: Bool { expiresDate <= asOf }
    /// Codes that a customer can still get, those within the expiry margin among them.
    public var free: Int64 { isExpired ? 0 : unclaimed }
    /// Codes that nobody got in time.
    public var expired: Int64 { isExpired ? unclaimed : 0 }
}

/// A code that many customers may use, up to a limit.
public struct CustomCode: Hashable, Sendable {
    public var bundleId: BundleID
    public var environment: AppStoreEnvironment
    public var productId: ProductID
    public var offer: OfferIdentifier
    public var code: OfferCode
    public var redemptionLimit: Int64
    public var createdDate: Instant
    /// Nil for a code that has no end.
    public var expiresDate: Instant?
    public var timeZone: String

    public init(
        bundleId: BundleID, environment: AppStoreEnvironment, productId: ProductID, offer: OfferIdentifier,
        code: OfferCode, redemptionLimit: Int64, createdDate: Instant, expiresDate: Instant?, timeZone: String
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.productId = productId
        self.offer = offer
        self.code = code
        self.redemptionLimit = redemptionLimit
        self.createdDate = createdDate
        self.expiresDate = expiresDate
        self.timeZone = timeZone
    }
}

extension Store {
    private static let batchStatusColumns = SQL.Fragment(
        """
        app.bundle_id, app.environment, b.product_id, b.offer, b.name, b.state = 'void', b.created_date,
        b.expires_date, b.loaded_date, b.total, b.claimed, b.voided
        """)

    /// Every batch that is loaded, by app, offer and expiry.
    public func codeBatches(now: Instant) throws(StorageError) -> [CodeBatchStatus] {
        try connection.rows(
            """
            SELECT \(raw: Self.batchStatusColumns) FROM code_batch AS b JOIN app ON app.id = b.app_id
            WHERE b.state <> 'loading'
            ORDER BY app.bundle_id, app.environment, b.offer, b.expires_date, b.id
            """
        ) { row throws(StorageError) in
            CodeBatchStatus(
                bundleId: try row.next(), environment: try row.next(), productId: try row.next(),
                offer: try row.next(), batch: try row.next(), isVoid: try row.next(), createdDate: try row.next(),
                expiresDate: try row.next(), loadedDate: try row.next(), total: try row.next(),
                claimed: try row.next(), void: try row.next(), asOf: now)
        }
    }

    /// Codes of each pool that were claimed in each hour since one, hours counted from 1970.
    func codeClaims(sinceHour hour: Int64) throws(StorageError) -> [CodePool: [Int64: Int64]] {
        let rows = try connection.rows(
            """
            SELECT app.bundle_id, app.environment, b.offer, h.hour, sum(h.claimed) FROM code_batch AS b
            JOIN app ON app.id = b.app_id JOIN code_claim_hour AS h ON h.batch_id = b.id AND h.hour >= \(hour)
            GROUP BY app.bundle_id, app.environment, b.offer, h.hour
            """
        ) { row throws(StorageError) in
            (
                pool: CodePool(bundleId: try row.next(), environment: try row.next(), offer: try row.next()),
                hour: try row.next(Int64.self), count: try row.next(Int64.self)
            )
        }
        var claims: [CodePool: [Int64: Int64]] = [:]
        for row in rows { claims[row.pool, default: [:]][row.hour] = row.count }
        return claims
    }

    /// The custom codes of every app, by app and code.
    public func customCodes() throws(StorageError) -> [CustomCode] {
        try connection.rows(
            """
            SELECT app.bundle_id, app.environment, c.product_id, c.offer, c.code, c.redemption_limit, c.created_date,
                c.expires_date, c.time_zone
            FROM custom_code AS c JOIN app ON app.id = c.app_id ORDER BY app.bundle_id, app.environment, c.code
            """
        ) { row throws(StorageError) in
            CustomCode(
                bundleId: try row.next(), environment: try row.next(), productId: try row.next(),
                offer: try row.next(), code: try row.next(), redemptionLimit: try row.next(),
                createdDate: try row.next(), expiresDate: try row.nextIfPresent(), timeZone: try row.next())
        }
    }

    /// Adds a custom code; nil when it was added, else why not.
    public func addCustomCode(_ code: CustomCode, quota: CodeQuota) throws(StorageError) -> CustomCodeRefusal? {
        try connection.transaction { () throws(StorageError) -> CustomCodeRefusal? in
            var known = try KnownCodes(
                batches: knownBatches(of: code.bundleId), customCodes: customCodes(of: code.bundleId), connection)
            let owner = try withCodeBytes(code.code) { bytes throws(StorageError) in try known.owner(of: bytes) }
            if let owner { return .known(owner) }
            if code.environment == .production {
                let quarter = CalendarQuarter(at: code.createdDate, in: quota.zone)
                let use = try codeQuotaUse(bundleId: code.bundleId, quarter: quarter, quota: quota)
                if use.isPassed(by: code.redemptionLimit) {
                    return .quotaPassed(use, asked: code.redemptionLimit, timeZone: quota.zone.name)
                }
            }
            let appId = try madeAppId(code.bundleId, code.environment)
            try connection.run(
                """
                INSERT INTO custom_code (
                    app_id, product_id, offer, code, redemption_limit, created_date, expires_date, time_zone)
                VALUES (
                    \(appId), \(code.productId), \(code.offer), \(code.code), \(code.redemptionLimit),
                    \(code.createdDate), \(code.expiresDate), \(code.timeZone))
                """)
            return nil
        }
    }

    private func withCodeBytes<Value>(
        _ code: OfferCode, _ body: (UnsafeBufferPointer<UInt8>) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        let bytes = Array(code.rawValue.utf8)
        return try bytes.withUnsafeBufferPointer { bytes throws(StorageError) in try body(bytes) }
    }
}

/// All codes of one offer of an app in one environment: what a claim draws from.
public struct CodePool: Hashable, Sendable {
    public let bundleId: BundleID
    public let environment: AppStoreEnvironment
    public let offer: OfferIdentifier

    public init(bundleId: BundleID, environment: AppStoreEnvironment, offer: OfferIdentifier) {
        self.bundleId = bundleId
        self.environment = environment
        self.offer = offer
    }
}

/// Why a custom code was not added.
public enum CustomCodeRefusal: Error, Hashable, Sendable {
    case known(CodeOwner)
    case quotaPassed(CodeQuotaUse, asked: Int64, timeZone: String)
}

extension OfferCode: ColumnValue {}
