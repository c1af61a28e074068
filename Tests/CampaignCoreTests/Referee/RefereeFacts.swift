import CampaignCore
import Foundation

/// Makes what is known of one customer, and an instant that often lies at a bound of something.
struct RefereeFacts {
    var draws: RefereeDraws
    let zones: [TimeZoneRules]
    private static let tokens = RefereeCampaigns.tokens.map { UUID(uuidString: $0) }
    private static let otherToken = UUID(uuidString: "11110000-0000-4000-8000-000000000000")

    /// - Parameter campaigns: one or more, all of which have rules.
    mutating func question(_ campaigns: [Campaign], environment: AppStoreEnvironment) -> RefereeCase {
        let number = draws.chance(10) ? 1 : draws.below(5000)
        let subscription = subscription(OriginalTransactionID("200000000\(number)"), environment)
        let now = instant(campaigns, subscription, environment)
        var facts = CampaignFacts(environment: environment, subscription: subscription)
        if draws.chance(25) {
            facts.subscriptions.insert(self.subscription("3000000001", environment), at: draws.below(2))
        }
        for one in facts.subscriptions { facts.transactions += transactions(of: one, now: now) }
        if draws.chance(4) { facts.transactions = draws.chance(50) ? [] : [facts.transactions[0].madeConsumable] }
        facts.appAccountToken =
            draws.chance(55) ? subscription.appAccountToken : draws.pick(Self.tokens + [nil, Self.otherToken])
        facts.zone = draws.chance(40) ? nil : draws.pick(zones)
        facts.given = given(campaigns, facts, now: now)
        facts.arms = arms(campaigns)
        for campaign in campaigns where draws.chance(30) { facts.redemptions[campaign.name] = 4 + draws.below(3) }
        facts.exhaustedCodes = Set(draws.some(of: RefereeCatalog.codes, percent: 12))
        return RefereeCase(
            campaigns: campaigns, facts: facts, bundleId: RefereeCampaigns.bundleId,
            via: draws.pick([.app, .app, .retentionMessage, .webhook]),
            only: draws.chance(8) ? draws.pick(RefereeCampaigns.names) : nil,
            winBackRules: draws.chance(70) ? RefereeCatalog.winBackRules : [:],
            isWinBackListKnown: draws.chance(20), offerGuard: offerGuard(), now: now)
    }

    private mutating func offerGuard() -> OfferGuard {
        guard draws.chance(60) else {
            return OfferGuard(offersPerYear: nil, savesPerYear: nil, accountsPerSubscription: nil)
        }
        return OfferGuard(
            offersPerYear: draws.pick([1, 2, 3, nil]), savesPerYear: draws.pick([1, 2, nil]),
            accountsPerSubscription: draws.pick([1, 2, nil]))
    }

    // MARK: - The subscription

    private mutating func subscription(
        _ id: OriginalTransactionID, _ environment: AppStoreEnvironment
    ) -> Subscription {
        let product = draws.pick(RefereeCatalog.products)
        let isYear = product.product == "low"
        // A year of an hour and a month of five minutes, or the pace of real time.
        let isFast = environment == .sandbox && draws.chance(80)
        let length = isFast ? (isYear ? hour : 5 * minute) : (isYear ? 365 : 30) * day
        let begin = RefereeCampaigns.base.adding(
            milliseconds: Int64(draws.below(400) - 300) * (isFast ? minute / 4 : 6 * hour) - (isYear ? length / 2 : 0))
        var one = Subscription(
            originalTransactionId: id, transactionId: TransactionID("\(id)9"), productId: product.product,
            purchaseDate: begin, expiresDate: begin.adding(milliseconds: length), firstSignedDate: begin,
            newestSignedDate: begin)
        one.subscriptionGroupIdentifier = product.group
        one.autoRenewStatus = draws.pick([.on, .off, .off, nil])
        one.autoRenewProductId = draws.pick([nil, nil, "top", "middle", "low"])
        one.planChange = draws.pick([nil, .upgrade])
        one.expirationIntent = draws.pick(
            [nil, nil, .customerCancelled, .customerCancelled, .billingError, .customerDidNotConsentToPriceIncrease])
        one.isInBillingRetryPeriod = draws.pick([nil, nil, nil, false, true])
        if draws.chance(20) { one.gracePeriodExpiresDate = one.expiresDate.adding(milliseconds: length / 2) }
        if draws.chance(6) { one.revocationDate = begin.adding(milliseconds: length / 3) }
        one.offerType = draws.pick([nil, nil, .introductoryOffer, .promotionalOffer, .winBackOffer])
        one.inAppOwnershipType = draws.pick([nil, .purchased, .purchased, .familyShared])
        one.storefront = draws.pick([nil, "DEU", "USA", "CHN"])
        if draws.chance(55) {
            one.eligibleWinBackOfferIds = draws.some(of: RefereeCatalog.winBack + ["backUnknown"], percent: 55)
        }
        one.appAccountToken = draws.pick(Self.tokens + [nil])
        return one
    }

