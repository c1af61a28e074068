import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import TestSupport
import Testing

/// Notifications that Apple signed in its sandbox in October 2025, for one test subscription.
@Suite(.enabled(if: Surroundings.hasShared, "needs the shared folder beside the project"))
struct RealNotificationTests {
    /// What was read out of the files by hand.
    struct Expected: Sendable, CustomTestStringConvertible {
        let file: String
        let type: String
        let subtype: String?
        let uuid: String
        let signedDate: Int64
        let status: Int
        let transactionId: String
        let webOrderLineItemId: String
        let purchaseDate: Int64
        let expiresDate: Int64
        let reason: String
        let autoRenewStatus: AutoRenewStatus
        let renewalPrice: Int64?
        let recentSubscriptionStartDate: Int64
        let expirationIntent: ExpirationIntent?

        var testDescription: String { file }
    }

    static let expected = [
        Expected(
            file: "6d8ed238", type: "DID_RENEW", subtype: nil, uuid: "1a7cdc3d-9360-49c3-ae37-0423e4c6e7c7",
            signedDate: 1_759_302_518_835, status: 1, transactionId: "2000001024998954",
            webOrderLineItemId: "2000000113755461", purchaseDate: 1_759_302_552_000, expiresDate: 1_759_302_732_000,
            reason: "RENEWAL", autoRenewStatus: .on, renewalPrice: 1990,
            recentSubscriptionStartDate: 1_759_301_832_000, expirationIntent: nil),
        Expected(
            file: "4c41441c", type: "SUBSCRIBED", subtype: "RESUBSCRIBE",
            uuid: "9f9730f8-f3df-436a-b7e5-e85ef9c6afe4", signedDate: 1_759_388_776_941, status: 1,
            transactionId: "2000001025686313", webOrderLineItemId: "2000000113844706",
            purchaseDate: 1_759_388_767_000, expiresDate: 1_759_388_947_000, reason: "PURCHASE",
            autoRenewStatus: .on, renewalPrice: 1990, recentSubscriptionStartDate: 1_759_388_767_000,
            expirationIntent: nil),
        Expected(
            file: "4d51fec0", type: "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED",
            uuid: "ebb7519a-1f8b-4038-8228-5b1250ab998d", signedDate: 1_759_388_855_473, status: 1,
            transactionId: "2000001025686313", webOrderLineItemId: "2000000113844706",
            purchaseDate: 1_759_388_767_000, expiresDate: 1_759_388_947_000, reason: "PURCHASE",
            autoRenewStatus: .off, renewalPrice: nil, recentSubscriptionStartDate: 1_759_388_767_000,
            expirationIntent: nil),
        Expected(
            file: "4e659d0d", type: "EXPIRED", subtype: "VOLUNTARY", uuid: "c7726298-32eb-48f7-9623-097ff6de4d69",
            signedDate: 1_759_389_041_604, status: 2, transactionId: "2000001025686313",
            webOrderLineItemId: "2000000113844706", purchaseDate: 1_759_388_767_000,
            expiresDate: 1_759_388_947_000, reason: "PURCHASE", autoRenewStatus: .off, renewalPrice: nil,
            recentSubscriptionStartDate: 1_759_388_767_000, expirationIntent: .customerCancelled),
    ]

    static let bundleId = BundleID("com.loki-project.loki-messenger")
    static let appAppleId: AppAppleID = 1_470_168_868

    static func verifier(
        bundleId: BundleID = bundleId, environments: [AppStoreEnvironment] = [.sandbox],
        roots: [Certificate] = [AppleRootCertificate.g3]
    ) -> SignedDataVerifier {
        SignedDataVerifier(
            chains: ChainVerifier(roots: roots),
            apps: [AppIdentity(bundleId: bundleId, appAppleId: appAppleId, environments: environments)])
    }

