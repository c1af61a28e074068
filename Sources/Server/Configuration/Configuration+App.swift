public import CampaignCore
public import YAML

extension Configuration {
    /// One app with its catalogue, keys and rules.
    public struct App: Hashable, Sendable {
        public let bundleId: BundleID
        /// Where the app's `bundleId` was written.
        public let mark: Mark
        public let appAppleId: AppAppleID
        /// `Production`, `Sandbox` or both, each once.
        public let environments: [AppStoreEnvironment]
        /// The StoreKit configuration file.
        public let catalog: NamedFile
        /// At least one, each with another `keyId`: the first signs, all are live.
        public let signing: [SigningKeySource]
        public let offerCodes: OfferCodes
        /// 3, 16 or 28.
        public let gracePeriodDays: Int
        public let billingRetryAccess: SubscriptionStatus.Access
        /// Lowest first; a product is in one level at most.
        public let accessLevels: [AccessLevel]
        /// How old a signed fact from a device may be.
        public let deviceProofMaxAgeMilliseconds: Int64
        /// The rules of App Store Connect for win-back offers, by offer; only for those that were written down.
        public let winBackOffers: [OfferIdentifier: WinBackRule]
        /// How much campaigns may give one customer.
        public let offerGuard: OfferGuard

        /// What a subscriber may use in each state.
        public var accessPolicy: AccessPolicy {
            var levels: [ProductID: String] = [:]
            for level in accessLevels {
                for productId in level.productIds { levels[productId] = level.name }
            }
            return AccessPolicy(billingRetryAccess: billingRetryAccess, accessLevels: levels)
        }
    }

    /// What names a signing key and tells where it is.
    public struct SigningKeySource: Hashable, Sendable {
        public let keyId: KeyID
        public let issuerId: IssuerID
        public let privateKey: SecretSource
    }

    /// Products that give the same access.
    public struct AccessLevel: Hashable, Sendable {
        public let name: String
        public let productIds: [ProductID]
    }
}
