import CampaignCore
import FoundationEssentials
import PrivateAppStore

/// Which simulated lives a demo's folder has; kept in the folder, so that the next demo there finds the same people.
struct DemoPopulation {
    /// The end of the simulation: the instant at which the lives were told.
    var simulatedUntil: Instant
    /// The number of the first life; later generations of a folder begin after the earlier ones.
    var firstSubscriber: Int
    var subscribers: Int
    /// Whether all of them are in the database.
    var isComplete = false

    /// The next lives that nobody in the folder has had.
    func next(at now: Instant, subscribers count: Int) -> DemoPopulation {
        let used = max(subscribers, Limits.demoCastSearched)
        return DemoPopulation(
            simulatedUntil: now, firstSubscriber: firstSubscriber + used, subscribers: count)
    }

    /// What the file at `path` says; nil when there is none, or it is damaged.
    static func read(_ path: String) -> DemoPopulation? {
        guard fileExists(path), let bytes = try? readFile(path, limit: Limits.certificateFileBytes),
            let json = JSON.read(bytes), let until = json["simulatedUntil"]?.integer,
            let first = json["firstSubscriber"]?.integer, let count = json["subscribers"]?.integer,
            case .bool(let isComplete)? = json["isComplete"], first >= 0, count > 0
        else { return nil }
        return DemoPopulation(
            simulatedUntil: Instant(millisecondsSince1970: until), firstSubscriber: Int(first),
            subscribers: Int(count), isComplete: isComplete)
    }

    func write(_ path: String) throws(CommandError) {
        let json: JSON = [
            "simulatedUntil": .instant(simulatedUntil), "firstSubscriber": .integer(Int64(firstSubscriber)),
            "subscribers": .integer(Int64(subscribers)), "isComplete": .bool(isComplete),
        ]
        try? FileManager.default.removeItem(atPath: path)
        try writeNewFile(path, json.prettyText + "\n")
    }
}

/// One subscriber of a demo: what its life came to.
struct DemoSubscriber {
    let originalTransactionId: OriginalTransactionID
    /// At the end of the simulation.
    let truth: SimulatedTruth
    /// The current period, as Apple signed it last.
    let transaction: JWSTransactionDecodedPayload
    let renewalInfo: JWSRenewalInfoDecodedPayload

    var appAccountToken: UUID? { transaction.appAccountToken }

    /// Nil for a life without a purchase before `date`.
    init?(_ life: SimulatedLife, at date: Instant) {
        guard let truth = life.truth(at: date) else { return nil }
        let purchases = life.events.filter { $0.transaction != nil && $0.renewalInfo != nil }
        let current = purchases.last { $0.transaction?.transactionId == truth.transactionId } ?? purchases.last
        guard let transaction = current?.transaction, let renewalInfo = purchases.last?.renewalInfo else { return nil }
        originalTransactionId = life.originalTransactionId
        self.truth = truth
        self.transaction = transaction
        self.renewalInfo = renewalInfo
    }
}

/// The people that a demo's page and jobs speak of.
enum DemoRole: CaseIterable {
    /// Subscribed, and will renew.
    case staying
    /// Has cancelled, and is still subscribed: the save window is open.
    case leaving
    case inGrace
    case inRetry
    /// Has left, and Apple lists a win-back offer.
    case gone
    case refunded

    /// Whether a subscriber is one at `date`, and still will be two days later if nothing happens.
    func isPlayed(by subscriber: DemoSubscriber, at date: Instant) -> Bool {
        let truth = subscriber.truth
        let later = date.adding(milliseconds: 2 * 24 * 60 * 60 * 1000)
        let isExemplary =
            truth.productId == DemoFolder.productId && subscriber.appAccountToken != nil && truth.expiresDate > later
        switch self {
        case .staying:
            return isExemplary && truth.status == .active && truth.autoRenewStatus == .on
                && truth.autoRenewProductId == truth.productId
        case .leaving: return isExemplary && truth.status == .active && truth.cancelledDate != nil
        case .inGrace:
            return truth.status == .billingGracePeriod && truth.gracePeriodExpiresDate.map { $0 > later } == true
        case .inRetry: return truth.status == .billingRetry
        case .gone: return truth.status == .expired && !(subscriber.renewalInfo.eligibleWinBackOfferIds ?? []).isEmpty
        case .refunded: return truth.status == .revoked
        }
    }
}
