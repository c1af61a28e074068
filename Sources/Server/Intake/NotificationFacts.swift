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
    /// The subscription that the notification names, also when nothing of it is folded; nil when it names none.
    let originalTransactionId: OriginalTransactionID?

    init(_ notification: VerifiedNotification) {
        self.init(
            notification.payload, transaction: notification.transaction, renewalInfo: notification.renewalInfo)
    }

    /// Reads the facts of a notification whose signature was verified, now or when it was logged.
    init(
        _ notification: ResponseBodyV2DecodedPayload, transaction signedTransaction: JWSTransactionDecodedPayload?,
        renewalInfo: JWSRenewalInfoDecodedPayload?
    ) {
        let type = NotificationType(rawValue: notification.notificationType ?? "")
        originalTransactionId =
            [signedTransaction?.originalTransactionId, renewalInfo?.originalTransactionId].compactMap(\.self)
            .first { !$0.rawValue.isEmpty }
        guard type.isKnown else {
            outcome = .unknownType
            return
        }
        let isSubscription =
            signedTransaction?.type == nil || signedTransaction?.type == .autoRenewableSubscription
        guard type.folds, isSubscription, signedTransaction != nil || renewalInfo != nil else {
            outcome = .notFolded
            return
        }
        outcome = .folded
        do throws(CampaignCoreError) {
            if let payload = signedTransaction {
                var fact = try TransactionFact(payload)
                fact.reportedStatus = notification.data?.status
                transaction = fact
            }
            if let payload = renewalInfo {
                renewal = try RenewalFact(
                    payload, notificationType: type.rawValue, subtype: notification.subtype)
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
}
