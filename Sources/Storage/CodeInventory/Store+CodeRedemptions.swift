public import CampaignCore

extension Store {
    /// Counts the redemption that a transaction tells of, if it does: once for each subscription and offer, however many
    /// renewals repeat it and in whatever order they come.
    ///
    /// It is linked as probable to a code that was claimed under one of the subscriber's ids before the purchase. Each
    /// claim is linked once. Errors: those of the database.
    func recordRedemption(
        of fact: TransactionFact, by subscription: ResolvedSubscription
    ) throws(StorageError) {
        guard let redemption = CodeRedemption(fact) else { return }
        let appId = subscription.appId
        let known = try connection.row(
            """
            SELECT r.id, r.purchase_date, r.batch_id, o.claimed_date FROM code_redemption AS r
            LEFT JOIN offer_code AS o ON o.batch_id = r.batch_id AND o.position = r.position
            WHERE r.subscription_id = \(subscription.id) AND r.offer = \(redemption.offer)
            """
        ) { row throws(StorageError) in
            KnownRedemption(
                id: try row.next(), purchaseDate: try row.next(), batch: try row.nextIfPresent(),
                claimedDate: try row.nextIfPresent())
        }
        guard let known else {
            let claim = try probableClaim(of: redemption, appId: appId, redeemedBy: redemption.purchaseDate)
            try connection.run(
                """
                INSERT INTO code_redemption (app_id, offer, subscription_id, purchase_date, batch_id, position)
                VALUES (
                    \(appId), \(redemption.offer), \(subscription.id), \(redemption.purchaseDate), \(claim?.batch),
                    \(claim?.position))
                """)
            return
        }
        if redemption.purchaseDate < known.purchaseDate {
            try connection.run(
                "UPDATE code_redemption SET purchase_date = \(redemption.purchaseDate) WHERE id = \(known.id)")
        }
        let first = min(redemption.purchaseDate, known.purchaseDate)
        if known.batch != nil {
            // What was claimed after the purchase, as is known now, was not redeemed by it.
            guard let claimed = known.claimedDate, !CodeRedemption.canBe(claimedDate: claimed, redeemedBy: first) else {
                return
            }
        }
        let claim = try probableClaim(of: redemption, appId: appId, redeemedBy: first)
        guard known.batch != nil || claim != nil else { return }
        try connection.run(
            """
            UPDATE code_redemption SET batch_id = \(claim?.batch), position = \(claim?.position)
            WHERE id = \(known.id)
            """)
    }

    private struct KnownRedemption {
        let id: Int64
        let purchaseDate: Instant
        let batch: Int64?
        let claimedDate: Instant?
    }

    private func probableClaim(
        of redemption: CodeRedemption, appId: Int64, redeemedBy purchaseDate: Instant
    ) throws(StorageError) -> CodePosition? {
        for customer in redemption.possibleCustomers {
            let claim = try connection.row(
                """
                SELECT c.batch_id, c.position, o.claimed_date FROM code_claim AS c
                JOIN offer_code AS o ON o.batch_id = c.batch_id AND o.position = c.position
                LEFT JOIN code_redemption AS r ON r.batch_id = c.batch_id AND r.position = c.position
                WHERE c.customer = \(customer) AND c.app_id = \(appId) AND c.offer = \(redemption.offer)
                AND r.id IS NULL
                """
            ) { row throws(StorageError) in
                (
                    code: CodePosition(batch: try row.next(), position: try row.next()),
                    claimedDate: try row.next(Instant.self)
                )
            }
            if let claim, CodeRedemption.canBe(claimedDate: claim.claimedDate, redeemedBy: purchaseDate) {
                return claim.code
            }
        }
        return nil
    }

    /// How many subscriptions redeemed a code of each offer.
    public func codeRedemptions() throws(StorageError) -> [CodePool: CodeRedemptionCount] {
        let rows = try connection.rows(
            """
            SELECT app.bundle_id, app.environment, r.offer, count(*), count(r.batch_id) FROM code_redemption AS r
            JOIN app ON app.id = r.app_id GROUP BY r.app_id, r.offer
            """
        ) { row throws(StorageError) in
            (
                pool: CodePool(bundleId: try row.next(), environment: try row.next(), offer: try row.next()),
                count: CodeRedemptionCount(all: try row.next(), probable: try row.next())
            )
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.pool, $0.count) })
    }

    /// The codes that were claimed under any of `ids`, by offer.
    public func claimedCodes(
        by ids: [String], bundleId: BundleID, environment: AppStoreEnvironment
    ) throws(StorageError) -> [HeldCode] {
        guard let appId = try appId(bundleId, environment) else { return [] }
        var held: [HeldCode] = []
        for id in ids {
            let rows = try connection.rows(
                """
                SELECT c.batch_id, c.position, c.offer, b.product_id, b.expires_date, o.claimed_date, r.id IS NOT NULL
                FROM code_claim AS c JOIN code_batch AS b ON b.id = c.batch_id
                JOIN offer_code AS o ON o.batch_id = c.batch_id AND o.position = c.position
                LEFT JOIN code_redemption AS r ON r.batch_id = c.batch_id AND r.position = c.position
                WHERE c.customer = \(id) AND c.app_id = \(appId) ORDER BY c.offer
                """
            ) { row throws(StorageError) in
                (
                    position: CodePosition(batch: try row.next(), position: try row.next()),
                    offer: try row.next(OfferIdentifier.self), productId: try row.next(ProductID.self),
                    expires: try row.next(Instant.self), claimed: try row.next(Instant.self),
                    isRedeemed: try row.next(Bool.self)
                )
            }
            for row in rows {
                held.append(
                    HeldCode(
                        code: try code(at: row.position), offer: row.offer, productId: row.productId,
                        expiresDate: row.expires, claimedDate: row.claimed, isProbablyRedeemed: row.isRedeemed))
            }
        }
        return held
    }
}

/// A code that a customer has, with what is known of its redemption.
public struct HeldCode: Hashable, Sendable {
    public let code: OfferCode
    public let offer: OfferIdentifier
    public let productId: ProductID
    public let expiresDate: Instant
    public let claimedDate: Instant
    /// Whether a redemption of the offer by one of the customer's subscriptions is probably of it.
    public let isProbablyRedeemed: Bool

    /// The code itself is masked.
    public var json: JSON {
        [
            "code": .string(code.masked), "offer": .string(offer.rawValue), "productId": .string(productId.rawValue),
            "claimedDate": .instant(claimedDate), "expiresDate": .instant(expiresDate),
            "redemption": isProbablyRedeemed ? "probable" : .null,
        ]
    }
}
