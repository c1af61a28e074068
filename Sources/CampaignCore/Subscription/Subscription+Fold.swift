import FoundationEssentials

extension Subscription {
    /// Folds every known version of the facts about one subscription; nil when none is about an auto-renewable
    /// subscription.
    ///
    /// The result depends on the set of facts alone, never on their order or number. To know the subscription as of an
    /// instant, give only facts signed by then.
    ///
    /// - The latest signed version of each transaction holds, so that a late renewal does not undo a refund.
    /// - The current period is the one with the newest `purchaseDate`. One that was refunded before it began is passed
    ///   over; one that an upgrade has replaced gives nothing, however long it would still run.
    /// - The latest renewal info holds, unless it was signed before the current period began.
    /// - The account token and the app transaction are the latest that any version tells; a version without one
    ///   takes nothing away.
    ///
    /// Precondition: all facts have the same `originalTransactionId`.
    public init?(transactions: [TransactionFact], renewals: [RenewalFact]) {
        self.init(transactions: transactions) { _ in renewals }
    }

    /// The same with no more renewal infos than it takes: all that were signed at the instant that `renewals` is given or
    /// later. Earlier ones change nothing, and may be among them.
    public init?<Failure: Error>(
        transactions: [TransactionFact], renewals: (Instant) throws(Failure) -> [RenewalFact]
    ) throws(Failure) {
        let isAll = transactions.allSatisfy(\.isPeriod)
        let versions = isAll ? transactions : transactions.filter(\.isPeriod)
        guard let current = Self.currentPeriod(of: versions) else { return nil }
        let signedDates = versions.lazy.filter { $0.transactionId == current.transactionId }.map(\.signedDate)
        try self.init(
            period: current, firstSignedDate: signedDates.reduce(current.signedDate, min),
            revocationDate: Self.revocationDate(of: current, among: versions),
            newestSignedDate: versions.reduce(current.signedDate) { max($0, $1.signedDate) }, renewals: renewals)
        appAccountToken = Self.latest(versions, \.appAccountToken)
        appTransactionId = Self.latest(versions, \.appTransactionId)
    }

    /// The subscription when `transaction` is told on top of all that made `known`, without those facts; nil where they
    /// might have a say, and then all facts are to be folded.
    ///
    /// It is what folding all of them gives. They have no say when the transaction was signed later than each of them,
    /// and its period is the current one still or a later one: then it holds, and no other period can be the current one.
    ///
    /// - Parameters:
    ///   - isFirstVersion: whether nothing was known of the transaction before.
    ///   - renewals: as for the fold of all facts.
    public init?<Failure: Error>(
        known: PeriodSoFar, then transaction: TransactionFact, isFirstVersion: Bool,
        renewals: (Instant) throws(Failure) -> [RenewalFact]
    ) throws(Failure) {
        let isSame = transaction.transactionId == known.transactionId
        let isCurrent =
            isSame
            ? transaction.purchaseDate >= known.purchaseDate
            : isFirstVersion && transaction.purchaseDate > known.purchaseDate
        guard isCurrent, transaction.signedDate > known.newestSignedDate, transaction.isPeriod, transaction.hasBegun,
            !transaction.isUpgraded, !transaction.isProratedRefund
        else { return nil }
        try self.init(
            period: transaction, firstSignedDate: isSame ? known.firstSignedDate : transaction.signedDate,
            revocationDate: transaction.revocationDate, newestSignedDate: transaction.signedDate, renewals: renewals)
        appAccountToken = transaction.appAccountToken ?? known.appAccountToken
        appTransactionId = transaction.appTransactionId ?? known.appTransactionId
    }

    /// - Parameter newestSignedDate: of all transactions.
    private init?<Failure: Error>(
        period current: TransactionFact, firstSignedDate: Instant, revocationDate: Instant?, newestSignedDate: Instant,
        renewals: (Instant) throws(Failure) -> [RenewalFact]
    ) throws(Failure) {
        guard let expiresDate = current.expiresDate else { return nil }
        originalTransactionId = current.originalTransactionId
        transactionId = current.transactionId
        productId = current.productId
        subscriptionGroupIdentifier = current.subscriptionGroupIdentifier
        inAppOwnershipType = current.inAppOwnershipType
        purchaseDate = current.purchaseDate
        self.expiresDate = expiresDate
        self.firstSignedDate = firstSignedDate
        self.revocationDate = revocationDate
        offerType = current.offerType
        offerIdentifier = current.offerIdentifier
        storefront = current.storefront

        // What may have been signed of this period, with some time before it.
        let begin = min(current.purchaseDate, firstSignedDate)
            .adding(milliseconds: -Limits.renewalInfoLeadMilliseconds)
        let renewals = try renewals(begin)
        let history = Self.renewalHistory(renewals.filter { $0.signedDate >= begin })
        let latest = history.last
        autoRenewStatus = latest?.autoRenewStatus
        autoRenewProductId = latest?.autoRenewProductId
        planChange = Self.planChange(to: latest?.autoRenewProductId, from: current.productId, by: history)
        expirationIntent = latest?.expirationIntent
        isInBillingRetryPeriod = latest?.isInBillingRetryPeriod
        gracePeriodExpiresDate = latest?.gracePeriodExpiresDate
        priceIncreaseStatus = latest?.priceIncreaseStatus
        eligibleWinBackOfferIds = latest?.eligibleWinBackOfferIds ?? []
        renewalOfferType = latest?.offerType
        renewalOfferIdentifier = latest?.offerIdentifier
        renewalPrice = latest?.renewalPrice
        currency = latest?.currency
        saveWindowOpensDate = Self.saveWindowOpensDate(history, before: expiresDate)

        // A renewal info of before `begin` is older than every version of the current period.
        self.newestSignedDate = renewals.reduce(newestSignedDate) { max($0, $1.signedDate) }
    }

