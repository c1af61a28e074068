import CampaignCore
import PrivateAppStore

/// The referee of the simulated year: what one subscription is, worked out from the notifications that arrived.
///
/// Written from the design's section 7 and from Apple's description of the states, without our reducer: sort by
/// `signedDate`, apply one after the other, then ask the questions in order.
struct NaiveSubscriber {
    /// What is compared at every instant.
    struct Answer: Hashable, CustomStringConvertible {
        var status: SubscriptionStatus.State
        var isRenewing: Bool?
        var productId: ProductID?
        var expiresDate: Instant?
        var grace: Instant?
        var intent: Int?
        var saveWindowOpens: Instant?

        var description: String {
            let parts: [Any?] = [status, isRenewing, productId, expiresDate, grace, intent, saveWindowOpens]
            return parts.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
        }
    }

    private var period: JWSTransactionDecodedPayload?
    private var versions: [TransactionID: JWSTransactionDecodedPayload] = [:]
    private var firstSigned: [TransactionID: Instant] = [:]
    private var reportedStatus: [TransactionID: Int] = [:]
    private var renewals: [JWSRenewalInfoDecodedPayload] = []

    init(_ events: [SimulatedEvent]) {
        for event in events.sorted(by: { $0.signedDate < $1.signedDate }) {
            // Nobody can act on a type that nobody knows.
            guard event.notification.notificationType != "SUBSCRIPTION_GREETED" else { continue }
            guard let transaction = event.transaction, let id = transaction.transactionId else { continue }
            versions[id] = transaction
            reportedStatus[id] = event.notification.data?.status
            if firstSigned[id] == nil { firstSigned[id] = event.signedDate }
            if let renewalInfo = event.renewalInfo { renewals.append(renewalInfo) }
        }
        period = versions.values.max { $0.purchaseDate! < $1.purchaseDate! }
    }

    /// Nil while nothing about a subscription has arrived.
    func answer(at now: Instant) -> Answer? {
        guard let period, let ends = period.expiresDate, let id = period.transactionId else { return nil }
        // What was signed before the period began speaks of another one.
        let begins = min(period.purchaseDate!, firstSigned[id]!)
        let known = renewals.filter { $0.signedDate! >= begins }
        let last = known.last
        var answer = Answer(status: .expired, isRenewing: last?.autoRenewStatus.map { $0 == .on })
        (answer.productId, answer.expiresDate) = (period.productId, ends)
        let keepsAccess = period.revocationType == "REFUND_PRORATED" && reportedStatus[id] == 1
        let isRevoked = period.revocationDate != nil && !keepsAccess
        if isRevoked || period.isUpgraded == true {
            answer.status = .revoked
        } else if ends > now {
            answer.status = .active
            let lastOn = known.lastIndex { $0.autoRenewStatus == .on }
            let off = known.suffix(from: lastOn.map { $0 + 1 } ?? 0).first
            if let off, off.isInBillingRetryPeriod != true { answer.saveWindowOpens = off.signedDate }
        } else if last?.isInBillingRetryPeriod == true, let grace = last?.gracePeriodExpiresDate, grace > now {
            answer.status = .billingGracePeriod
            answer.grace = grace
        } else if last?.isInBillingRetryPeriod == true, ends.adding(milliseconds: 60 * 86_400_000) > now {
            answer.status = .billingRetry
        } else {
            let given = last?.isInBillingRetryPeriod == true ? 2 : answer.isRenewing == false ? 1 : nil
            answer.intent = last?.expirationIntent?.rawValue ?? given
        }
        return answer
    }
}
