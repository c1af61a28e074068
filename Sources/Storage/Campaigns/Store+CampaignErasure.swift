extension Store {
    /// Removes the arms of a customer and what campaigns gave; files and totals stay. Inside a transaction.
    func eraseCampaigns(of customer: inout ErasedCustomer) throws(StorageError) {
        for id in customer.subscriptions {
            customer.erasure.campaignGrants += try connection.run(
                "DELETE FROM campaign_grant WHERE subscription_id = \(id)")
            try connection.run("DELETE FROM campaign_arm WHERE subscription_id = \(id)")
        }
    }
}
