import AppStore
import CampaignCore
public import Storage

extension ReplayedPayload {
    /// What an entry of the log says, for a replay; its signature was verified before it was logged.
    ///
    /// An entry that this program cannot read any more counts as failed, and nothing of it is folded.
    public init(_ entry: LoggedPayload, text: String) {
        do {
            switch entry.source {
            case .notification: self.init(try Self.facts(ofNotification: text))
            case .transaction:
                self.init(outcome: .folded)
                transactions = [try TransactionFact(try JWSTransactionDecodedPayload(json: JWS(text).payload))]
            }
        } catch {
            self.init(outcome: .failed)
            detail = "\(error)"
        }
    }

    private init(_ facts: NotificationFacts) {
        self.init(outcome: facts.outcome)
        transactions = [facts.transaction].compactMap(\.self)
        renewals = [facts.renewal].compactMap(\.self)
        detail = facts.detail
    }

    private static func facts(ofNotification text: String) throws -> NotificationFacts {
        let notification = try ResponseBodyV2DecodedPayload(json: JWS(text).payload)
        let transaction = try notification.data?.signedTransactionInfo.map {
            try JWSTransactionDecodedPayload(json: JWS($0).payload)
        }
        let renewalInfo = try notification.data?.signedRenewalInfo.map {
            try JWSRenewalInfoDecodedPayload(json: JWS($0).payload)
        }
        return NotificationFacts(notification, transaction: transaction, renewalInfo: renewalInfo)
    }
}
