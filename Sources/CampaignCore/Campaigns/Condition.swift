/// Which values a fact may have: one of some, or none of some.
///
/// `[a, b]` is any of both, `{ not: [a] }` is anything else. A fact that is unknown is none of the named values.
public enum OneOf<Value: Hashable & Sendable>: Hashable, Sendable {
    case any(Set<Value>)
    case not(Set<Value>)

    /// Whether `value` is allowed; nil is a fact that nobody knows.
    public func holds(_ value: Value?) -> Bool {
        switch self {
        case .any(let values): value.map(values.contains) ?? false
        case .not(let values): value.map { !values.contains($0) } ?? true
        }
    }
}

/// A stretch of time between two bounds, both inclusive.
public struct SpanRange: Hashable, Sendable {
    /// nil sets no bound.
    public var atLeastMilliseconds: Int64?
    /// nil sets no bound.
    public var atMostMilliseconds: Int64?

    public init(atLeastMilliseconds: Int64? = nil, atMostMilliseconds: Int64? = nil) {
        self.atLeastMilliseconds = atLeastMilliseconds
        self.atMostMilliseconds = atMostMilliseconds
    }

    /// Whether `milliseconds` lies within the bounds as `clock` plays them.
    public func holds(milliseconds: Int64, clock: AcceleratedClock) -> Bool {
        if let atLeastMilliseconds, milliseconds < clock.scaled(milliseconds: atLeastMilliseconds) { return false }
        if let atMostMilliseconds, milliseconds > clock.scaled(milliseconds: atMostMilliseconds) { return false }
        return true
    }
}

/// Whom a campaign is for. A condition that is nil holds for everyone.
public struct Audience: Hashable, Sendable {
    public let bundleId: BundleID
    public let environment: AppStoreEnvironment
    /// Of the current period.
    public var productId: OneOf<ProductID>?
    public var subscriptionGroupIdentifier: OneOf<SubscriptionGroupIdentifier>?
    public var inAppOwnershipType: OneOf<InAppOwnershipType>?
    /// ISO 3166-1 alpha-3, such as `DEU`.
    public var storefront: OneOf<String>?

    public init(
        bundleId: BundleID, environment: AppStoreEnvironment, productId: OneOf<ProductID>? = nil,
        subscriptionGroupIdentifier: OneOf<SubscriptionGroupIdentifier>? = nil,
        inAppOwnershipType: OneOf<InAppOwnershipType>? = nil, storefront: OneOf<String>? = nil
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.inAppOwnershipType = inAppOwnershipType
        self.storefront = storefront
    }
}

/// When a rule holds. A condition that is nil always does.
public struct When: Hashable, Sendable {
    public var status: OneOf<SubscriptionStatus.State>?
    public var autoRenewStatus: OneOf<AutoRenewStatus>?
    /// Only of an expired subscription.
    public var expirationIntent: OneOf<ExpirationIntent>?
    /// Of the current period; within a campaign's audience.
    public var productId: OneOf<ProductID>?
    /// Of the current period's own offer; 'none' is no fact, so `{ not: … }` holds for a full price.
    public var offerType: OneOf<OfferType>?
    /// Which way the plan changes at the end of the period.
    public var pendingChange: OneOf<PlanChange>?
    /// From now to `expiresDate`; holds only before it.
    public var untilExpires: SpanRange?
    /// From `expiresDate` to now, whatever grace followed it; holds only of an expired subscription.
    public var sinceExpired: SpanRange?

    public init(
        status: OneOf<SubscriptionStatus.State>? = nil, autoRenewStatus: OneOf<AutoRenewStatus>? = nil,
        expirationIntent: OneOf<ExpirationIntent>? = nil, productId: OneOf<ProductID>? = nil,
        offerType: OneOf<OfferType>? = nil, pendingChange: OneOf<PlanChange>? = nil,
        untilExpires: SpanRange? = nil, sinceExpired: SpanRange? = nil
    ) {
        self.status = status
        self.autoRenewStatus = autoRenewStatus
        self.expirationIntent = expirationIntent
        self.productId = productId
        self.offerType = offerType
        self.pendingChange = pendingChange
        self.untilExpires = untilExpires
        self.sinceExpired = sinceExpired
    }
}
