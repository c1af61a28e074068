// Apple's words for Apple's numbers, as campaign files write them.

extension ExpirationIntent {
    static let inCampaigns: [Self] = [
        .customerCancelled, .billingError, .customerDidNotConsentToPriceIncrease, .productNotAvailable, .other,
    ]
}

extension AutoRenewStatus {
    static let inCampaigns: [Self] = [.on, .off]
}

extension InAppOwnershipType {
    static let inCampaigns: [Self] = [.purchased, .familyShared]
}

extension AppStoreEnvironment {
    /// The two that the App Store signs.
    static let inCampaigns: [Self] = [.production, .sandbox]
}

extension FrequencyCap {
    /// What `per` may be.
    static let calendarDay = "calendarDay"
}

extension QuietHours {
    /// The zone that the customer's app reported.
    static let subscriber = "subscriber"
}
