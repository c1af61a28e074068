// Apple adds values without a new API version, so each of these keeps the raw value it was sent.
// Source: the App Store Server API's type pages of the same names.

/// Why an expired subscription ended: Apple's `expirationIntent`.
public struct ExpirationIntent: RawRepresentable, Hashable, Codable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let customerCancelled = Self(rawValue: 1)
    public static let billingError = Self(rawValue: 2)
    public static let customerDidNotConsentToPriceIncrease = Self(rawValue: 3)
    public static let productNotAvailable = Self(rawValue: 4)
    public static let other = Self(rawValue: 5)
}

/// Which kind of offer a purchase used: Apple's `offerType`.
public struct OfferType: RawRepresentable, Hashable, Codable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let introductoryOffer = Self(rawValue: 1)
    public static let promotionalOffer = Self(rawValue: 2)
    public static let offerCode = Self(rawValue: 3)
    public static let winBackOffer = Self(rawValue: 4)
    /// Shown by Apple in 2026 and not yet in its libraries.
    public static let retentionOffer = Self(rawValue: 5)
}

/// Whether the subscription renews at the end of the period: Apple's `autoRenewStatus`.
public struct AutoRenewStatus: RawRepresentable, Hashable, Codable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let off = Self(rawValue: 0)
    public static let on = Self(rawValue: 1)
}

/// What a purchase bought: Apple's `type`.
public struct ProductType: RawRepresentable, Hashable, Codable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let autoRenewableSubscription = Self(rawValue: "Auto-Renewable Subscription")
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    public static let consumable = Self(rawValue: "Consumable")
    public static let nonRenewingSubscription = Self(rawValue: "Non-Renewing Subscription")
}

/// Whether the customer paid or a family member did: Apple's `inAppOwnershipType`.
public struct InAppOwnershipType: RawRepresentable, Hashable, Codable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let purchased = Self(rawValue: "PURCHASED")
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
}
