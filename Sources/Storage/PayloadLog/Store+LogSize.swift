extension Store {
    /// How many notifications the log has, and the bytes of their bodies; reads all of it.
    public func notificationLogSize() throws(StorageError) -> (count: Int, bytes: Int64) {
        let size = try connection.row(
            """
            SELECT count(*), coalesce(sum(length(body)), 0) FROM signed_payload WHERE source = 'notification'
            """
        ) { row throws(StorageError) in (count: try row.next(Int.self), bytes: try row.next(Int64.self)) }
        return size ?? (0, 0)
    }
}
