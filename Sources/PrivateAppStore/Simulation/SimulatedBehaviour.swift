/// How often simulated customers do what customers do; every figure is a share from 0 to 1 unless it says otherwise.
///
/// The figures are made up to be believable for a monthly subscription; none was measured for one app. What a rate a
/// month means for another period is compounded over its months.
public struct SimulatedBehaviour: Hashable, Sendable {
    // How a subscription begins.

    /// Subscribers who start in the first thirtieth of the time, so that there is a base to lose; the rest come evenly.
    public var earlyStart = 0.35
    /// New customers who take an introductory offer where the product has one: most do.
    public var introductoryOffer = 0.6
    /// New customers who came through an offer code where one is for them.
    public var offerCode = 0.08
    /// Apps that pass an `appAccountToken` are common, but customers of older versions have none.
    public var appAccountToken = 0.7
    /// Subscribers of a shareable product who are members of the buyer's family.
    public var familyShared = 0.05

    // Of their own will.

    /// Customers a month who turn auto-renew off, of those who pay.
    public var cancelsMonthly = 0.07
    /// Customers who turn auto-renew off in a free period: about half of all trials do not convert.
    public var cancelsFreePeriod = 0.45
    /// Of those who turned it off, how many turn it on again before the end.
    public var changesMind = 0.18
    /// Of those who changed their mind, how many do so by a change of plan or an offer.
    public var changesMindBySomethingElse = 0.3
    /// Of those who turned it on again, how many turn it off once more.
    public var cancelsAgain = 0.2

    // Billing.

    /// Renewals that fail at first: expired cards and empty accounts.
    public var failsToRenew = 0.06
    /// 3, 16 or 28 days; 0 when the app has no grace period.
    public var gracePeriodDays = 16
    /// Whether a first payment after a free period has a grace period too.
    public var graceAfterFreePeriod = false
    /// Failed payments that succeed within the grace period.
    public var recoversInGrace = 0.45
    /// Failed payments, not recovered before, that succeed later in the 60 days.
    public var recoversInRetry = 0.25
    /// Failed payments that the customer ends by turning auto-renew off.
    public var cancelsInRetry = 0.08
    /// Renewals that Apple makes and signs up to 24 hours before the period begins.
    public var renewsEarly = 0.25
    /// Of what fails, how much Apple knows before the period ends.
    public var failsEarly = 0.3

    // What happens now and then, a month.

    /// Refunds of the current period.
    public var refundsMonthly = 0.008
    /// Refunds of a period before it.
    public var refundsEarlierMonthly = 0.003
    /// Refunds that end a part of the period only.
    public var proratedRefund = 0.12
    /// Refunds whose `REFUND` comes without a notification that auto-renew went off.
    public var refundTurnsOffSilently = 0.5
    /// Refunds that are reversed after a dispute.
    public var refundReversed = 0.12
    /// Requests for a refund that Apple declines, a month.
    public var refundsDeclinedMonthly = 0.004
    /// Refunds before which Apple asks the developer about consumption.
    public var consumptionRequest = 0.4
    public var upgradesMonthly = 0.012
    public var downgradesMonthly = 0.01
    /// Of the changes that wait for renewal, how many are taken back.
    public var planChangeUndone = 0.25
    /// Changes of plan that use a promotional offer where the product has one.
    public var planChangeWithOffer = 0.2
    /// Active customers who redeem a promotional offer or a code.
    public var redeemsOfferMonthly = 0.015
    public var extendedMonthly = 0.004
    public var extensionFailsMonthly = 0.0005
    /// One price increase in a life at most.
    public var priceIncreaseMonthly = 0.008
    /// Price increases that Apple only tells about.
    public var priceIncreaseWithoutConsent = 0.4
    public var consentsToPriceIncrease = 0.7
    /// Of those who do not consent, how many turn auto-renew off instead of doing nothing.
    public var cancelsAfterPriceIncrease = 0.4
    /// Renewals that end because the product is no longer sold.
    public var notForSale = 0.0005
    /// Renewals that end for a reason that Apple does not tell.
    public var endsForOtherReason = 0.0005
    /// Notifications about no subscription, or of a type that nobody knows yet, a month.
    public var odditiesMonthly = 0.001
    /// Family members a month whose share ends before the buyer's subscription.
    public var revokedMonthly = 0.03

    // Coming back.

    /// Lapsed customers who ever come back within the time.
    public var comesBack = 0.22
    /// Of customers whose payment failed to the end.
    public var comesBackAfterBillingError = 0.1
    /// Of customers who had a refund.
    public var comesBackAfterRefund = 0.08
    /// Those who come back that use an offer where there is one for them.
    public var comesBackWithOffer = 0.55
    /// Lapsed payers to whom Apple shows win-back offers where the product has some.
    public var winBackListed = 0.8

    /// The figures above.
    public static let believable = Self()

    public init() {}

    /// A share a month as a share of one period.
    static func share(monthly: Double, months: Double) -> Double {
        guard months != 1 else { return monthly }
        // Whole months are multiplied out, and parts taken in proportion, so that every machine finds the same number.
        var kept = 1.0
        var rest = months
        while rest >= 1 {
            kept *= 1 - monthly
            rest -= 1
        }
        return 1 - kept * (1 - monthly * rest)
    }
}
