import CampaignCore
import Foundation
import PrivateAppStore
import TestSupport
import Testing

/// A year of monthly, weekly and annual subscribers with offers of every kind.
enum Population {
    static let starts = Instant(rfc3339: "2026-01-01T00:00:00Z") ?? Instant(millisecondsSince1970: 0)
    static let ends = Instant(rfc3339: "2027-01-01T00:00:00Z") ?? Instant(millisecondsSince1970: 0)
    static let bundleId = BundleID("com.example.tide")
    static let appAppleId: AppAppleID = 6_400_000_001
    static let seed = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init) ?? 20_260_101

    static func simulation(
        _ count: Int, seed: UInt64 = seed, environment: AppStoreEnvironment = .production,
        behaviour: SimulatedBehaviour = .believable
    ) throws -> Simulation {
        Simulation(
            bundleId: bundleId, appAppleId: appAppleId, environment: environment, products: try products(),
            subscriberCount: count, seed: seed, starts: starts, ends: ends, behaviour: behaviour)
    }

    static func products() throws -> [SimulatedProduct] {
        let month = try #require(Period("P1M"))
        let week = try #require(Period("P1W"))
        let year = try #require(Period("P1Y"))
        let trial = SimulatedOffer(
            offerType: .introductoryOffer, offerIdentifier: nil, offerDiscountType: "FREE_TRIAL", period: week,
            numberOfPeriods: 1, price: 0)
        let promotional = SimulatedOffer(
            offerType: .promotionalOffer, offerIdentifier: OfferIdentifier("save50"),
            offerDiscountType: "PAY_AS_YOU_GO", period: month, numberOfPeriods: 3, price: 2990)
        let code = SimulatedOffer(
            offerType: .offerCode, offerIdentifier: OfferIdentifier("SPRING"), offerDiscountType: "FREE_TRIAL",
            period: month, numberOfPeriods: 1, price: 0, codeEligibility: [.new, .existing, .expired])
        let winBack = SimulatedOffer(
            offerType: .winBackOffer, offerIdentifier: OfferIdentifier("back50"), offerDiscountType: "PAY_UP_FRONT",
            period: month, numberOfPeriods: 1, price: 1990)
        let group = SubscriptionGroupIdentifier("21500001")
        func product(_ name: String, _ level: Int, _ period: Period, _ price: Int64, _ offers: [SimulatedOffer])
            -> SimulatedProduct
        {
            SimulatedProduct(
                productId: ProductID(name), subscriptionGroupIdentifier: group, level: level, period: period,
                price: price, currency: "USD", isFamilyShareable: level == 1, offers: offers)
        }
        return [
            product("tide.pro", 1, month, 9990, [trial, promotional, code, winBack]),
            product("tide.monthly", 2, month, 5990, [trial, promotional, code, winBack]),
            product("tide.yearly", 2, year, 49_990, [promotional]),
            product("tide.weekly", 3, week, 1990, [code]),
        ]
    }
}
