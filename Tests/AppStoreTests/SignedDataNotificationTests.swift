import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import Testing

/// What a notification carries inside, and the four objects that it may carry.
@Suite struct SignedDataNotificationTests {
    @Test func `gives the transaction and renewal info inside`() throws {
        let transaction = PrivateChains.transaction(.production)
        let renewalInfo = PrivateChains.renewalInfo(.production)
        let jws = try PrivateChains.store.get().signedNotification(
            PrivateChains.notification(.production, type: "DID_RENEW"), transaction: transaction,
            renewalInfo: renewalInfo)
        let notification = try PrivateChains.verifier().notification(jws)
        #expect(notification.transaction == transaction)
        #expect(notification.renewalInfo == renewalInfo)
        #expect(notification.signedDate == PrivateChains.now)
    }

    @Test func `what is inside must be for the same app and environment`() throws {
        let store = try PrivateChains.store.get()
        let verifier = try PrivateChains.verifier()
        var otherApp = PrivateChains.transaction()
        otherApp.bundleId = BundleID("com.example.wrong")
        let wrong: [(JWSTransactionDecodedPayload?, JWSRenewalInfoDecodedPayload?, AppStoreError)] = [
            (otherApp, nil, .innerDisagrees(.transaction, field: "bundleId")),
            (PrivateChains.transaction(.production), nil, .innerDisagrees(.transaction, field: "environment")),
            (nil, PrivateChains.renewalInfo(.production), .innerDisagrees(.renewalInfo, field: "environment")),
            (PrivateChains.transaction(.xcode), nil, .inner(.transaction, .unsignedEnvironment(.xcode))),
        ]
        for (transaction, renewalInfo, fault) in wrong {
            let jws = try store.signedNotification(
                PrivateChains.notification(), transaction: transaction, renewalInfo: renewalInfo)
            #expect(throws: fault) { try verifier.notification(jws) }
            #expect(throws: fault) { try verifier.notification(jws, innerSignatures: .coveredByOuter) }
        }
    }

    @Test func `what is inside is as strict as what is outside`() throws {
        let store = try PrivateChains.store.get()
        let other = try PrivateAppStore(now: PrivateChains.now)
        let payload = PrivateChains.transaction()
        let good = try store.signedTransaction(payload)
        let cases: [(String, AppStoreError)] = [
            ("a.b.c", .malformedEncoding(part: .header)),
            (good + "=", .malformedEncoding(part: .signature)),
            (try other.signedTransaction(payload), .untrustedRoot),
            (try store.signedRenewalInfo(PrivateChains.renewalInfo()), .wrongKind(expected: .transaction)),
            (try store.sign(payload: PrivateChains.json(payload)) { $0.alg = "none" }, .unsupportedAlgorithm("none")),
        ]
        for (inner, fault) in cases {
            let jws = try Self.notification(holding: inner)
            for signatures in [SignedDataVerifier.InnerSignatures.checked, .coveredByOuter] {
                #expect(throws: AppStoreError.inner(.transaction, fault)) {
                    try PrivateChains.verifier().notification(jws, innerSignatures: signatures)
                }
            }
        }
    }

    @Test func `a payload inside may lack what tells its kind, since its place does`() throws {
        let store = try PrivateChains.store.get()
        var transaction = PrivateChains.transaction()
        transaction.transactionId = nil
        var renewalInfo = PrivateChains.renewalInfo()
        renewalInfo.autoRenewStatus = nil
        let read = try PrivateChains.verifier().notification(
            store.signedNotification(
                PrivateChains.notification(), transaction: transaction, renewalInfo: renewalInfo))
        #expect(read.transaction == transaction && read.renewalInfo == renewalInfo)
        #expect(throws: AppStoreError.wrongKind(expected: .transaction)) {
            try PrivateChains.verifier().transaction(store.signedTransaction(transaction))
        }
    }

    @Test func `inner signatures are checked unless the caller leans on the outer one`() throws {
        let good = try PrivateChains.store.get().signedTransaction(PrivateChains.transaction())
        let parts = good.split(separator: ".")
        let unsigned = "\(parts[0]).\(parts[1]).\(String(repeating: "A", count: 86))"
        let jws = try Self.notification(holding: unsigned)
        let verifier = try PrivateChains.verifier()
        #expect(throws: AppStoreError.inner(.transaction, .invalidSignature)) { try verifier.notification(jws) }
        let leaning = try verifier.notification(jws, innerSignatures: .coveredByOuter)
        #expect(leaning.transaction == PrivateChains.transaction())
        // The outer signature is never taken on trust.
        let outer = jws.split(separator: ".")
        #expect(throws: AppStoreError.invalidSignature) {
            try verifier.notification(
                "\(outer[0]).\(outer[1]).\(String(repeating: "A", count: 86))", innerSignatures: .coveredByOuter)
        }
    }

    @Test func `each of the four objects names the app`() throws {
        let store = try PrivateChains.store.get()
        let verifier = try PrivateChains.verifier()
        var summary = PrivateChains.notification(type: "RENEWAL_EXTENSION")
        summary.data = nil
        summary.summary = NotificationSummary()
        summary.summary?.bundleId = PrivateChains.bundleId
        summary.summary?.environment = .sandbox
        #expect(try verifier.notification(store.signedNotification(summary)).environment == .sandbox)
        summary.summary?.environment = .production
        #expect(throws: AppStoreError.wrongAppAppleId(nil)) {
            try verifier.notification(store.signedNotification(summary))
        }

        var consent = PrivateChains.notification(type: "RESCIND_CONSENT")
        consent.data = nil
        consent.appData = NotificationAppData()
        consent.appData?.bundleId = PrivateChains.bundleId
        consent.appData?.environment = .sandbox
        consent.appData?.signedAppTransactionInfo = SignedText(
            try store.signedAppTransaction(PrivateChains.appTransaction()))
        let rescinded = try verifier.notification(store.signedNotification(consent))
        #expect(rescinded.appTransaction == PrivateChains.appTransaction())
        consent.appData?.signedAppTransactionInfo = SignedText(
            try store.signedAppTransaction(PrivateChains.appTransaction(.production)))
        #expect(throws: AppStoreError.innerDisagrees(.appTransaction, field: "environment")) {
            try verifier.notification(store.signedNotification(consent))
        }

        var external = PrivateChains.notification(type: "EXTERNAL_PURCHASE_TOKEN")
        external.data = nil
        external.externalPurchaseToken = ExternalPurchaseToken()
        external.externalPurchaseToken?.bundleId = PrivateChains.bundleId
        external.externalPurchaseToken?.appAppleId = PrivateChains.appAppleId
        external.externalPurchaseToken?.externalPurchaseId = "SANDBOX_55555"
        #expect(try verifier.notification(store.signedNotification(external)).environment == .sandbox)
        external.externalPurchaseToken?.externalPurchaseId = "55555"
        #expect(try verifier.notification(store.signedNotification(external)).environment == .production)
    }

    @Test func `carries exactly one of the four objects`() throws {
        let store = try PrivateChains.store.get()
        var none = PrivateChains.notification()
        none.data = nil
        var two = PrivateChains.notification()
        two.appData = NotificationAppData()
        for payload in [none, two] {
            #expect(throws: AppStoreError.malformedPayload(.notification, field: "data")) {
                try PrivateChains.verifier().notification(store.signedNotification(payload))
            }
        }
    }

    private static func notification(holding transaction: String) throws -> String {
        var payload = PrivateChains.notification(type: "DID_RENEW")
        payload.data?.signedTransactionInfo = SignedText(transaction)
        return try PrivateChains.store.get().signedNotification(payload)
    }
}
