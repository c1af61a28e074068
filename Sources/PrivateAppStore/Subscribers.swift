public import CampaignCore
import FoundationEssentials

/// One product that made-up subscribers buy.
public struct SoldProduct: Hashable, Sendable {
    public let productId: ProductID
    public let subscriptionGroupIdentifier: SubscriptionGroupIdentifier
    /// The length of a period in days; a month counts as 30.
    public let periodDays: Int
    /// In milliunits of `currency`.
    public let price: Int64
    public let currency: String

    public init(
        productId: ProductID, subscriptionGroupIdentifier: SubscriptionGroupIdentifier, periodDays: Int, price: Int64,
        currency: String
    ) {
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.periodDays = periodDays
        self.price = price
        self.currency = currency
    }
}

/// A made-up subscriber: the latest purchase, and what will happen at the end of its period.
public struct Subscriber: Hashable, Sendable {
    /// How the subscription stands at the `now` it was made for.
    public enum Standing: String, Hashable, Sendable, CaseIterable {
        case active
        /// Active with auto-renew off.
        case cancelled
        case expired
    }

    public let standing: Standing
    public let transaction: JWSTransactionDecodedPayload
    public let renewalInfo: JWSRenewalInfoDecodedPayload
}

/// Believable subscribers; the same arguments give the same ones.
public struct Subscribers: Sendable {
    public let bundleId: BundleID
    public let environment: AppStoreEnvironment
    /// Of these each subscriber has one; at least one, with a period of at least a day.
    public let products: [SoldProduct]
    public let seed: UInt64
    public let now: Instant

    public init(
        bundleId: BundleID, environment: AppStoreEnvironment, products: [SoldProduct], seed: UInt64, now: Instant
    ) {
        precondition(products.contains { $0.periodDays >= 1 }, "subscribers need a product to buy")
        self.bundleId = bundleId
        self.environment = environment
        self.products = products.filter { $0.periodDays >= 1 }
        self.seed = seed
        self.now = now
    }

    /// Subscriber number `index`, whatever came before: about six in ten are active, two cancelled and two expired.
    public subscript(index: Int) -> Subscriber {
        var random = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: index) &* 0xd134_2543_de82_ef95)
        let product = products[Int(random.next() % UInt64(products.count))]
        let standing: Subscriber.Standing =
            switch random.next() % 10 {
            case 0..<6: .active
            case 6..<8: .cancelled
            default: .expired
            }
        let period = Int64(product.periodDays) * Self.day
        let elapsed = Int64(random.next() % UInt64(period))
        // An expired period ended between a day and eight weeks ago.
        let sinceEnd = Self.day + Int64(random.next() % UInt64(56 * Self.day))
        let purchase = now.adding(milliseconds: standing == .expired ? -sinceEnd - period : -elapsed)
        let renewals = Int64(random.next() % 8)
        let start = purchase.adding(milliseconds: -renewals * period)
        let facts = Facts(
            index: index, product: product, standing: standing, purchase: purchase, start: start,
            expires: purchase.adding(milliseconds: period), renewals: renewals,
            appAccountToken: random.next() % 3 == 0 ? nil : random.uuid(), storefront: storefront(&random))
        return Subscriber(
            standing: standing, transaction: transaction(facts), renewalInfo: renewalInfo(facts))
    }

    /// Subscribers 0 up to `count`.
    public func first(_ count: Int) -> [Subscriber] {
        (0..<count).map { self[$0] }
    }

    private struct Facts {
        let index: Int
        let product: SoldProduct
        let standing: Subscriber.Standing
        let purchase: Instant
        let start: Instant
        let expires: Instant
        let renewals: Int64
        let appAccountToken: UUID?
        let storefront: (code: String, id: String)

        /// Sixteen digits, as Apple's sandbox counts them.
        var originalTransactionId: OriginalTransactionID { .init("\(2_000_001_000_000_000 + 16 * index)") }
        var transactionId: TransactionID { .init("\(2_000_001_000_000_000 + 16 * index + Int(renewals))") }
        var appTransactionId: AppTransactionID { .init("\(704_000_000_000_000_000 + index)") }
        var isRenewing: Bool { standing == .active }
    }

    private func transaction(_ facts: Facts) -> JWSTransactionDecodedPayload {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = facts.transactionId
        payload.originalTransactionId = facts.originalTransactionId
        payload.webOrderLineItemId = "\(2_000_000_100_000_000 + 16 * facts.index + Int(facts.renewals))"
        payload.bundleId = bundleId
        payload.productId = facts.product.productId
        payload.subscriptionGroupIdentifier = facts.product.subscriptionGroupIdentifier
        payload.purchaseDate = facts.purchase
        payload.originalPurchaseDate = facts.start
        payload.expiresDate = facts.expires
        payload.quantity = 1
        payload.type = .autoRenewableSubscription
        payload.appAccountToken = facts.appAccountToken
        payload.inAppOwnershipType = .purchased
        payload.signedDate = signedDate(facts)
        payload.environment = environment
        payload.storefront = facts.storefront.code
        payload.storefrontId = facts.storefront.id
        payload.transactionReason = facts.renewals == 0 ? "PURCHASE" : "RENEWAL"
        payload.currency = facts.product.currency
        payload.price = facts.product.price
        payload.appTransactionId = facts.appTransactionId
        return payload
    }

    private func renewalInfo(_ facts: Facts) -> JWSRenewalInfoDecodedPayload {
        var payload = JWSRenewalInfoDecodedPayload()
        payload.originalTransactionId = facts.originalTransactionId
        payload.productId = facts.product.productId
        payload.autoRenewProductId = facts.product.productId
        payload.autoRenewStatus = facts.isRenewing ? .on : .off
        if facts.isRenewing {
            payload.renewalPrice = facts.product.price
            payload.currency = facts.product.currency
        }
        if facts.standing == .expired {
            payload.expirationIntent = .customerCancelled
            payload.isInBillingRetryPeriod = false
        }
        payload.renewalDate = facts.expires
        payload.recentSubscriptionStartDate = facts.start
        payload.signedDate = signedDate(facts)
        payload.environment = environment
        payload.appAccountToken = facts.appAccountToken
        payload.appTransactionId = facts.appTransactionId
        return payload
    }

    /// Apple signs what it knows when it happens: a purchase a few seconds later, an expiry just after the end, and a
    /// cancellation somewhere in between.
    private func signedDate(_ facts: Facts) -> Instant {
        let seconds: Int64 = 1000
        switch facts.standing {
        case .active: return min(now, facts.purchase.adding(milliseconds: 9 * seconds))
        case .cancelled:
            let elapsed = now.millisecondsSince1970 - facts.purchase.millisecondsSince1970
            return facts.purchase.adding(milliseconds: elapsed / 2)
        case .expired: return facts.expires.adding(milliseconds: 9 * seconds)
        }
    }

    private func storefront(_ random: inout SplitMix64) -> (code: String, id: String) {
        let storefronts = [
            ("USA", "143441"), ("DEU", "143443"), ("GBR", "143444"), ("JPN", "143462"), ("AUS", "143460"),
        ]
        return storefronts[Int(random.next() % UInt64(storefronts.count))]
    }

    private static let day: Int64 = 24 * 60 * 60 * 1000
}
