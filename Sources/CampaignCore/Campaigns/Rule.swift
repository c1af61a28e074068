/// One line of a campaign's ladder: when it holds, its offers are tried in order.
public struct Rule: Hashable, Sendable {
    public let name: RuleName
    public var when: When
    /// Through which doors it is given; at least one.
    public var via: Set<Via>
    /// When a send is due; empty is the opening of the window. Only for rules that go out by webhook.
    public var sendAt: [SendTime]
    /// The message of `messages.yaml` that the App Store shows to whom is about to cancel.
    public var retentionMessage: MessageName?
    /// The first available is given.
    public var offers: [CampaignOffer]
    /// What is said beside the offer, or in its place when no offer is named; a word for the app.
    public var message: MessageName?

    /// The doors of the service.
    public enum Via: String, Hashable, Sendable, CaseIterable {
        case retentionMessage
        case app
        case webhook
    }

    public init(
        name: RuleName, when: When = When(), via: Set<Via> = [.app], sendAt: [SendTime] = [],
        retentionMessage: MessageName? = nil, offers: [CampaignOffer] = [], message: MessageName? = nil
    ) {
        self.name = name
        self.when = when
        self.via = via
        self.sendAt = sendAt
        self.retentionMessage = retentionMessage
        self.offers = offers
        self.message = message
    }
}

/// A time within the window of a rule: `opens+1h`, `closes-2d`.
public struct SendTime: Hashable, Sendable {
    public enum Anchor: String, Hashable, Sendable, CaseIterable {
        /// When auto-renew was first known off, or when the subscription expired.
        case opens
        /// `expiresDate` of a subscription that runs.
        case closes
    }

    public let anchor: Anchor
    /// Not negative after `opens`, not positive before `closes`.
    public let offsetMilliseconds: Int64

    public init(anchor: Anchor, offsetMilliseconds: Int64) {
        self.anchor = anchor
        self.offsetMilliseconds = offsetMilliseconds
    }
}

/// One thing that a rule may give.
public struct CampaignOffer: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case promotionalOffer(OfferIdentifier)
        case winBackOffer(OfferIdentifier)
        /// By the reference name of the code offer.
        case offerCode(OfferIdentifier)
        /// Only in a retention message.
        case alternateProduct(ProductID)
    }

    public let kind: Kind
    /// Which product the offer is on; nil for a promotional offer that only one product has, and for other kinds.
    public var productId: ProductID?
    /// For one arm alone; nil for all.
    public var variant: VariantName?

    public init(_ kind: Kind, productId: ProductID? = nil, variant: VariantName? = nil) {
        self.kind = kind
        self.productId = productId
        self.variant = variant
    }
}
