/// One offer of a subscription product, of any of the four kinds a StoreKit configuration file knows.
public struct SubscriptionOffer: Hashable, Sendable {
    /// `introductoryOffer`, `promotionalOffer`, `offerCode` or `winBackOffer`.
    public let offerType: OfferType
    /// What Apple's payloads will name it: the offer's identifier, or an offer code's reference name; nil for an
    /// introductory offer, which has none.
    public let offerIdentifier: OfferIdentifier?
    public let referenceName: String?
    public let paymentMode: PaymentMode
    /// The length of one step; pay-as-you-go takes `numberOfPeriods` of them.
    public let period: Period
    /// At least 1.
    public let numberOfPeriods: Int
    /// In milliunits; 0 for a free offer, nil when the file tells none.
    public let priceMilliunits: Int64?
    /// Which of the product's billing plans the offer belongs to; only files of schema 5 tell it.
    public let billingPlanType: BillingPlanType?
    /// Who may redeem a code of this offer; nil for the other kinds.
    public let codeTerms: CodeTerms?
}

/// Who may redeem the codes of an offer, and what follows it.
///
/// Source: App Store Connect, `customerEligibilities` and `offerEligibility` of offer codes.
public struct CodeTerms: Hashable, Sendable {
    /// Empty when the file names none; then no customer fits.
    public let eligibility: Set<CodeEligibility>
    /// Whether the introductory offer comes first and this offer after it.
    public let isStackable: Bool
    /// Whether the subscription goes on after the offer; true when the file does not say.
    public let autoRenews: Bool
}

/// How an offer is paid: the configuration file's `paymentMode`, kept raw when it is new.
public struct PaymentMode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let free = Self(rawValue: "free")
    public static let payAsYouGo = Self(rawValue: "payAsYouGo")
    public static let payUpFront = Self(rawValue: "payUpFront")

    /// Whether it is one of the three that Xcode writes.
    public var isKnown: Bool { [.free, .payAsYouGo, .payUpFront].contains(self) }
}

/// Which customers of the group an offer's codes are for, kept raw when it is new.
public struct CodeEligibility: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Never subscribed in the group.
    public static let new = Self(rawValue: "new")
    /// Subscribed in the group now.
    public static let existing = Self(rawValue: "existing")
    /// Was subscribed in the group, and the period has ended.
    public static let expired = Self(rawValue: "expired")

    /// Whether it is one of the three that Xcode writes.
    public var isKnown: Bool { [.new, .existing, .expired].contains(self) }
}

/// How a subscription is billed: Apple's `billingPlanType`.
public struct BillingPlanType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// Monthly payments within a longer commitment.
    public static let monthly = Self(rawValue: "MONTHLY")
}
