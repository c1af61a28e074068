// The keys of `holdfast.yaml`, mapping by mapping. Reader, messages and documentation share these tables.

enum ConfigurationKey: String, CaseIterable {
    case listen
    case database
    case campaigns
    case apps
    case trust
    case trustedProxies
    case retention
    case webhooks
}

enum AppKey: String, CaseIterable {
    case bundleId
    case appAppleId
    case environments
    case catalog
    case signing
    case offerCodes
    case gracePeriodDays
    case billingRetryAccess
    case accessLevels
    case deviceProofMaxAge
    case winBackOffers
    case offerGuard
}

enum OfferGuardKey: String, CaseIterable {
    case offersPerYear
    case savesPerYear
    case accountsPerSubscription
}

/// App Store Connect's attributes of a win-back offer, without their common `customerEligibility`.
enum WinBackOfferKey: String, CaseIterable {
    case paidSubscriptionDurationInMonths
    case timeSinceLastSubscribedInMonths
    case waitBetweenOffersInMonths
}

enum MonthRangeKey: String, CaseIterable {
    case minimum
    case maximum
}

enum SigningEntryKey: String, CaseIterable {
    case keyId
    case issuerId
    case privateKeyFile
    case privateKeyEnv
}

enum OfferCodesKey: String, CaseIterable {
    case quarterlyLimit
    case quarterTimeZone
    case expiryMargin
    case lowStock
}

enum TrustKey: String, CaseIterable {
    case rootCertificates
}

enum RetentionKey: String, CaseIterable {
    case notificationLog
}

enum WebhookKey: String, CaseIterable {
    case url
    case secretFile
    case secretEnv
    case dryRun
}
