public import CampaignCore

extension Store {
    /// Removes log entries that arrived before `instant`, in one short transaction, and counts them; facts stay.
    ///
    /// To be called until it gives 0. A replay keeps the facts of entries that are gone as they are.
    public func pruneLog(before instant: Instant) throws(StorageError) -> Int {
        try connection.transaction { () throws(StorageError) in
            try connection.run(
                """
                DELETE FROM signed_payload WHERE received_date < \(instant)
                AND id IN (SELECT id FROM signed_payload ORDER BY id LIMIT \(Limits.entriesPruned))
                """)
        }
    }
}