    /// The latest version of the transaction that the current period is.
    private static func currentPeriod(of versions: [TransactionFact]) -> TransactionFact? {
        var held: [TransactionID: Int] = [:]
        held.reserveCapacity(versions.count)
        for (index, version) in versions.enumerated() {
            if let other = held[version.transactionId], !version.holds(over: versions[other]) { continue }
            held[version.transactionId] = index
        }
        var current: TransactionFact?
        for index in held.values {
            let period = versions[index]
            guard let other = current else {
                current = period
                continue
            }
            let isLater =
                period.hasBegun == other.hasBegun ? period.isLaterPeriod(than: other) : period.hasBegun
            if isLater { current = period }
        }
        return current
    }

    /// When the access of the period ended early; nil while it has not.
    ///
    /// Apple does not say whether a prorated refund ends the access, so the status that Apple reported with the refund
    /// decides. A version that the device sent reports none and does not speak against an earlier one that does.
    private static func revocationDate(of period: TransactionFact, among versions: [TransactionFact]) -> Instant? {
        guard let revocationDate = period.revocationDate else { return period.isUpgraded ? period.signedDate : nil }
        guard period.isProratedRefund else { return revocationDate }
        let reported = versions.filter {
            $0.transactionId == period.transactionId && $0.isProratedRefund && $0.revocationDate == revocationDate
                && $0.reportedStatus != nil
        }
        let latest = reported.max { ($0.signedDate, $0.reportedStatus ?? 0) < ($1.signedDate, $1.reportedStatus ?? 0) }
        return latest?.reportedStatus == 1 && !period.isUpgraded ? nil : revocationDate
    }

    /// The renewal infos in order, oldest first, one for each millisecond of signing.
    private static func renewalHistory(_ renewals: [RenewalFact]) -> [RenewalFact] {
        var history: [RenewalFact] = []
        for fact in renewals.sorted(by: { $1.holds(over: $0) }) {
            if history.last?.signedDate == fact.signedDate { history.removeLast() }
            history.append(fact)
        }
        return history
    }

    private static func planChange(
        to next: ProductID?, from productId: ProductID, by history: [RenewalFact]
    ) -> PlanChange? {
        guard let next, next != productId else { return nil }
        return history.last { $0.autoRenewProductId == next && $0.planChange != nil }?.planChange
    }

    /// When the last unbroken stretch of facts that know auto-renew off began, if that was neither after the period nor
    /// for trouble with billing.
    private static func saveWindowOpensDate(_ history: [RenewalFact], before expiresDate: Instant) -> Instant? {
        var first: RenewalFact?
        for fact in history {
            guard let status = fact.autoRenewStatus else { continue }
            first = status == .off ? first ?? fact : nil
        }
        guard let first, first.signedDate < expiresDate, first.isInBillingRetryPeriod != true else { return nil }
        return first.signedDate
    }

    /// What the latest signed version that tells it says; of several of one millisecond the greatest.
    private static func latest<Value: Comparable>(
        _ versions: [TransactionFact], _ value: (TransactionFact) -> Value?
    ) -> Value? {
        var latest: (signedDate: Instant, value: Value)?
        for version in versions {
            guard let value = value(version) else { continue }
            if let known = latest, (known.signedDate, known.value) >= (version.signedDate, value) { continue }
            latest = (version.signedDate, value)
        }
        return latest?.value
    }
}

extension TransactionFact {
    /// Whether it is about a period of a subscription.
    fileprivate var isPeriod: Bool { type == .autoRenewableSubscription && expiresDate != nil }

    /// Whether it ran at all: a renewal that is charged ahead can be refunded before its period begins.
    fileprivate var hasBegun: Bool { revocationDate.map { $0 > purchaseDate } ?? true }
}
