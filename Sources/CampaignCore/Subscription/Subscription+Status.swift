extension Subscription {
    /// What the subscription is at `now` for an app with this catalogue and policy.
    public func status(at now: Instant, catalog: Catalog, policy: AccessPolicy) -> SubscriptionStatus? {
        nil
    }
}
