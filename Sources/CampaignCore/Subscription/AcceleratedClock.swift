/// How fast time goes for one subscription: Sandbox plays a month in minutes, Production plays it as it is.
///
/// A rule that says three days before the end of a month means thirty seconds before the end of five minutes. Months
/// count 30 days here and years 365. Source: StoreKit Test and App Store Connect Help, accelerated renewal rates.
public struct AcceleratedClock: Hashable, Sendable {
    // How long the period lasts, and how long it would for a customer who pays; 1 and 1 when that is the same.
    private let actualMilliseconds: Int64
    private let nominalMilliseconds: Int64

    /// - Parameter nominalPeriod: the length that the product or the offer has in App Store Connect; nil guesses it
    ///   from the lengths that Sandbox's default rate gives.
    public init(
        purchaseDate: Instant, expiresDate: Instant, nominalPeriod: Period?, environment: AppStoreEnvironment
    ) {
        let (actual, overflow) = expiresDate.millisecondsSince1970
            .subtractingReportingOverflow(purchaseDate.millisecondsSince1970)
        guard environment == .sandbox, !overflow, actual > 0 else {
            (actualMilliseconds, nominalMilliseconds) = (1, 1)
            return
        }
        let nominal = nominalPeriod?.nominalMilliseconds ?? Self.guessedNominal(of: actual)
        // A period that an extension made longer, or grace shorter, is still played at the pace of real time.
        let isAccelerated = actual < nominal / 2
        actualMilliseconds = isAccelerated ? actual : 1
        nominalMilliseconds = isAccelerated ? nominal : 1
    }

    /// The pace of the current period; its nominal length is that of its offer when the catalogue knows the offer, else
    /// that of its product.
    public init(_ subscription: Subscription, catalog: Catalog, environment: AppStoreEnvironment) {
        self.init(
            purchaseDate: subscription.purchaseDate, expiresDate: subscription.expiresDate,
            nominalPeriod: subscription.nominalPeriod(catalog: catalog), environment: environment)
    }

    /// Whether time goes faster than for a customer who pays.
    public var isAccelerated: Bool { actualMilliseconds < nominalMilliseconds }

    /// The length here of a span that lasts `milliseconds` for a customer who pays, rounded down; a span that is none
    /// stays none, any other is at least a millisecond.
    public func scaled(milliseconds: Int64) -> Int64 {
        guard isAccelerated, milliseconds != 0 else { return milliseconds }
        let product = milliseconds.multipliedFullWidth(by: actualMilliseconds)
        let scaled = nominalMilliseconds.dividingFullWidth(product).quotient
        return scaled == 0 ? milliseconds.signum() : scaled
    }

    /// How long the App Store tries a failed payment: 60 days, or what the Sandbox's rate makes of them.
    var billingRetryMilliseconds: Int64 {
        guard isAccelerated else { return Limits.billingRetryMilliseconds }
        // Apple's table gives every length of period the same retry, so a week's or a year's pace would miss it.
        let rate = Self.rates.first { $0.lengths[nominalMilliseconds] == actualMilliseconds }
        return rate?.billingRetry ?? scaled(milliseconds: Limits.billingRetryMilliseconds)
    }

    /// Of a period whose product nobody knows.
    private static func guessedNominal(of actual: Int64) -> Int64 {
        for rate in rates {
            if let known = rate.lengths.first(where: { $0.value == actual }) { return known.key }
        }
        return actual < Limits.shortestRealPeriodMilliseconds ? Period.month : actual
    }

    /// Apple's four rates: the length of each nominal period, and of billing retry.
    private static let rates: [(lengths: [Int64: Int64], billingRetry: Int64)] =
        [
            (minutes: [3, 5, 10, 15, 30, 60], billingRetry: 10),
            (minutes: [5, 15, 30, 45, 90, 180], billingRetry: 30),
            (minutes: [10, 30, 60, 90, 180, 360], billingRetry: 60),
            (minutes: [15, 60, 120, 180, 360, 720], billingRetry: 120),
        ].map { rate in
            let nominal = [7, 30, 60, 90, 180, 365].map { $0 * Period.day }
            let actual = rate.minutes.map { $0 * 60 * 1000 }
            return (
                Dictionary(uniqueKeysWithValues: zip(nominal, actual.map { Int64($0) })),
                Int64(rate.billingRetry) * 60 * 1000
            )
        }
}

extension Period {
    static let day: Int64 = 24 * 60 * 60 * 1000
    static let month = 30 * day

    /// With months of 30 days and years of 365.
    var nominalMilliseconds: Int64 {
        let unit: Int64 =
            switch self.unit {
            case .day: Self.day
            case .week: 7 * Self.day
            case .month: Self.month
            case .year: 365 * Self.day
            }
        return Int64(value) * unit
    }
}

extension Subscription {
    /// How long the current period lasts in App Store Connect's words; nil when the catalogue does not know the product.
    func nominalPeriod(catalog: Catalog) -> Period? {
        guard let product = catalog.subscription(productId) else { return nil }
        let offer =
            offerType == .introductoryOffer
            ? product.introductoryOffers.first
            : offerIdentifier.flatMap { catalog.offer($0, on: productId) }
        return offer?.period ?? product.period
    }
}
