public import CampaignCore
public import FoundationEssentials
import YAML

extension Store {
    /// Keeps what a campaign gave, and counts it.
    ///
    /// - Parameter answer: the answer that it was given with; nil when it was given without one.
    public func insertCampaignGrant(_ grant: CampaignGrant, answer: OfferGrantRowID?) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            try connection.run(
                """
                INSERT INTO campaign_grant (
                    grant_id, app_id, subscription_id, campaign, rule, variant, via, offer_type, offer_identifier,
                    product_id, message, file_digest, facts, refusals, app_account_token, given_date, offer_grant_id)
                VALUES (
                    \(grant.grantId), \(try madeAppId(grant.bundleId, grant.environment)), \(grant.subscription),
                    \(grant.campaign), \(grant.rule), \(grant.variant), \(grant.via), \(grant.offerType),
                    \(grant.offerIdentifier), \(grant.productId), \(grant.message), \(grant.fileDigest),
                    \(String(decoding: grant.facts.bytes, as: UTF8.self)),
                    \(String(decoding: grant.refusals.bytes, as: UTF8.self)), \(grant.appAccountToken),
                    \(grant.givenDate), \(answer))
                """)
            try connection.run(
                """
                INSERT INTO campaign_total (campaign, given) VALUES (\(grant.campaign), 1)
                ON CONFLICT (campaign) DO UPDATE SET given = given + 1
                """)
        }
    }

    /// What campaigns gave a subscription, newest first, as decisions count it; at most the 500 last ones.
    public func givenOffers(to subscription: SubscriptionRowID) throws(StorageError) -> [GivenOffer] {
        try connection.rows(
            """
            SELECT campaign, rule, given_date, offer_type, offer_identifier, outcome, app_account_token
            FROM campaign_grant WHERE subscription_id = \(subscription)
            ORDER BY given_date DESC, id DESC \(raw: Self.campaignGrantsRead)
            """
        ) { row throws(StorageError) in
            var given = GivenOffer(campaign: try row.next(), rule: try row.next(), givenDate: try row.next())
            given.offerType = try row.nextIfPresent()
            given.offerIdentifier = try row.nextIfPresent()
            given.outcome = try row.nextIfPresent()
            given.appAccountToken = try row.nextIfPresent()
            return given
        }
    }

    /// The same with everything that is kept of each.
    public func campaignGrants(of subscription: SubscriptionRowID) throws(StorageError) -> [CampaignGrant] {
        try connection.rows(
            """
            SELECT \(raw: Self.campaignGrantColumns) FROM campaign_grant AS g JOIN app ON app.id = g.app_id
            WHERE g.subscription_id = \(subscription)
            ORDER BY g.given_date DESC, g.id DESC \(raw: Self.campaignGrantsRead)
            """, Self.campaignGrant)
    }

    /// What was given under that id; nil when nothing was, or when its customer was erased.
    public func campaignGrant(_ grantId: UUID) throws(StorageError) -> CampaignGrant? {
        try connection.row(
            """
            SELECT \(raw: Self.campaignGrantColumns) FROM campaign_grant AS g JOIN app ON app.id = g.app_id
            WHERE g.grant_id = \(grantId)
            """, Self.campaignGrant)
    }

    /// How many a campaign gave, and how many of those were redeemed.
    public func campaignTotal(_ campaign: CampaignName) throws(StorageError) -> CampaignTotal {
        try connection.row("SELECT given, redeemed FROM campaign_total WHERE campaign = \(campaign)") {
            row throws(StorageError) in CampaignTotal(given: try row.next(), redeemed: try row.next())
        } ?? CampaignTotal()
    }

    private static let campaignGrantsRead = SQL.Fragment("LIMIT \(Limits.campaignGrantsRead)")

    private static let campaignGrantColumns = SQL.Fragment(
        """
        g.grant_id, g.subscription_id, app.bundle_id, app.environment, g.campaign, g.rule, g.via, g.file_digest,
        g.given_date, g.variant, g.offer_type, g.offer_identifier, g.product_id, g.message, g.facts, g.refusals,
        g.app_account_token, g.outcome, g.outcome_date, g.redeemed_date
        """)

    private static func campaignGrant(_ row: inout Row) throws(StorageError) -> CampaignGrant {
        var grant = CampaignGrant(
            grantId: try row.next(), subscription: try row.next(), bundleId: try row.next(),
            environment: try row.next(), campaign: try row.next(), rule: try row.next(), via: try row.next(),
            fileDigest: try row.next(), givenDate: try row.next())
        grant.variant = try row.nextIfPresent()
        grant.offerType = try row.nextIfPresent()
        grant.offerIdentifier = try row.nextIfPresent()
        grant.productId = try row.nextIfPresent()
        grant.message = try row.nextIfPresent()
        grant.facts = try json(row.next(), column: "facts")
        grant.refusals = try json(row.next(), column: "refusals")
        grant.appAccountToken = try row.nextIfPresent()
        grant.outcome = try row.nextIfPresent()
        grant.outcomeDate = try row.nextIfPresent()
        grant.redeemedDate = try row.nextIfPresent()
        return grant
    }

    private static func json(_ text: String, column: String) throws(StorageError) -> JSON {
        guard let value = JSON.read(Array(text.utf8)) else {
            throw .corruptRow(table: "campaign_grant", column: column)
        }
        return value
    }
}
