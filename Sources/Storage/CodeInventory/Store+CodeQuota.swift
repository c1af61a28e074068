public import CampaignCore

extension Store {
    /// How much of a quarter's quota an app has used: one-time codes that are loaded, void and expired ones among them,
    /// and the redemption limits of custom codes, Production only (design, section 5).
    ///
    /// App Store Connect does not say that deactivated codes are given back, so they are not.
    public func codeQuotaUse(
        bundleId: BundleID, quarter: CalendarQuarter, quota: CodeQuota
    ) throws(StorageError) -> CodeQuotaUse {
        let (begins, ends) = (quarter.begins(in: quota.zone), quarter.ends(in: quota.zone))
        let used = try connection.value(
            """
            SELECT coalesce((
                SELECT sum(b.total) FROM code_batch AS b JOIN app ON app.id = b.app_id
                WHERE app.bundle_id = \(bundleId) AND app.environment = 'Production' AND b.state <> 'loading'
                AND b.created_date >= \(begins) AND b.created_date < \(ends)), 0)
            + coalesce((
                SELECT sum(c.redemption_limit) FROM custom_code AS c JOIN app ON app.id = c.app_id
                WHERE app.bundle_id = \(bundleId) AND app.environment = 'Production'
                AND c.created_date >= \(begins) AND c.created_date < \(ends)), 0)
            """, Int64.self)
        return CodeQuotaUse(quarter: quarter, used: used ?? 0, quota: quota)
    }
}
