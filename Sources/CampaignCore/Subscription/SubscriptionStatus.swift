/// What a subscription is at an instant (design, section 7).
public struct SubscriptionStatus: Hashable, Sendable {
    /// Apple's five states.
    public enum State: String, Hashable, Sendable, CaseIterable {
        case active
        case expired
        case billingRetry
        case billingGracePeriod
        case revoked
    }

    /// How much of the service the customer has.
    public enum Access: String, Hashable, Sendable, CaseIterable {
        case full
        case limited
        case none
    }

    /// What the app should show.
    public enum Message: String, Hashable, Sendable, CaseIterable {
        case none
        case saveOffer
        case graceCountdown
        case fixPayment
        case winBack
        case resubscribe
    }

    /// A change of plan that waits for the end of the period.
    public struct PendingChange: Hashable, Sendable {
        public let kind: PlanChange
        public let productId: ProductID
        public let effectiveDate: Instant
    }

    /// From the first moment auto-renew is known off to the end of the period.
    public struct SaveWindow: Hashable, Sendable {
        public let opensDate: Instant
        public let closesDate: Instant
    }

    public let state: State
    public let autoRenewStatus: AutoRenewStatus?
    public let expiresDate: Instant
    /// While it lasts.
    public let gracePeriodExpiresDate: Instant?
    /// Whole days to `gracePeriodExpiresDate`, rounded up; nil outside the grace period.
    public let daysRemaining: Int?
    /// Only of an expired subscription.
    public let expirationIntent: ExpirationIntent?
    public let access: Access
    /// The level of the product; nil without access, and for a product that no level lists.
    public let accessLevel: String?
    public let message: Message
    public let pendingChange: PendingChange?
    /// While it is open.
    public let saveWindow: SaveWindow?
    /// Only of an expired subscription: those that the catalogue has on a product of the group, in Apple's order.
    public let eligibleWinBackOfferIds: [OfferIdentifier]
}

/// What an app's configuration says of access.
public struct AccessPolicy: Hashable, Sendable {
    /// What a customer has while the App Store retries a failed payment.
    public var billingRetryAccess: SubscriptionStatus.Access
    /// The level that each product gives.
    public var accessLevels: [ProductID: String]

    public init(billingRetryAccess: SubscriptionStatus.Access = .limited, accessLevels: [ProductID: String] = [:]) {
        self.billingRetryAccess = billingRetryAccess
        self.accessLevels = accessLevels
    }
}
