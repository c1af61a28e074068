import AppStore
import CampaignCore
import Storage

/// The facts that a notification carries about a subscription, or why it carries none.
struct NotificationFacts {
    private(set) var transaction: TransactionFact?
    private(set) var renewal: RenewalFact?
    private(set) var outcome: PayloadOutcome
    /// Why `outcome` is `failed`.
    private(set) var detail: String?

    init(_ notification: VerifiedNotification) {
        let type = notification.notificationType
        guard type.isKnown else {
            outcome = .unknownType
            return
        }
        let isSubscription =
            notification.transaction?.type == nil
            || notification.transaction?.type == .autoRenewableSubscription
        guard type.folds, isSubscription, notification.transaction != nil || notification.renewalInfo != nil else {
            outcome = .notFolded
            return
        }
        outcome = .folded
        do throws(CampaignCoreError) {
            if let payload = notification.transaction {
                var fact = try TransactionFact(payload)
                fact.reportedStatus = notification.payload.data?.status
                transaction = fact
            }
            if let payload = notification.renewalInfo {
                renewal = try RenewalFact(
                    payload, notificationType: type.rawValue, subtype: notification.payload.subtype)
            }
        } catch {
            fail("\(error)")
        }
        if let transaction, let renewal, transaction.originalTransactionId != renewal.originalTransactionId {
            fail("'signedTransactionInfo' and 'signedRenewalInfo' are about two subscriptions")
        }
    }

    private mutating func fail(_ reason: String) {
        transaction = nil
        renewal = nil
        outcome = .failed
        detail = reason
    }

    /// The subscription that the facts are about; nil when there are none.
    var originalTransactionId: OriginalTransactionID? {
        transaction?.originalTransactionId ?? renewal?.originalTransactionId
    }
}