    /// The current period and some before it, now and then with a promotional offer that runs over several of them.
    private mutating func transactions(of subscription: Subscription, now: Instant) -> [TransactionFact] {
        var transactions: [TransactionFact] = []
        let length = subscription.expiresDate.millisecondsSince1970 - subscription.purchaseDate.millisecondsSince1970
        var offer: OfferIdentifier?
        var type: OfferType?
        let count = draws.pick([1, 2, 3, 5])
        for index in 0..<count {
            let back = Int64(index - count + 1)
            var begin = subscription.purchaseDate.adding(milliseconds: back * length)
            // The oldest at the bound of a year ago, which the guard asks for.
            if index == 0, count > 2, draws.chance(30) {
                begin = now.adding(milliseconds: draws.edge() - 365 * day)
            }
            if draws.chance(60) {
                type = draws.pick([nil, .promotionalOffer, .promotionalOffer, .winBackOffer, .offerCode])
                switch type {
                case .promotionalOffer: offer = draws.pick(["shared", "topOnly"])
                case .offerCode: offer = draws.pick(RefereeCatalog.codes)
                case .winBackOffer: offer = "back1"
                default: offer = nil
                }
            }
            var fact = TransactionFact(
                originalTransactionId: subscription.originalTransactionId,
                transactionId: TransactionID("\(subscription.originalTransactionId)\(index)"),
                productId: subscription.productId,
                subscriptionGroupIdentifier: subscription.subscriptionGroupIdentifier,
                type: .autoRenewableSubscription, purchaseDate: begin, expiresDate: begin.adding(milliseconds: length),
                revocationDate: index == count - 1 ? subscription.revocationDate : nil, offerType: type,
                offerIdentifier: offer,
                appAccountToken: draws.chance(70) ? subscription.appAccountToken : draws.pick(Self.tokens + [nil]),
                signedDate: begin.adding(milliseconds: Int64(index)))
            fact.price = draws.chance(80) ? 4990 : 0
            transactions.append(fact)
        }
        if draws.chance(30) { transactions.reverse() }
        return transactions
    }

    // MARK: - The instant

