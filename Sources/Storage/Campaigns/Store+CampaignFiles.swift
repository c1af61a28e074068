public import CampaignCore

extension Store {
    /// Keeps a campaign's file as it came into force; one that is known stays as it is.
    ///
    /// - Parameter digest: SHA-256 of the file's bytes, 32 bytes.
    public func recordCampaignFile(
        _ campaign: CampaignName, digest: [UInt8], text: String, loadedDate: Instant
    ) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            try connection.run(
                """
                INSERT INTO campaign_file (digest, campaign, content, loaded_date)
                VALUES (\(digest), \(campaign), \(text), \(loadedDate)) ON CONFLICT DO NOTHING
                """)
        }
    }

    /// The text of the file with that digest; nil when it was never in force.
    public func campaignFile(digest: [UInt8]) throws(StorageError) -> String? {
        try connection.value("SELECT content FROM campaign_file WHERE digest = \(digest)")
    }
}
