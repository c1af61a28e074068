public import CampaignCore
public import FoundationEssentials

extension Store {
    /// Keeps what the app said became of a grant, and gives what holds now; nil when there is no such grant.
    ///
    /// The last word holds, but a purchase is final. It counts as a redemption, unless a transaction was counted before.
    public func recordCampaignOutcome(
        _ outcome: GivenOffer.Outcome, error: String?, of grantId: UUID, now: Instant
    ) throws(StorageError) -> GivenOffer.Outcome? {
        try connection.transaction { () throws(StorageError) -> GivenOffer.Outcome? in
            let found = try connection.row(
                "SELECT id, campaign, outcome, redeemed_date FROM campaign_grant WHERE grant_id = \(grantId)"
            ) { row throws(StorageError) in
                (
                    id: try row.next(Int64.self), campaign: try row.next(CampaignName.self),
                    outcome: try row.nextIfPresent(GivenOffer.Outcome.self),
                    redeemedDate: try row.nextIfPresent(Instant.self)
                )
            }
            guard let found else { return nil }
            if found.outcome == .purchased { return .purchased }
            try connection.run(
                """
                UPDATE campaign_grant SET outcome = \(outcome), outcome_error = \(error), outcome_date = \(now)
                WHERE id = \(found.id)
                """)
            if outcome == .purchased, found.redeemedDate == nil {
                try countRedemption(of: found.id, found.campaign, by: nil, now: now)
            }
            return outcome
        }
    }

    /// Marks a grant as never received, because its code was taken back since; so it counts for no cap.
    ///
    /// What the app has said of it stays.
    public func recordTakenBack(_ grantId: UUID, now: Instant) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            try connection.run(
                """
                UPDATE campaign_grant SET outcome = \(GivenOffer.Outcome.failed), outcome_error = 'codeTakenBack',
                    outcome_date = \(now)
                WHERE grant_id = \(grantId) AND outcome IS NULL
                """)
        }
    }

    /// Counts the redemption that a transaction with an offer proves, if a campaign gave the offer before its purchase.
    ///
    /// One transaction redeems one grant, however often it is signed again: the one whose purchase the app told of, else
    /// the newest of which it told no failure. Grants before one that a transaction has redeemed are over: renewals
    /// repeat the offer. Inside a transaction; one indexed read, and none for a transaction without such an offer.
    func recordCampaignRedemption(
        of fact: TransactionFact, by subscription: ResolvedSubscription
    ) throws(StorageError) {
        guard let type = fact.offerType, type != .introductoryOffer, let offer = fact.offerIdentifier else { return }
        let grants = try connection.rows(
            """
            SELECT id, campaign, outcome, redeemed_date IS NOT NULL, redeemed_transaction_id FROM campaign_grant
            WHERE subscription_id = \(subscription.id) AND given_date <= \(fact.purchaseDate)
            AND offer_type = \(type) AND offer_identifier = \(offer)
            ORDER BY given_date DESC, id DESC \(raw: Self.grantsRedeemable)
            """, RedeemableGrant.init)
        if grants.contains(where: { $0.transactionId == fact.transactionId }) { return }
        let open = grants.prefix { $0.transactionId == nil }
        if let told = open.first(where: \.isRedeemed) {
            try connection.run(
                "UPDATE campaign_grant SET redeemed_transaction_id = \(fact.transactionId) WHERE id = \(told.id)")
            return
        }
        guard let redeemed = open.first(where: { $0.outcome == nil }) ?? open.first else { return }
        try countRedemption(of: redeemed.id, redeemed.campaign, by: fact.transactionId, now: fact.signedDate)
    }

    private static let grantsRedeemable = SQL.Fragment("LIMIT \(Limits.grantsRedeemable)")

    private struct RedeemableGrant {
        let id: Int64
        let campaign: CampaignName
        let outcome: GivenOffer.Outcome?
        let isRedeemed: Bool
        let transactionId: TransactionID?

        init(_ row: inout Row) throws(StorageError) {
            id = try row.next()
            campaign = try row.next()
            outcome = try row.nextIfPresent()
            isRedeemed = try row.next()
            transactionId = try row.nextIfPresent()
        }
    }

    private func countRedemption(
        of grant: Int64, _ campaign: CampaignName, by transaction: TransactionID?, now: Instant
    ) throws(StorageError) {
        try connection.run(
            """
            UPDATE campaign_grant SET redeemed_date = \(now), redeemed_transaction_id = \(transaction)
            WHERE id = \(grant)
            """)
        try connection.run("UPDATE campaign_total SET redeemed = redeemed + 1 WHERE campaign = \(campaign)")
    }
}
