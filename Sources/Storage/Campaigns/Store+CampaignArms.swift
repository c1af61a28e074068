public import CampaignCore

extension Store {
    /// The arms of a subscription, by their keys.
    public func campaignArms(of subscription: SubscriptionRowID) throws(StorageError) -> [String: String] {
        let rows = try connection.rows(
            "SELECT key, arm FROM campaign_arm WHERE subscription_id = \(subscription)"
        ) { row throws(StorageError) in (key: try row.next(String.self), arm: try row.next(String.self)) }
        return Dictionary(rows.map { ($0.key, $0.arm) }) { first, _ in first }
    }

    /// Gives a subscription its arms; one that it has stays as it is, whoever comes later.
    public func assignCampaignArms(
        _ arms: [CampaignArm], to subscription: SubscriptionRowID, now: Instant
    ) throws(StorageError) {
        if arms.isEmpty { return }
        try connection.transaction { () throws(StorageError) in
            for arm in arms {
                let isNew = try connection.run(
                    """
                    INSERT INTO campaign_arm (subscription_id, key, arm, assigned_date)
                    VALUES (\(subscription), \(arm.key), \(arm.arm), \(now)) ON CONFLICT DO NOTHING
                    """)
                guard isNew > 0 else { continue }
                try connection.run(
                    """
                    INSERT INTO campaign_arm_total (key, arm, assigned) VALUES (\(arm.key), \(arm.arm), 1)
                    ON CONFLICT (key, arm) DO UPDATE SET assigned = assigned + 1
                    """)
            }
        }
    }

    /// How many subscriptions were ever given each arm.
    public func campaignArmTotals() throws(StorageError) -> [CampaignArm: Int] {
        let rows = try connection.rows("SELECT key, arm, assigned FROM campaign_arm_total") {
            row throws(StorageError) in
            (arm: CampaignArm(key: try row.next(), arm: try row.next()), assigned: try row.next(Int.self))
        }
        return Dictionary(rows.map { ($0.arm, $0.assigned) }) { first, _ in first }
    }
}
