import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import TestSupport

/// One private App Store, and an app to sign for, shared by the tests: it takes a moment to make.
enum PrivateChains {
    static let now = Instant(rfc3339: "2026-09-05T12:00:00Z") ?? Instant(millisecondsSince1970: 0)
    static let store: Result<PrivateAppStore, any Error> = Result { try PrivateAppStore(now: now) }

    static let bundleId = BundleID("com.example.tide")
    static let appAppleId: AppAppleID = 6_400_000_001

    static func verifier(
        environments: [AppStoreEnvironment] = [.production, .sandbox], roots: [Certificate]? = nil
    ) throws -> SignedDataVerifier {
        SignedDataVerifier(
            chains: ChainVerifier(roots: try roots ?? [store.get().root.certificate]),
            apps: [AppIdentity(bundleId: bundleId, appAppleId: appAppleId, environments: environments)])
    }

    static func transaction(
        _ environment: AppStoreEnvironment = .sandbox, signedDate: Instant = now
    ) -> JWSTransactionDecodedPayload {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = .init("2000000000000002")
        payload.originalTransactionId = .init("2000000000000001")
        payload.bundleId = bundleId
        payload.productId = .init("tide.monthly")
        payload.type = .autoRenewableSubscription
        payload.environment = environment
        payload.signedDate = signedDate
        return payload
    }

    static func renewalInfo(_ environment: AppStoreEnvironment = .sandbox) -> JWSRenewalInfoDecodedPayload {
        var payload = JWSRenewalInfoDecodedPayload()
        payload.originalTransactionId = .init("2000000000000001")
        payload.productId = .init("tide.monthly")
        payload.autoRenewStatus = .off
        payload.environment = environment
        payload.signedDate = now
        return payload
    }

    static func appTransaction(_ environment: AppStoreEnvironment = .sandbox) -> AppTransaction {
        var payload = AppTransaction()
        payload.receiptType = environment
        payload.bundleId = bundleId
        payload.appAppleId = appAppleId
        payload.appTransactionId = .init("704000000000000001")
        payload.receiptCreationDate = now
        return payload
    }

    static func realtimeRequest(_ environment: AppStoreEnvironment = .sandbox) -> DecodedRealtimeRequestBody {
        var payload = DecodedRealtimeRequestBody()
        payload.originalTransactionId = .init("2000000000000001")
        payload.appAppleId = appAppleId
        payload.productId = .init("tide.monthly")
        payload.userLocale = "en-US"
        payload.requestIdentifier = UUID(uuidString: "1a2b3c4d-5e6f-4a1b-8c2d-3e4f5a6b7c8d")
        payload.environment = environment
        payload.signedDate = now
        return payload
    }

    static func notification(
        _ environment: AppStoreEnvironment = .sandbox, appAppleId: AppAppleID? = appAppleId, type: String = "TEST"
    ) -> ResponseBodyV2DecodedPayload {
        var data = NotificationData()
        data.bundleId = bundleId
        data.appAppleId = appAppleId
        data.environment = environment
        var payload = ResponseBodyV2DecodedPayload()
        payload.notificationType = type
        payload.notificationUUID = UUID(uuidString: "0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e")
        payload.version = "2.0"
        payload.signedDate = now
        payload.data = data
        return payload
    }

    static func json(_ payload: some Encodable) throws -> [UInt8] { Array(try JSONEncoder().encode(payload)) }
}

extension PrivateChains {
    /// A payload of each kind, for the sandbox.
    static func payload(of kind: SignedDataKind) throws -> [UInt8] {
        switch kind {
        case .notification: try json(notification())
        case .transaction: try json(transaction())
        case .renewalInfo: try json(renewalInfo())
        case .appTransaction: try json(appTransaction())
        case .realtimeRequest: try json(realtimeRequest())
        }
    }
}

extension SignedDataVerifier {
    /// Verifies `jws` as one kind, whatever comes out.
    func verify(_ jws: String, as kind: SignedDataKind) throws {
        switch kind {
        case .notification: _ = try notification(jws)
        case .transaction: _ = try transaction(jws)
        case .renewalInfo: _ = try renewalInfo(jws)
        case .appTransaction: _ = try appTransaction(jws)
        case .realtimeRequest: _ = try realtimeRequest(jws)
        }
    }
}