    static func jws(_ file: String) throws -> String {
        let url = try #require(try Surroundings.realNotifications().first { $0.lastPathComponent == "\(file).jws" })
        return String(decoding: try Data(contentsOf: url), as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    @Test func `all four are known`() throws {
        #expect(try Surroundings.realNotifications().count == Self.expected.count)
    }

    @Test(arguments: expected) func `verifies with what it carries inside`(expected: Expected) throws {
        let notification = try Self.verifier().notification(Self.jws(expected.file))
        #expect(notification.bundleId == Self.bundleId)
        #expect(notification.environment == .sandbox)
        #expect(notification.signedDate == Instant(millisecondsSince1970: expected.signedDate))
        #expect(notification.appTransaction == nil)

        var payload = ResponseBodyV2DecodedPayload()
        payload.notificationType = expected.type
        payload.subtype = expected.subtype
        payload.notificationUUID = UUID(uuidString: expected.uuid)
        payload.version = "2.0"
        payload.signedDate = Instant(millisecondsSince1970: expected.signedDate)
        var data = NotificationData()
        data.appAppleId = Self.appAppleId
        data.bundleId = Self.bundleId
        data.bundleVersion = "637"
        data.environment = .sandbox
        data.status = expected.status
        data.signedTransactionInfo = notification.payload.data?.signedTransactionInfo
        data.signedRenewalInfo = notification.payload.data?.signedRenewalInfo
        payload.data = data
        #expect(notification.payload == payload)
        #expect(notification.transaction == Self.transaction(expected))
        #expect(notification.renewalInfo == Self.renewalInfo(expected))
    }

    @Test(arguments: expected) func `the payloads inside verify by themselves`(expected: Expected) throws {
        let verifier = Self.verifier()
        let data = try #require(try verifier.notification(Self.jws(expected.file)).payload.data)
        let transaction = try #require(data.signedTransactionInfo?.string)
        let renewalInfo = try #require(data.signedRenewalInfo?.string)
        #expect(try verifier.transaction(transaction).payload == Self.transaction(expected))
        #expect(try verifier.renewalInfo(renewalInfo, app: Self.bundleId).payload == Self.renewalInfo(expected))
        #expect(try verifier.payload(transaction).kind == .transaction)
        #expect(try verifier.payload(renewalInfo).kind == .renewalInfo)
        #expect(try verifier.payload(Self.jws(expected.file)).kind == .notification)
    }

    @Test func `is refused for another app, another environment and another root`() throws {
        let jws = try Self.jws("4c41441c")
        #expect(throws: AppStoreError.wrongBundleId(Self.bundleId)) {
            try Self.verifier(bundleId: BundleID("com.example.tide")).notification(jws)
        }
        #expect(throws: AppStoreError.wrongEnvironment(.sandbox)) {
            try Self.verifier(environments: [.production]).notification(jws)
        }
        let own = try PrivateChains.store.get().root.certificate
        #expect(throws: AppStoreError.untrustedRoot) { try Self.verifier(roots: [own]).notification(jws) }
        #expect(throws: AppStoreError.untrustedRoot) { try Self.verifier(roots: []).notification(jws) }
    }

    @Test func `any flipped character is refused`() throws {
        let jws = Array(try Self.jws("4e659d0d").utf8)
        let verifier = Self.verifier()
        for index in stride(from: 0, to: jws.count, by: 211) {
            var changed = jws
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: AppStoreError.self, "character \(index)") {
                try verifier.notification(String(decoding: changed, as: UTF8.self))
            }
        }
    }

    @Test func `openssl accepts the same chain under the pinned root at the same date`() throws {
        let folder = try TemporaryFolder()
        let x5c = try #require(try JWS(Self.jws("4c41441c")).header.x5c)
        for (name, certificate) in zip(["leaf", "intermediate", "root"], x5c) {
            try folder.write(Data(try #require(Base64.decode(certificate))), to: "\(name).der")
        }
        try folder.write(AppleRootCertificate.g3.pem, to: "pinned.pem")
        func accepts(at seconds: Int64) throws -> Bool {
            try run(
                "openssl",
                [
                    "verify", "-x509_strict", "-attime", String(seconds), "-no-CApath", "-no-CAstore",
                    "-CAfile", folder.path("pinned.pem"), "-untrusted", folder.path("intermediate.der"),
                    folder.path("leaf.der"),
                ]
            ).exitCode == 0
        }
        #expect(try accepts(at: 1_759_388_776))
        #expect(try !accepts(at: 1_759_388_776 + 10 * 365 * 86_400))
        let pinned = Data(AppleRootCertificate.g3.der)
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("root.der")) == pinned)
    }

    private static func transaction(_ expected: Expected) -> JWSTransactionDecodedPayload {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = .init(expected.transactionId)
        payload.originalTransactionId = .init("2000001024993299")
        payload.webOrderLineItemId = expected.webOrderLineItemId
        payload.bundleId = bundleId
        payload.productId = .init("com.getsession.org.pro_sub")
        payload.subscriptionGroupIdentifier = .init("21752814")
        payload.purchaseDate = .init(millisecondsSince1970: expected.purchaseDate)
        payload.originalPurchaseDate = .init(millisecondsSince1970: 1_759_301_833_000)
        payload.expiresDate = .init(millisecondsSince1970: expected.expiresDate)
        payload.quantity = 1
        payload.type = .autoRenewableSubscription
        payload.inAppOwnershipType = .purchased
        payload.signedDate = .init(millisecondsSince1970: expected.signedDate)
        payload.environment = .sandbox
        payload.transactionReason = expected.reason
        payload.storefront = "AUS"
        payload.storefrontId = "143460"
        payload.price = 1990
        payload.currency = "AUD"
        payload.appTransactionId = .init("704897469903383919")
        return payload
    }

    private static func renewalInfo(_ expected: Expected) -> JWSRenewalInfoDecodedPayload {
        var payload = JWSRenewalInfoDecodedPayload()
        payload.originalTransactionId = .init("2000001024993299")
        payload.autoRenewProductId = .init("com.getsession.org.pro_sub")
        payload.productId = .init("com.getsession.org.pro_sub")
        payload.autoRenewStatus = expected.autoRenewStatus
        payload.renewalPrice = expected.renewalPrice
        payload.currency = expected.renewalPrice == nil ? nil : "AUD"
        payload.signedDate = .init(millisecondsSince1970: expected.signedDate)
        payload.environment = .sandbox
        payload.recentSubscriptionStartDate = .init(millisecondsSince1970: expected.recentSubscriptionStartDate)
        payload.renewalDate = .init(millisecondsSince1970: expected.expiresDate)
        payload.appTransactionId = .init("704897469903383919")
        payload.expirationIntent = expected.expirationIntent
        payload.isInBillingRetryPeriod = expected.expirationIntent == nil ? nil : false
        return payload
    }
}
