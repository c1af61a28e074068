/// Whom a win-back offer is for, in calendar months, as App Store Connect was told.
///
/// The catalogue file does not hold these, so they are configured beside it; Apple's own list, when it is known, decides
/// before them. Source: App Store Connect API, `winBackOffers`, the attributes `customerEligibility…`.
public struct WinBackRule: Hashable, Sendable {
    /// Paid months in a row, free periods not counted.
    public var paidSubscriptionDurationInMonths: Int
    /// Months since the last period ended: at least so many.
    public var timeSinceLastSubscribedInMonthsMinimum: Int
    /// And at most so many; nil sets no end.
    public var timeSinceLastSubscribedInMonthsMaximum: Int?
    /// Months since the period of the last redeemed win-back offer ended; nil asks for none.
    public var waitBetweenOffersInMonths: Int?

    public init(
        paidSubscriptionDurationInMonths: Int, timeSinceLastSubscribedInMonthsMinimum: Int,
        timeSinceLastSubscribedInMonthsMaximum: Int? = nil, waitBetweenOffersInMonths: Int? = nil
    ) {
        self.paidSubscriptionDurationInMonths = paidSubscriptionDurationInMonths
        self.timeSinceLastSubscribedInMonthsMinimum = timeSinceLastSubscribedInMonthsMinimum
        self.timeSinceLastSubscribedInMonthsMaximum = timeSinceLastSubscribedInMonthsMaximum
        self.waitBetweenOffersInMonths = waitBetweenOffersInMonths
    }

    /// Every month rule that the customer misses at `now`.
    ///
    /// - Parameter transactions: the latest version of every transaction of the customer in the group.
    func refusals(
        of offerIdentifier: OfferIdentifier, transactions: [TransactionFact], now: Instant
    ) -> [Refusal] {
        var refusals: [Refusal] = []
        let periods = ServedPeriod.all(transactions)
        let paid = paidMonthsInARow(periods)
        if paid < paidSubscriptionDurationInMonths {
            refusals.append(
                .paidDurationTooShort(
                    offerIdentifier: offerIdentifier, months: paid, required: paidSubscriptionDurationInMonths))
        }
        if let ended = periods.map(\.end).max() {
            let lapsed = ended.wholeMonths(until: now)
            if lapsed < timeSinceLastSubscribedInMonthsMinimum {
                refusals.append(
                    .lapseTooShort(
                        offerIdentifier: offerIdentifier, months: lapsed,
                        minimum: timeSinceLastSubscribedInMonthsMinimum))
            }
            if let maximum = timeSinceLastSubscribedInMonthsMaximum, now > ended.adding(months: maximum) {
                refusals.append(
                    .lapseTooLong(offerIdentifier: offerIdentifier, months: lapsed, maximum: maximum))
            }
        }
        let wonBack = periods.filter(\.isWonBack).map(\.end).max()
        if let wait = waitBetweenOffersInMonths, let wonBack {
            let waited = wonBack.wholeMonths(until: now)
            if waited < wait {
                refusals.append(
                    .winBackTooSoon(offerIdentifier: offerIdentifier, months: waited, required: wait))
            }
        }
        return refusals
    }
}

/// A stretch of service that one transaction gave.
private struct ServedPeriod {
    let begin: Instant
    var end: Instant
    let isFree: Bool
    let isWonBack: Bool

    /// The periods that gave any service, by their begin; one that a later period of its subscription replaced ends
    /// there, whether Apple marked it or not.
    static func all(_ transactions: [TransactionFact]) -> [ServedPeriod] {
        Dictionary(grouping: transactions, by: \.originalTransactionId).values.flatMap { transactions in
            let sorted = transactions.sorted { $1.isLaterPeriod(than: $0) }
            return sorted.indices.compactMap { index -> ServedPeriod? in
                let transaction = sorted[index]
                guard var end = transaction.serviceEnd else { return nil }
                let later = sorted[(index + 1)...].first { $0.serviceEnd != nil }
                if let later { end = min(end, later.purchaseDate) }
                guard transaction.purchaseDate < end else { return nil }
                return ServedPeriod(
                    begin: transaction.purchaseDate, end: end, isFree: transaction.isFree,
                    isWonBack: transaction.offerType == .winBackOffer)
            }
        }.sorted { ($0.begin, $0.end) < ($1.begin, $1.end) }
    }
}

/// Whole paid months of the latest unbroken stretch of service, whichever product it was.
///
/// A free period within the stretch neither counts nor breaks it; a refunded one was not paid and breaks it.
private func paidMonthsInARow(_ periods: [ServedPeriod]) -> Int {
    guard let last = periods.map(\.end).max() else { return 0 }
    var begin = last
    var free: Int64 = 0
    for period in periods.reversed() {
        guard period.end.adding(milliseconds: Limits.renewalGapMilliseconds) >= begin else { break }
        if period.isFree {
            free += max(0, min(period.end, begin).millisecondsSince1970 - period.begin.millisecondsSince1970)
        }
        begin = min(begin, period.begin)
    }
    return begin.adding(milliseconds: free)
        .wholeMonths(until: last.adding(milliseconds: Limits.clockChangeMilliseconds))
}

extension TransactionFact {
    /// Whether the period cost nothing.
    var isFree: Bool { offerDiscountType == "FREE_TRIAL" || price == 0 }

    /// When the service of the period ended or ends; nil for one that was refunded whole.
    ///
    /// A period that an upgrade replaced was served until then, and Apple writes that instant as its `revocationDate`.
    var serviceEnd: Instant? {
        guard let expiresDate else { return nil }
        guard let revocationDate else { return expiresDate }
        return isUpgraded || isProratedRefund || revocationType == "FAMILY_REVOKE"
            ? min(expiresDate, revocationDate) : nil
    }
}
