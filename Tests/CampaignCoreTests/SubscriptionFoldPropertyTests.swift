import Foundation
import TestSupport
import Testing

@testable import CampaignCore

/// A signed fact of either kind.
private enum SignedFact: Hashable {
    case transaction(TransactionFact)
    case renewal(RenewalFact)

    var signedDate: Instant {
        switch self {
        case .transaction(let fact): fact.signedDate
        case .renewal(let fact): fact.signedDate
        }
    }

    var transaction: TransactionFact? {
        if case .transaction(let fact) = self { fact } else { nil }
    }

    var renewal: RenewalFact? {
        if case .renewal(let fact) = self { fact } else { nil }
    }
}

private func folded(_ facts: [SignedFact]) -> Subscription? {
    var transactions: [TransactionFact] = []
    var renewals: [RenewalFact] = []
    for fact in facts {
        switch fact {
        case .transaction(let fact): transactions.append(fact)
        case .renewal(let fact): renewals.append(fact)
        }
    }
    return Subscription(transactions: transactions, renewals: renewals)
}

/// The referee: reads the facts in the order of their signatures and keeps what each one says.
private struct NaiveSubscription {
    private var periods: [TransactionID: TransactionFact] = [:]
    private var firstSigned: [TransactionID: Instant] = [:]
    /// What Apple reported last with each prorated refund, by its transaction and date.
    private var prorated: [TransactionID: [Instant: Int]] = [:]
    private var renewals: [RenewalFact] = []
    private var token: UUID?
    private var appTransactionId: AppTransactionID?

    mutating func apply(_ fact: SignedFact) {
        switch fact {
        case .renewal(let fact): renewals.append(fact)
        case .transaction(let fact):
            periods[fact.transactionId] = fact
            if firstSigned[fact.transactionId] == nil { firstSigned[fact.transactionId] = fact.signedDate }
            if fact.revocationType == "REFUND_PRORATED", let date = fact.revocationDate,
                let status = fact.reportedStatus
            {
                prorated[fact.transactionId, default: [:]][date] = status
            }
            if let known = fact.appAccountToken { token = known }
            if let known = fact.appTransactionId { appTransactionId = known }
        }
    }

    var subscription: Subscription? {
        let byBegin = periods.values.sorted { $0.purchaseDate < $1.purchaseDate }
        let begun = byBegin.filter { $0.revocationDate == nil || $0.revocationDate! > $0.purchaseDate }
        guard let period = begun.last ?? byBegin.last else { return nil }
        var revoked = period.revocationDate
        if period.revocationType == "REFUND_PRORATED", let date = revoked, !period.isUpgraded,
            prorated[period.transactionId]?[date] == 1
        {
            revoked = nil
        }
        if period.isUpgraded && revoked == nil { revoked = period.signedDate }
        var result = Subscription(
            originalTransactionId: period.originalTransactionId, transactionId: period.transactionId,
            productId: period.productId, subscriptionGroupIdentifier: period.subscriptionGroupIdentifier,
            purchaseDate: period.purchaseDate, expiresDate: period.expiresDate!,
            firstSignedDate: firstSigned[period.transactionId]!, revocationDate: revoked,
            offerType: period.offerType, eligibleWinBackOfferIds: [], appAccountToken: token,
            appTransactionId: appTransactionId,
            newestSignedDate: (periods.values.map(\.signedDate) + renewals.map(\.signedDate)).max()!)
        let begin = min(period.purchaseDate, firstSigned[period.transactionId]!).millisecondsSince1970 - 60_000
        var changes: [ProductID: PlanChange] = [:]
        for fact in renewals where fact.signedDate.millisecondsSince1970 >= begin {
            let wasOff = result.autoRenewStatus == .off
            result.autoRenewStatus = fact.autoRenewStatus
            result.autoRenewProductId = fact.autoRenewProductId
            result.expirationIntent = fact.expirationIntent
            result.isInBillingRetryPeriod = fact.isInBillingRetryPeriod
            result.gracePeriodExpiresDate = fact.gracePeriodExpiresDate
            result.eligibleWinBackOfferIds = fact.eligibleWinBackOfferIds
            if let next = fact.autoRenewProductId, let change = fact.planChange { changes[next] = change }
            let opens = fact.signedDate < period.expiresDate! && fact.isInBillingRetryPeriod != true
            if fact.autoRenewStatus == .on { result.saveWindowOpensDate = nil }
            if fact.autoRenewStatus == .off, !wasOff { result.saveWindowOpensDate = opens ? fact.signedDate : nil }
        }
        if let next = result.autoRenewProductId, next != period.productId { result.planChange = changes[next] }
        return result
    }
}