    /// At a bound of something, or anywhere around it.
    private mutating func instant(
        _ campaigns: [Campaign], _ subscription: Subscription, _ environment: AppStoreEnvironment
    ) -> Instant {
        let campaign = draws.pick(campaigns)
        let expires = subscription.expiresDate
        let clock = AcceleratedClock(subscription, catalog: RefereeCatalog.catalog, environment: environment)
        let far = clock.scaled(milliseconds: Int64(draws.below(600) - 250) * 8 * hour)
        let when = draws.pick(campaign.rules).when
        switch draws.below(12) {
        case 0: return (campaign.starts ?? expires).adding(milliseconds: draws.edge())
        case 1: return (campaign.ends ?? expires).adding(milliseconds: draws.edge())
        case 2: return expires.adding(milliseconds: draws.edge())
        case 3: return (subscription.gracePeriodExpiresDate ?? expires).adding(milliseconds: draws.edge())
        case 4, 5:
            guard let range = when.untilExpires else { break }
            let bound = (draws.chance(50) ? range.atLeastMilliseconds : range.atMostMilliseconds) ?? 0
            return expires.adding(milliseconds: draws.edge() - clock.scaled(milliseconds: bound))
        case 6, 7:
            guard let range = when.sinceExpired else { break }
            let bound = (draws.chance(50) ? range.atLeastMilliseconds : range.atMostMilliseconds) ?? 0
            return expires.adding(milliseconds: draws.edge() + clock.scaled(milliseconds: bound))
        case 8:
            // The midnights around the change of clocks.
            let midnight = zones[0].instant(of: LocalTime(zones[0].localTime(at: RefereeCampaigns.base).date.next))
            return midnight.adding(milliseconds: draws.edge() + Int64(draws.below(2)) * day)
        default: break
        }
        return expires.adding(milliseconds: far)
    }

    // MARK: - What campaigns did before

    private mutating func given(_ campaigns: [Campaign], _ facts: CampaignFacts, now: Instant) -> [GivenOffer] {
        var given: [GivenOffer] = []
        for _ in 0..<draws.pick([0, 0, 1, 2, 3, 4]) {
            let campaign = draws.pick(campaigns)
            let name = draws.chance(70) ? campaign.name : draws.pick(RefereeCampaigns.names + ["long-ago"])
            var one = GivenOffer(campaign: name, rule: "first", givenDate: givenDate(campaign, facts, now: now))
            one.offerType = draws.pick([nil, .promotionalOffer, .promotionalOffer, .winBackOffer])
            one.offerIdentifier = one.offerType == nil ? nil : "shared"
            one.outcome = draws.pick([nil, nil, nil, .failed, .purchased, .cancelled])
            one.appAccountToken = draws.pick(Self.tokens + [nil, nil])
            given.append(one)
        }
        given.sort { $0.givenDate > $1.givenDate }
        return given
    }

    private mutating func givenDate(_ campaign: Campaign, _ facts: CampaignFacts, now: Instant) -> Instant {
        switch draws.below(8) {
        case 0: return now.adding(milliseconds: draws.edge() - 365 * day)
        case 1: return now.adding(milliseconds: Int64(draws.below(20)) * hour)
        case 2, 3, 4:
            guard let cap = campaign.limits.frequencyCaps.first else { break }
            if case .rolling(let milliseconds) = cap.per {
                return now.adding(milliseconds: draws.edge() - milliseconds)
            }
            let zone = facts.zone ?? campaign.limits.quietHours?.zone ?? .utc
            let midnight = zone.instant(of: LocalTime(zone.localTime(at: now).date))
            return midnight.adding(milliseconds: draws.edge())
        default: break
        }
        return now.adding(milliseconds: -Int64(draws.below(400)) * 6 * hour)
    }

    /// Some that hold, and some that the file no longer has.
    private mutating func arms(_ campaigns: [Campaign]) -> [String: String] {
        var arms: [String: String] = [:]
        for campaign in campaigns {
            if draws.chance(15) { arms["holdout/\(campaign.name)"] = draws.pick(["heldOut", "treated", "treated"]) }
            if draws.chance(35) { arms["variant/\(campaign.name)"] = draws.pick(["half", "third", "removed"]) }
        }
        if draws.chance(10) { arms["holdout/global/2027q1"] = draws.pick(["heldOut", "treated"]) }
        return arms
    }
}

extension TransactionFact {
    /// The same purchase of something that is no subscription.
    fileprivate var madeConsumable: TransactionFact {
        TransactionFact(
            originalTransactionId: originalTransactionId, transactionId: transactionId, productId: "coins",
            subscriptionGroupIdentifier: nil, type: .consumable, purchaseDate: purchaseDate, expiresDate: nil,
            appAccountToken: appAccountToken, signedDate: signedDate)
    }
}
