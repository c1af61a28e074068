import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Accelerated clock` {
    private static let minute: Int64 = 60 * 1000
    private static let day: Int64 = 24 * 60 * minute

    private func clock(
        minutes: Int64, _ period: String?, environment: AppStoreEnvironment = .sandbox
    ) throws -> AcceleratedClock {
        AcceleratedClock(
            purchaseDate: Moment.start, expiresDate: Moment.start.adding(milliseconds: minutes * Self.minute),
            nominalPeriod: try period.map { try #require(Period($0)) }, environment: environment)
    }

    @Test func `T03 three days of a month that lasts five minutes are thirty seconds`() throws {
        #expect(try clock(minutes: 5, "P1M").scaled(milliseconds: 3 * Self.day) == 30_000)
        #expect(try clock(minutes: 5, nil).scaled(milliseconds: 3 * Self.day) == 30_000)
        #expect(
            try clock(minutes: 5, "P1M", environment: .production).scaled(milliseconds: 3 * Self.day) == 3 * Self.day)
    }

    // The table of App Store Connect Help, minutes for each of the four rates.
    @Test(
        arguments: [
            ("P1W", 7, [3, 5, 10, 15]), ("P1M", 30, [5, 15, 30, 60]), ("P2M", 60, [10, 30, 60, 120]),
            ("P3M", 90, [15, 45, 90, 180]), ("P6M", 180, [30, 90, 180, 360]), ("P1Y", 365, [60, 180, 360, 720]),
        ] as [(String, Int64, [Int64])])
    func `T03 a whole period scales to its own length and a tenth to a tenth`(
        period: String, days: Int64, minutes: [Int64]
    ) throws {
        for minutes in minutes {
            let clock = try clock(minutes: minutes, period)
            #expect(clock.isAccelerated)
            #expect(clock.scaled(milliseconds: days * Self.day) == minutes * Self.minute)
            #expect(clock.scaled(milliseconds: days * Self.day / 10) == minutes * Self.minute / 10)
        }
        // The default rate is guessed when nobody knows the product.
        #expect(try clock(minutes: minutes[0], nil).scaled(milliseconds: days * Self.day) == minutes[0] * Self.minute)
    }

    @Test func `T03 no span becomes none, changes its sign or overflows`() throws {
        let clock = try clock(minutes: 5, "P1M")
        #expect(clock.scaled(milliseconds: 0) == 0)
        #expect(clock.scaled(milliseconds: 1) == 1)
        #expect(clock.scaled(milliseconds: -1) == -1)
        #expect(clock.scaled(milliseconds: -3 * Self.day) == -30_000)
        #expect(clock.scaled(milliseconds: .max) == 1_067_519_911_673_006)
    }

    @Test func `a Sandbox period of real length, an odd one and none at all are not accelerated`() throws {
        for minutes in [30 * 24 * 60, 31 * 24 * 60, 0, -5] as [Int64] {
            #expect(try !clock(minutes: minutes, "P1M").isAccelerated)
        }
        #expect(try !clock(minutes: 7 * 24 * 60, nil).isAccelerated)
        #expect(try clock(minutes: 24 * 60, "P1M").scaled(milliseconds: 30 * Self.day) == Self.day)
        let endless = AcceleratedClock(
            purchaseDate: Instant(millisecondsSince1970: .min), expiresDate: Instant(millisecondsSince1970: .max),
            nominalPeriod: nil, environment: .sandbox)
        #expect(endless.scaled(milliseconds: 7) == 7)
    }

    @Test func `the period is that of the offer while the offer lasts`() throws {
        // A free week of Sandbox lasts three minutes.
        let trial = month(until: Moment.start.adding(milliseconds: 3 * Self.minute), offerType: .introductoryOffer)
        let subscription = try #require(Subscription(transactions: [trial], renewals: []))
        let clock = AcceleratedClock(subscription, catalog: try CatalogFixtures.tide(), environment: .sandbox)
        #expect(clock.scaled(milliseconds: 7 * Self.day) == 3 * Self.minute)
    }

    @Test(arguments: [(Int64(5), Int64(10)), (15, 30), (30, 60), (60, 120)])
    func `T03 Sandbox retries a failed payment as long as its rate says`(period: Int64, retry: Int64) throws {
        let end = Moment.start.adding(milliseconds: period * Self.minute)
        let subscription = try #require(
            Subscription(transactions: [month(until: end)], renewals: [renewal(signed: end, inRetry: true)]))
        func state(_ milliseconds: Int64, _ environment: AppStoreEnvironment) throws -> SubscriptionStatus.State {
            subscription.status(
                at: end.adding(milliseconds: milliseconds), catalog: try CatalogFixtures.tide(),
                policy: AccessPolicy(), environment: environment
            ).state
        }
        #expect(try state(retry * Self.minute - 1, .sandbox) == .billingRetry)
        #expect(try state(retry * Self.minute, .sandbox) == .expired)
        #expect(try state(60 * Self.day - 1, .production) == .billingRetry)
    }
}
