extension Store {
    /// The IANA time zone that the customer's app reported last; nil when it never did.
    public func timeZone(of subscription: SubscriptionRowID) throws(StorageError) -> String? {
        try connection.row("SELECT time_zone FROM subscription WHERE id = \(subscription)") {
            row throws(StorageError) in try row.nextIfPresent(String.self)
        } ?? nil
    }

    /// Keeps the IANA time zone that the customer's app reported last, for quiet hours.
    public func setTimeZone(_ name: String, of subscription: SubscriptionRowID) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            try connection.run(
                """
                UPDATE subscription SET time_zone = \(name)
                WHERE id = \(subscription) AND time_zone IS NOT \(name)
                """)
        }
    }
}
