import CampaignCore
import FoundationEssentials
import PrivateAppStore
import Server

/// A demo that runs: what its page and its jobs speak of.
struct Demo {
    let folder: DemoFolder
    let port: UInt16
    let clientKey: String
    let deviceKey: String
    let marketerKey: String
    let now: Instant

    /// A monthly subscriber with a token who has cancelled and is still subscribed, so that every example has someone.
    var leaving: DemoSubscriber? { folder.cast[.leaving] ?? staying }

    /// A monthly subscriber with a token who will renew; the one to cancel.
    var staying: DemoSubscriber? { folder.cast[.staying] ?? folder.subscribers.first }

    /// The body of a request for a promotional offer.
    func request(
        _ requestId: UUID, product: String = "reader.monthly", offer: String = "save_50_3mo",
        customer: [JSON.Member]
    ) -> JSON {
        .object(
            [
                .init("requestId", .string(requestId.lowercaseString)),
                .init("bundleId", .string(DemoFolder.bundleId.rawValue)), .init("environment", "Production"),
                .init("productId", .string(product)), .init("offerIdentifier", .string(offer)),
            ] + customer)
    }

    /// The body of a request for what campaigns give.
    func campaignRequest(_ requestId: UUID, of subscriber: DemoSubscriber, token: UUID?) -> JSON {
        var members: [JSON.Member] = [
            .init("requestId", .string(requestId.lowercaseString)),
            .init("bundleId", .string(DemoFolder.bundleId.rawValue)), .init("environment", "Production"),
            .init("originalTransactionId", .string(subscriber.originalTransactionId.rawValue)), .init("via", "app"),
        ]
        if let token { members.append(.init("appAccountToken", .string(token.lowercaseString))) }
        return .object(members)
    }

    /// The one who leaves, by the names that a back end knows.
    var namedCustomer: [JSON.Member] {
        guard let leaving else { return [] }
        let id = JSON.Member("originalTransactionId", .string(leaving.originalTransactionId.rawValue))
        guard let token = leaving.appAccountToken else { return [id] }
        return [id, .init("appAccountToken", .string(token.lowercaseString))]
    }

    /// The path and query of what is known of a subscriber.
    func path(of subscriber: DemoSubscriber, _ suffix: String = "") -> String {
        "/v1/subscribers/\(subscriber.originalTransactionId)\(suffix)?bundleId=\(DemoFolder.bundleId)"
            + "&environment=Production"
    }

    /// The App Store's word that `subscriber` has turned auto-renew off, or on again, as it would post it.
    func renewalChange(
        of subscriber: DemoSubscriber, to status: AutoRenewStatus, uuid: UUID, at date: Instant
    ) throws(CommandError) -> JSON {
        var transaction = subscriber.transaction
        transaction.signedDate = date
        var renewalInfo = subscriber.renewalInfo
        renewalInfo.signedDate = date
        renewalInfo.autoRenewStatus = status
        var data = NotificationData()
        data.appAppleId = DemoFolder.appAppleId
        data.bundleId = DemoFolder.bundleId
        data.environment = .production
        data.status = 1
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = "DID_CHANGE_RENEWAL_STATUS"
        notification.subtype = status == .on ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED"
        notification.notificationUUID = uuid
        notification.version = "2.0"
        notification.signedDate = date
        notification.data = data
        do {
            let signed = try folder.appStore.signedNotification(
                notification, transaction: transaction, renewalInfo: renewalInfo)
            return ["signedPayload": .string(signed)]
        } catch {
            throw .failed(error)
        }
    }

    /// Writes the notification that the page has posted: the one who stays cancels.
    func writeNotification() throws(CommandError) {
        guard let staying else { return }
        let environment = Server.Environment.system()
        let json = try renewalChange(
            of: staying, to: .off, uuid: environment.makeUUID(), at: environment.now())
        try? FileManager.default.removeItem(atPath: folder.notificationPath)
        try writeNewFile(folder.notificationPath, String(decoding: json.bytes, as: UTF8.self) + "\n")
    }
}