/// A history of one subscription such as Apple could sign, and a few that it would not.
private func history<Generator: RandomNumberGenerator>(
    length: Int, hasTies: Bool, using generator: inout Generator
) -> [SignedFact] {
    let products: [ProductID] = ["tide.monthly", "tide.yearly", "tide.plain", "tide.gone"]
    let tokens = [
        nil, nil, UUID(uuidString: "7e3f0000-0000-4000-8000-000000000001"),
        UUID(uuidString: "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E"),
    ]
    // Few instants, so that many facts were signed in the same millisecond.
    let instants = Array(0..<Int64(hasTies ? max(2, length / 20) : 5 * length)).shuffled(using: &generator)
    return (0..<length).map { index in
        let signed = Moment.day(5 * instants[hasTies ? Int.random(in: 0..<instants.count, using: &generator) : index])
        if Bool.random(using: &generator) {
            let number = Int64.random(in: 0..<Int64(max(2, length / 3)), using: &generator)
            let begin = Moment.day(30 * number)
            let isRevoked = Int.random(in: 0..<3, using: &generator) == 0
            var version = month(
                TransactionID("\(number)"), product: products.randomElement(using: &generator)!, from: begin,
                until: Moment.day(30 * number + Int64.random(in: 28...32, using: &generator)),
                revoked: isRevoked ? Moment.day(30 * number + Int64.random(in: -2...20, using: &generator)) : nil,
                isUpgraded: Int.random(in: 0..<6, using: &generator) == 0,
                token: tokens.randomElement(using: &generator)!, signed: signed)
            if isRevoked {
                version.revocationType = ["REFUND_PRORATED", "REFUND_FULL", nil].randomElement(using: &generator)!
                version.reportedStatus = [1, 5, nil].randomElement(using: &generator)!
            }
            return .transaction(version)
        }
        return .renewal(
            renewal(
                signed: signed, status: [.on, .off, .off].randomElement(using: &generator)!,
                next: products.randomElement(using: &generator),
                intent: [nil, .customerCancelled, .billingError].randomElement(using: &generator)!,
                inRetry: [nil, false, true].randomElement(using: &generator)!,
                grace: Bool.random(using: &generator) ? signed.adding(milliseconds: 1) : nil,
                winBack: Bool.random(using: &generator) ? ["wb_month_free"] : [],
                change: [nil, .upgrade, .downgrade].randomElement(using: &generator)!))
    }
}

@Suite struct `Subscriptions whatever the order of their facts` {
    @Test func `every order and any repeat of a short history gives the same`() {
        let seed = propertySeed()
        print("short histories: HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<40 {
            // The longest have 720 orders; of the others one fact comes twice.
            let length = [6, 5, 4, 3][round % 4]
            let facts = history(length: length, hasTies: round % 2 == 0 || round % 3 == 0, using: &generator)
            let repeated = length < 6 ? facts + [facts[0]] : facts
            let expected = folded(facts)
            for order in permutations(repeated) where folded(order) != expected {
                Issue.record("seed \(seed), round \(round): another order of \(facts) gives another subscription")
                return
            }
        }
    }

    @Test func `shuffles and repeats of long histories give the same`() {
        let seed = propertySeed()
        print("long histories: HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<60 {
            let facts = history(length: 80, hasTies: round % 2 == 0, using: &generator)
            let expected = folded(facts)
            for _ in 0..<10 {
                let repeats = (0..<20).map { _ in facts.randomElement(using: &generator)! }
                if folded((facts + repeats).shuffled(using: &generator)) != expected {
                    Issue.record("seed \(seed), round \(round): a shuffle gives another subscription")
                    return
                }
            }
        }
    }

    @Test func `a referee that reads the facts in order agrees`() {
        let seed = propertySeed()
        print("histories against the referee: HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        var folds = 0
        for round in 0..<2000 {
            let facts = history(length: 1 + round % 24, hasTies: false, using: &generator)
            var referee = NaiveSubscription()
            for fact in facts.sorted(by: { $0.signedDate < $1.signedDate }) { referee.apply(fact) }
            if folded(facts.shuffled(using: &generator)) != referee.subscription {
                Issue.record("seed \(seed), round \(round): \(facts)")
                return
            }
            if referee.subscription != nil { folds += 1 }
        }
        #expect(folds > 1500)
    }

    @Test func `a transaction told on top of a fold gives what folding everything gives`() {
        let seed = propertySeed()
        print("facts on top of a fold: HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        var (told, leftToAll) = (0, 0)
        for round in 0..<3000 {
            var facts = history(length: 2 + round % 24, hasTies: round % 3 == 0, using: &generator)
            if round % 2 == 0 { facts.sort { $0.signedDate < $1.signedDate } }
            for (index, fact) in facts.enumerated() {
                guard case .transaction(let added) = fact, let before = folded(Array(facts[..<index])) else { continue }
                let known = facts[..<index].compactMap(\.transaction)
                // With the transaction may come a renewal info, as in a notification.
                let some = facts[...min(facts.count - 1, index + round % 2)]
                guard some.count - index == 1 || some.last?.transaction == nil else { continue }
                let next = Subscription(
                    known: PeriodSoFar(before), then: added,
                    isFirstVersion: !known.contains { $0.transactionId == added.transactionId }
                ) { begin in some.compactMap(\.renewal).filter { $0.signedDate >= begin } }
                guard let next else {
                    leftToAll += 1
                    continue
                }
                told += 1
                if next != folded(Array(some)) {
                    Issue.record("seed \(seed), round \(round): \(added) on top of \(facts[..<index])")
                    return
                }
            }
        }
        #expect(told > 1000)
        #expect(leftToAll > 1000)
    }
}
