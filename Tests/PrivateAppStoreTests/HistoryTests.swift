import CampaignCore
import Foundation
import PrivateAppStore
import Testing

@Suite struct HistoryTests {
    /// Type and subtype of every notification about subscriptions (App Store Server Notifications, `notificationType`).
    static let everyType = [
        "SUBSCRIBED INITIAL_BUY", "SUBSCRIBED RESUBSCRIBE", "DID_RENEW", "DID_RENEW BILLING_RECOVERY",
        "DID_CHANGE_RENEWAL_PREF UPGRADE", "DID_CHANGE_RENEWAL_PREF DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
        "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED",
        "OFFER_REDEEMED", "OFFER_REDEEMED UPGRADE", "OFFER_REDEEMED DOWNGRADE", "DID_FAIL_TO_RENEW",
        "DID_FAIL_TO_RENEW GRACE_PERIOD", "GRACE_PERIOD_EXPIRED", "EXPIRED VOLUNTARY", "EXPIRED BILLING_RETRY",
        "EXPIRED PRICE_INCREASE", "EXPIRED PRODUCT_NOT_FOR_SALE", "EXPIRED", "PRICE_INCREASE PENDING",
        "PRICE_INCREASE ACCEPTED", "REFUND", "REFUND_REVERSED", "REFUND_DECLINED", "CONSUMPTION_REQUEST", "REVOKE",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION SUMMARY", "RENEWAL_EXTENSION FAILURE", "TEST",
    ]

    static func name(_ event: SimulatedEvent) -> String {
        [event.notification.notificationType, event.notification.subtype].compactMap { $0 }.joined(separator: " ")
    }

    @Test func `the same seed tells the same lives whatever came before, and another tells others`() throws {
        let simulation = try Population.simulation(60)
        let lives = Array(simulation.lives)
        #expect(lives.count == 60)
        #expect(try Population.simulation(100).life(41) == lives[41])
        #expect(Array(try Population.simulation(60).lives) == lives)
        let others = try Population.simulation(60, seed: Population.seed &+ 1)
        #expect(zip(lives, others.lives).allSatisfy { $0.events != $1.events })
        let uuids = lives.flatMap { $0.events.map(\.notification.notificationUUID) }
        #expect(Set(uuids).count == uuids.count)
        #expect(Set(lives.map(\.originalTransactionId)).count == 60)
    }

    @Test func `every type and subtype about subscriptions appears, and one that nobody knows`() throws {
        var found: Set<String> = []
        for life in try Population.simulation(4000).lives { found.formUnion(life.events.map(Self.name)) }
        #expect(Set(Self.everyType).subtracting(found) == [], "seed \(Population.seed)")
        #expect(found.subtracting(Self.everyType) == ["SUBSCRIPTION_GREETED WARMLY"])
    }

    @Test func `a year of a population is believable`() throws {
        let simulation = try Population.simulation(2000)
        var states: [SubscriptionStatus.State: Int] = [:]
        var offers: [Int: Int] = [:]
        var tokens = 0
        var families = 0
        var winBacks = 0
        for life in simulation.lives {
            states[try #require(life.truth(at: simulation.ends)).status, default: 0] += 1
            let first = try #require(life.events.first?.transaction)
            tokens += first.appAccountToken == nil ? 0 : 1
            families += first.inAppOwnershipType == .familyShared ? 1 : 0
            for type in life.events.compactMap({ $0.transaction?.offerType?.rawValue }) {
                offers[type, default: 0] += 1
            }
            winBacks += life.events.contains { $0.renewalInfo?.eligibleWinBackOfferIds != nil } ? 1 : 0
        }
        #expect((800...1700).contains(states[.active] ?? 0), "\(states), seed \(Population.seed)")
        #expect((200...1000).contains(states[.expired] ?? 0))
        for state in SubscriptionStatus.State.allCases { #expect((states[state] ?? 0) > 0, "\(state)") }
        #expect(Set(offers.keys) == [1, 2, 3, 4])
        #expect((1100...1600).contains(tokens) && (5...100).contains(families) && winBacks > 20)
    }

    @Test func `histories obey what the App Store never does otherwise`() throws {
        let simulation = try Population.simulation(1500)
        for life in simulation.lives {
            var rules = HistoryRules(life, within: Population.starts..<Population.ends)
            for event in life.events { rules.follow(event) }
            #expect(rules.broken == [], "subscriber \(life.index), seed \(Population.seed)")
        }
    }

    @Test func `what is true follows the clock between notifications`() throws {
        var behaviour = SimulatedBehaviour()
        behaviour.cancelsMonthly = 1
        behaviour.cancelsFreePeriod = 1
        behaviour.changesMind = 0
        let simulation = try Population.simulation(50, behaviour: behaviour)
        for life in simulation.lives {
            let before = Population.starts.adding(milliseconds: -1)
            #expect(life.truth(at: before) == nil)
            for event in life.events where Self.name(event) == "EXPIRED VOLUNTARY" {
                let end = try #require(event.transaction?.expiresDate)
                guard event.transaction?.revocationDate == nil else { continue }
                let last = try #require(life.truth(at: end.adding(milliseconds: -1)))
                #expect(last.status == .active && last.cancelledDate != nil && last.autoRenewStatus == .off)
                let ended = try #require(life.truth(at: end))
                #expect(ended.status == .expired && ended.expirationIntent == nil)
                let told = try #require(life.truth(at: event.signedDate))
                #expect(told.status == .expired && told.expirationIntent == .customerCancelled)
            }
        }
    }

    @Test func `months are counted on the calendar from the first day`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var behaviour = SimulatedBehaviour()
        (behaviour.cancelsMonthly, behaviour.failsToRenew, behaviour.introductoryOffer) = (0, 0, 0)
        (behaviour.offerCode, behaviour.extendedMonthly, behaviour.redeemsOfferMonthly) = (0, 0, 0)
        (behaviour.upgradesMonthly, behaviour.downgradesMonthly) = (0, 0)
        (behaviour.comesBack, behaviour.comesBackAfterRefund) = (0, 0)
        var counted = 0
        for life in try Population.simulation(200, behaviour: behaviour).lives {
            let purchases = life.events.filter { $0.notification.notificationType == "DID_RENEW" }
            guard let first = life.events.first?.transaction, first.productId == ProductID("tide.monthly"),
                let start = first.purchaseDate?.date
            else { continue }
            for (number, purchase) in purchases.enumerated() {
                let expected = calendar.date(byAdding: .month, value: number + 2, to: start)
                #expect(purchase.transaction?.expiresDate?.date == expected)
                counted += 1
            }
        }
        #expect(counted > 100)
    }
}
