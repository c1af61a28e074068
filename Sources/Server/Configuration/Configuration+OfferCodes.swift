public import CampaignCore
public import Storage

extension Configuration {
    /// How many offer codes may be made, until when they are given, and when to load more.
    public struct OfferCodes: Hashable, Sendable {
        /// Codes per app and calendar quarter.
        public var quarterlyLimit: Int64
        /// The IANA name of the zone whose midnight begins a quarter.
        public var quarterTimeZone: String
        /// A code is no longer given this long before it expires.
        public var expiryMarginMilliseconds: Int64
        /// Below so many free codes an offer's stock is low; for those that were written down.
        public var lowStock: [OfferIdentifier: Int64]

        public init(
            quarterlyLimit: Int64, quarterTimeZone: String, expiryMarginMilliseconds: Int64,
            lowStock: [OfferIdentifier: Int64] = [:]
        ) {
            self.quarterlyLimit = quarterlyLimit
            self.quarterTimeZone = quarterTimeZone
            self.expiryMarginMilliseconds = expiryMarginMilliseconds
            self.lowStock = lowStock
        }

        /// What holds when nothing is configured.
        public static let standard = OfferCodes(
            quarterlyLimit: ConfigurationLimits.quarterlyLimit, quarterTimeZone: ConfigurationLimits.quarterTimeZone,
            expiryMarginMilliseconds: ConfigurationLimits.expiryMarginMilliseconds)

        /// Below so many free codes somebody should load more; nil in Sandbox, where codes are few and for tests.
        private func lowStockThreshold(of offer: OfferIdentifier, in environment: AppStoreEnvironment) -> Int64? {
            environment == .production ? lowStock[offer] ?? ConfigurationLimits.lowStock : nil
        }

        /// How the stock of `offer` is judged.
        public func stockRule(of offer: OfferIdentifier, in environment: AppStoreEnvironment) -> CodeStockRule {
            CodeStockRule(
                lowStockThreshold: lowStockThreshold(of: offer, in: environment),
                expiryMarginMilliseconds: expiryMarginMilliseconds)
        }

        /// The quota with the rules of its zone; nil when the system no longer knows the zone.
        public var quota: CodeQuota? {
            TimeZoneRules.ofSystem(quarterTimeZone).map { CodeQuota(limit: quarterlyLimit, zone: $0) }
        }
    }
}
