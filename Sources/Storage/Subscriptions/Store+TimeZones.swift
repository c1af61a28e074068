extension Store {
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
