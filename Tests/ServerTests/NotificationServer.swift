import AppStore
import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

/// Posts and asks as the App Store and a back end do, over HTTP with curl.
extension TestServer {
    /// A notification about one subscription at an instant; `change` makes it another.
    struct Notice {
        var uuid = UUID()
        var type: String
        var subtype: String?
        var signedDate: Instant
        var transaction: JWSTransactionDecodedPayload?
        var renewalInfo: JWSRenewalInfoDecodedPayload?
        var status: Int? = 1
        var bundleId = TestServer.bundleId
        var appAppleId: AppAppleID? = 6_400_000_001
        var environment = AppStoreEnvironment.production
    }

    func signed(_ notice: Notice) throws -> String {
        var payload = ResponseBodyV2DecodedPayload()
        payload.notificationType = notice.type
        payload.subtype = notice.subtype
        payload.notificationUUID = notice.uuid
        payload.version = "2.0"
        payload.signedDate = notice.signedDate
        var data = NotificationData()
        data.appAppleId = notice.appAppleId
        data.bundleId = notice.bundleId
        data.environment = notice.environment
        data.status = notice.status
        payload.data = data
        return try appStore.signedNotification(
            payload, transaction: notice.transaction, renewalInfo: notice.renewalInfo)
    }

    func renewalInfo(
        _ originalTransactionId: String, signedDate: Instant = TestServer.start,
        change: (inout JWSRenewalInfoDecodedPayload) -> Void = { _ in }
    ) -> JWSRenewalInfoDecodedPayload {
        var payload = JWSRenewalInfoDecodedPayload()
        payload.originalTransactionId = OriginalTransactionID(originalTransactionId)
        payload.productId = ProductID("tide.monthly")
        payload.autoRenewProductId = ProductID("tide.monthly")
        payload.autoRenewStatus = .on
        payload.environment = .production
        payload.signedDate = signedDate
        change(&payload)
        return payload
    }

    /// Posts a JWS to the route of the App Store.
    @discardableResult
    func post(_ signedPayload: String) throws -> CurlAnswer {
        try curl(
            "POST", port: port, path: "/v1/app-store/notifications",
            body: JSONSerialization.data(withJSONObject: ["signedPayload": signedPayload]))
    }

    @discardableResult
    func post(_ notice: Notice) throws -> CurlAnswer { try post(signed(notice)) }

    func subscriber(
        _ originalTransactionId: String, key: String, app: BundleID = TestServer.bundleId,
        environment: String = "Production", suffix: String = ""
    ) throws -> CurlAnswer {
        try curl(
            "GET", port: port,
            path: "/v1/subscribers/\(originalTransactionId)\(suffix)?bundleId=\(app)&environment=\(environment)",
            key: key)
    }

    /// How many entries the log has, told by the sqlite3 program.
    func logged(where condition: String = "1") throws -> Int {
        let result = try run("sqlite3", [database, "SELECT count(*) FROM signed_payload WHERE \(condition)"])
        return try #require(Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
}
