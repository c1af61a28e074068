import CampaignCore
import FoundationEssentials

/// One subscriber's life while it is told, from the first purchase to the end of the simulation.
///
/// It keeps what Apple would keep (the present purchase and what will happen at its end), lets things happen to it in
/// order of time, and writes down each notification together with what is true from then on.
struct LifeStory {
    let simulation: Simulation
    let index: Int
    var chance: Chance
    /// Only for identifiers, so that what happens does not depend on how much is told of it.
    var identifiers: Chance

    /// How far the life is told; nothing is signed before it.
    var now: Instant
    var status = SubscriptionStatus.State.active
    var product: SimulatedProduct
    /// The product at the next renewal.
    var nextProduct: SimulatedProduct
    /// The purchase of the current period.
    var transaction = JWSTransactionDecodedPayload()
    var renewalInfo = JWSRenewalInfoDecodedPayload()
    /// Periods before the current one that may still be refunded, newest last.
    var earlier: [JWSTransactionDecodedPayload] = []
    /// Ends of periods are counted from here, so that a subscription of the 31st comes back to the 31st.
    var billingStart: Instant
    var periodsBilled = 0
    /// The offer that the current period has, and how many periods are to come with it.
    var offer: SimulatedOffer?
    var offerPeriodsLeft = 0
    /// Redeemed, for the next renewal.
    var redeemed: SimulatedOffer?
    var transactionCount = 0
    var paidPeriods = 0
    /// In percent of the product's price.
    var pricePercent: Int64 = 100
    var cancelledDate: Instant?
    var hasUsedIntroductoryOffer = false
    let isFamilyShared: Bool

    private var events: [SimulatedEvent] = []
    private var truths: [SimulatedTruth] = []
    private(set) var isOver = false

    init(of simulation: Simulation, index: Int) {
        self.simulation = simulation
        self.index = index
        chance = Chance(seed: simulation.seed, index: index, purpose: 1)
        identifiers = Chance(seed: simulation.seed, index: index, purpose: 2)
        product = chance.one(of: simulation.products) ?? simulation.products[0]
        nextProduct = product
        let joinsFamily = chance.happens(simulation.behaviour.familyShared)
        isFamilyShared = product.isFamilyShareable && joinsFamily
        let span = simulation.starts.milliseconds(until: simulation.ends)
        let within = chance.happens(simulation.behaviour.earlyStart) ? span / 30 : span
        // The first notification is signed within half a minute, and belongs to the simulation.
        now =
            simulation.starts.adding(milliseconds: 999 + chance.number(in: 0...within - 1) / 60_000 * 59_000)
            .wholeSecond
        billingStart = now
    }

    var behaviour: SimulatedBehaviour { simulation.behaviour }
    var expires: Instant { transaction.expiresDate ?? now }
    var isCancelled: Bool { renewalInfo.autoRenewStatus == .off }
    /// Whether the period costs nothing.
    var isFree: Bool { offer?.offerDiscountType == "FREE_TRIAL" }

    var life: SimulatedLife {
        SimulatedLife(
            index: index, originalTransactionId: originalTransactionId, events: events, truths: truths)
    }

    /// Apple's counts of Production and of the sandbox begin differently; each subscriber has a thousand numbers.
    private var firstNumber: Int {
        (simulation.environment == .sandbox ? 2_000_001_000_000_000 : 430_000_000_000_000)
            + Limits.transactionsPerLife * index
    }

    var originalTransactionId: OriginalTransactionID { OriginalTransactionID("\(firstNumber)") }

    mutating func nextTransactionId() -> TransactionID {
        transactionCount += 1
        return TransactionID("\(firstNumber + transactionCount - 1)")
    }

    // MARK: - Telling

    /// Writes down a notification that Apple signs at `date`, or as soon after it as it can.
    ///
    /// - Parameter other: the purchase it is about, when that is not the current one.
    mutating func sign(
        _ type: String, _ subtype: String? = nil, at date: Instant, about other: JWSTransactionDecodedPayload? = nil,
        change: (inout NotificationData) -> Void = { _ in }
    ) {
        let signedDate = max(date, now.adding(milliseconds: 1))
        guard !isOver, signedDate < simulation.ends else {
            isOver = true
            return
        }
        now = signedDate
        var signed = other ?? transaction
        signed.signedDate = signedDate
        renewalInfo.signedDate = signedDate
        var data = notificationData
        data.status = status.number
        change(&data)
        append(type, subtype, signed, renewalInfo, data: data, summary: nil)
        remember(signedDate)
    }

    /// Writes down a notification that is about no purchase.
    mutating func signAlone(_ type: String, _ subtype: String? = nil, at date: Instant, summary: NotificationSummary?) {
        let signedDate = max(date, now.adding(milliseconds: 1))
        guard !isOver, signedDate < simulation.ends else { return }
        now = signedDate
        append(type, subtype, nil, nil, data: summary == nil ? notificationData : nil, summary: summary)
    }

    private mutating func append(
        _ type: String, _ subtype: String?, _ transaction: JWSTransactionDecodedPayload?,
        _ renewalInfo: JWSRenewalInfoDecodedPayload?, data: NotificationData?, summary: NotificationSummary?
    ) {
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = type
        notification.subtype = subtype
        notification.notificationUUID = identifiers.uuid()
        notification.version = "2.0"
        notification.signedDate = now
        notification.data = data
        notification.summary = summary
        events.append(
            SimulatedEvent(
                notification: notification, transaction: transaction, renewalInfo: renewalInfo, signedDate: now))
    }

    /// Time passes `date`, and with it the status changes though nothing is signed.
    mutating func pass(_ date: Instant, to status: SubscriptionStatus.State) {
        guard !isOver, date <= simulation.ends else {
            isOver = true
            return
        }
        self.status = status
        now = max(now, date)
        remember(now)
    }

    private mutating func remember(_ date: Instant) {
        guard let transactionId = transaction.transactionId else { return }
        truths.append(
            SimulatedTruth(
                since: date, status: status, autoRenewStatus: renewalInfo.autoRenewStatus ?? .on,
                productId: product.productId, expiresDate: expires, transactionId: transactionId,
                autoRenewProductId: nextProduct.productId,
                gracePeriodExpiresDate: renewalInfo.gracePeriodExpiresDate,
                expirationIntent: renewalInfo.expirationIntent, cancelledDate: cancelledDate))
    }

    private var notificationData: NotificationData {
        var data = NotificationData()
        data.appAppleId = simulation.appAppleId
        data.bundleId = simulation.bundleId
        data.bundleVersion = "637"
        data.environment = simulation.environment
        return data
    }
}

extension SubscriptionStatus.State {
    /// As the App Store numbers it.
    fileprivate var number: Int {
        switch self {
        case .active: 1
        case .expired: 2
        case .billingRetry: 3
        case .billingGracePeriod: 4
        case .revoked: 5
        }
    }
}
