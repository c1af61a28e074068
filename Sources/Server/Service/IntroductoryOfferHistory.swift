import CampaignCore
import FoundationEssentials
import Storage

/// Everything known of the customer that an introductory offer is judged by.
///
/// Apple counts one a group and Apple account, so all subscriptions bought with the same download of the app belong
/// together.
struct IntroductoryOfferHistory {
    let transactions: [TransactionFact]
    /// What those transactions belong to.
    let subscriptions: [Subscription]
    /// Set when `transactionId` is known to be somebody else's, or when a device cannot show that it is its own.
    let refusals: [Refusal]

    init(_ asking: SignatureCase<IntroductoryOfferWanted>, _ store: Store) throws(StorageError) {
        let app = asking.app.bundleId
        let environment = asking.asked.environment
        let transactionId = asking.asked.wanted.transactionId
        let named = asking.customer.transactions
        let proven = [asking.proof.appTransaction?.appTransactionId, asking.proof.transaction?.appTransactionId]
        let downloads = Set(named.compactMap(\.appTransactionId) + proven.compactMap(\.self))
        var all = named
        for download in downloads {
            all += try store.transactions(appTransactionId: download, bundleId: app, environment: environment)
        }
        let isOwn =
            downloads.contains(AppTransactionID(transactionId.rawValue))
            || asking.customer.subscription?.rawValue == transactionId.rawValue
            || all.contains {
                $0.transactionId == transactionId || $0.originalTransactionId.rawValue == transactionId.rawValue
            }
        guard !isOwn else {
            transactions = all
            subscriptions = try store.subscriptions(of: all, app, environment).compactMap(\.subscription)
            refusals = []
            return
        }

        let other =
            try store.transactions(transactionId: transactionId, bundleId: app, environment: environment)
            + store.transactions(
                appTransactionId: AppTransactionID(transactionId.rawValue), bundleId: app, environment: environment)
        let askedToken = asking.asked.customer.appAccountToken
        let tokens = Set(named.compactMap(\.appAccountToken) + [askedToken].compactMap(\.self))
        let isLinked = other.contains { $0.appAccountToken.map(tokens.contains) ?? false }
        // Without two tokens or two downloads to compare, nothing says that the other transaction is a stranger's.
        let isComparable =
            asking.customer.subscription != nil
            || (!tokens.isEmpty && other.contains { $0.appAccountToken != nil })
            || (!downloads.isEmpty && other.contains { $0.appTransactionId != nil })
        // An id that nobody knows may be a renewal that we have not been told of: a trusted back end is believed.
        let isStranger =
            !isLinked && (asking.key.role == .device || (!other.isEmpty && isComparable))
        // A refusal tells nothing of what a stranger has bought.
        transactions = isStranger ? all : all + other
        subscriptions = try store.subscriptions(of: transactions, app, environment).compactMap(\.subscription)
        refusals = isStranger ? [.customerFieldsDisagree(fields: [Self.naming(asking), "transactionId"])] : []
    }

    /// The field that names the customer, as the request spells it.
    private static func naming(_ asking: SignatureCase<IntroductoryOfferWanted>) -> String {
        let customer = asking.asked.customer
        if customer.originalTransactionId != nil { return "originalTransactionId" }
        if customer.signedTransactionInfo != nil { return "signedTransactionInfo" }
        return customer.signedAppTransactionInfo != nil ? "signedAppTransactionInfo" : "appAccountToken"
    }
}
