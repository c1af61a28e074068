import CampaignCore

/// One kind of payload that the App Store signs: what every check needs to know of it.
protocol SignedPayload: AppStorePayload {
    static var kind: SignedDataKind { get }

    /// The instant of signing, which the certificates are judged at.
    var instantOfSigning: Instant? { get }

    /// Where it comes from, whatever this kind calls that.
    var originEnvironment: AppStoreEnvironment? { get }

    /// Whether it has what no payload of another kind has.
    var isOfItsKind: Bool { get }
}

extension ResponseBodyV2DecodedPayload: SignedPayload {
    static let kind = SignedDataKind.notification
    var instantOfSigning: Instant? { signedDate }
    var originEnvironment: AppStoreEnvironment? { origin?.environment }
    var isOfItsKind: Bool { notificationType != nil && notificationUUID != nil }

    /// The app that the one object it carries is about; nil when there is not exactly one such object.
    var origin: PayloadOrigin? {
        let origins: [PayloadOrigin?] = [
            data.map { PayloadOrigin($0.bundleId, $0.appAppleId, $0.environment) },
            appData.map { PayloadOrigin($0.bundleId, $0.appAppleId, $0.environment) },
            summary.map { PayloadOrigin($0.bundleId, $0.appAppleId, $0.environment) },
            externalPurchaseToken.map { PayloadOrigin($0.bundleId, $0.appAppleId, $0.environment) },
        ]
        let present = origins.compactMap(\.self)
        return present.count == 1 ? present[0] : nil
    }
}

/// The app and environment that a payload says it is about.
struct PayloadOrigin {
    let bundleId: BundleID?
    let appAppleId: AppAppleID?
    let environment: AppStoreEnvironment?

    init(_ bundleId: BundleID?, _ appAppleId: AppAppleID?, _ environment: AppStoreEnvironment?) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
    }
}

extension JWSTransactionDecodedPayload: SignedPayload {
    static let kind = SignedDataKind.transaction
    var instantOfSigning: Instant? { signedDate }
    var originEnvironment: AppStoreEnvironment? { environment }
    var isOfItsKind: Bool { transactionId != nil && originalTransactionId != nil }
}

extension JWSRenewalInfoDecodedPayload: SignedPayload {
    static let kind = SignedDataKind.renewalInfo
    var instantOfSigning: Instant? { signedDate }
    var originEnvironment: AppStoreEnvironment? { environment }
    var isOfItsKind: Bool { originalTransactionId != nil && autoRenewStatus != nil }
}

extension AppTransaction: SignedPayload {
    static let kind = SignedDataKind.appTransaction
    var instantOfSigning: Instant? { receiptCreationDate }
    var originEnvironment: AppStoreEnvironment? { receiptType }
    var isOfItsKind: Bool { receiptType != nil }
}

extension DecodedRealtimeRequestBody: SignedPayload {
    static let kind = SignedDataKind.realtimeRequest
    var instantOfSigning: Instant? { signedDate }
    var originEnvironment: AppStoreEnvironment? { environment }
    var isOfItsKind: Bool { requestIdentifier != nil && originalTransactionId != nil }
}

/// As much of any payload as tells its kind.
struct KindProbe: AppStorePayload {
    /// Those of which it has the key that tells them.
    private var kinds: [SignedDataKind] = []

    init() {}

    /// The first of them, because a transaction's key is also in payloads that say more.
    var kind: SignedDataKind? {
        [.notification, .appTransaction, .realtimeRequest, .transaction, .renewalInfo].first(where: kinds.contains)
    }

    mutating func read(_ member: JSONText.Value) throws(PayloadFault) {
        switch member {
        case "notificationType": kinds.append(.notification)
        case "receiptType": kinds.append(.appTransaction)
        case "requestIdentifier": kinds.append(.realtimeRequest)
        case "transactionId": kinds.append(.transaction)
        case "autoRenewStatus": kinds.append(.renewalInfo)
        default: break
        }
    }
}
