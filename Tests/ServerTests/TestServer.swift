import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Server

/// A clock that a test moves by hand.
final class TestClock: Sendable {
    private let instant: Mutex<Instant>

    init(_ instant: Instant) {
        self.instant = Mutex(instant)
    }

    var now: Instant { instant.withLock { $0 } }

    func advance(milliseconds: Int64) {
        instant.withLock { $0 = $0.adding(milliseconds: milliseconds) }
    }
}

/// A whole server on a free port of this machine, with a private App Store and a clock that a test can move.
final class TestServer: Sendable {
    static let bundleId = BundleID("com.example.tide")
    static let otherBundleId = BundleID("com.example.other")
    static let keyId = KeyID("K3YTESTID1")
    static let issuerId = IssuerID("11111111-2222-4333-8444-555555555555")
    /// T+5d of the field cases.
    static let start = Instant(millisecondsSince1970: 1_789_041_600_000)

    let folder: TemporaryFolder
    let appStore: PrivateAppStore
    let signingKey: P256PrivateKey
    let clock: TestClock
    private let running: Running

    /// `RunningServer` is only stopped, and only by `deinit`.
    private final class Running: @unchecked Sendable {
        let server: RunningServer

        init(_ server: RunningServer) {
            self.server = server
        }
    }

    var port: UInt16 { running.server.port }
    var database: String { folder.path("holdfast.sqlite") }
    /// What was logged so far.
    var log: String {
        logged.flush()
        return (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? ""
    }
    private let logged: Log

    init(
        environments: [AppStoreEnvironment] = [.production, .sandbox], logLevel: Log.Level = .info,
        trustedProxies: [AddressRange] = [], deadlines: ConnectionDeadlines = .standard,
        listen: String = "127.0.0.1:0", catalogText: String = tideCatalog,
        accessPolicy: AccessPolicy = AccessPolicy(), winBackRules: [OfferIdentifier: WinBackRule] = [:],
        offerCodes: Configuration.OfferCodes = .standard, campaigns: [String] = [],
        offerGuard: OfferGuard = OfferGuard()
    ) throws {
        folder = try TemporaryFolder()
        clock = TestClock(Self.start)
        appStore = try PrivateAppStore(now: Self.start)
        signingKey = P256PrivateKey.generate()
        let key = SigningKey(keyId: Self.keyId, issuerId: Self.issuerId, privateKey: signingKey)
        let catalog = try #require(Catalog.read(storeKitFile: Array(catalogText.utf8)).catalog)
        let apps = [Self.bundleId, Self.otherBundleId].map { bundleId in
            App(
                bundleId: bundleId, appAppleId: 6_400_000_001, environments: environments, catalog: catalog,
                signingKey: key, deviceProofMaxAgeMilliseconds: 90 * 86_400_000,
                accessPolicy: accessPolicy, winBackRules: winBackRules, offerCodes: offerCodes, offerGuard: offerGuard)
        }
        try FileManager.default.createDirectory(
            atPath: folder.path("Campaigns"), withIntermediateDirectories: true)
        for (number, text) in campaigns.enumerated() { try folder.write(text, to: "Campaigns/\(number).yaml") }
        let surroundings = CampaignSurroundings(
            apps: apps.map { .init(bundleId: $0.bundleId, environments: environments, catalog: catalog) })
        let loaded = try LoadedCampaigns.load(
            folder: .init(path: folder.path("Campaigns"), mark: nil), apps: surroundings)
        logged = Log(
            descriptor: open(try folder.write("", to: "log").path, O_WRONLY | O_APPEND | O_CLOEXEC), level: logLevel)
        let clock = clock
        running = Running(
            try RunningServer(
                apps: apps, campaigns: loaded,
                verifier: SignedDataVerifier(
                    chains: ChainVerifier(roots: [appStore.root.certificate]), apps: apps.map(\.identity)),
                database: folder.path("holdfast.sqlite"),
                socket: ListeningSocket(#require(ListenAddress(listen))),
                trustedProxies: trustedProxies, deadlines: deadlines,
                environment: Server.Environment(now: { clock.now }, makeUUID: { UUID() }),
                log: logged))
    }

    deinit { stop() }

    /// Stops it before its end; a second time does nothing.
    func stop() {
        running.server.stop()
    }

    /// Makes an API key as another process would, and gives its text.
    func makeKey(_ role: APIRole, name: String = UUID().uuidString, app: BundleID? = nil) throws -> String {
        let secret = "hf_test_\(UUID().uuidString)"
        let store = try Store(database, now: clock.now)
        try store.createAPIKey(
            APIKey(name: name, role: role, bundleId: app, createdDate: clock.now),
            digest: SHA256.digest(Array(secret.utf8)))
        return secret
    }

    /// Records a subscription, as a signed transaction of its owner would.
    func subscribe(
        _ originalTransactionId: String, token: UUID? = nil,
        change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) throws {
        let store = try Store(database, now: clock.now)
        let payload = transaction(originalTransactionId, token: token, change: change)
        try store.recordTransaction(
            TransactionFact(payload), bundleId: #require(payload.bundleId), environment: #require(payload.environment),
            payload: nil)
    }

    /// A monthly period that began five days ago.
    func transaction(
        _ originalTransactionId: String, token: UUID? = nil,
        change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) -> JWSTransactionDecodedPayload {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = TransactionID(originalTransactionId)
        payload.originalTransactionId = OriginalTransactionID(originalTransactionId)
        payload.bundleId = Self.bundleId
        payload.productId = ProductID("tide.monthly")
        payload.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("21500001")
        payload.type = .autoRenewableSubscription
        payload.inAppOwnershipType = .purchased
        payload.purchaseDate = Self.start.adding(milliseconds: -5 * 86_400_000)
        payload.originalPurchaseDate = payload.purchaseDate
        payload.expiresDate = Self.start.adding(milliseconds: 25 * 86_400_000)
        payload.signedDate = Self.start
        payload.environment = .production
        payload.appAccountToken = token
        change(&payload)
        return payload
    }

    /// Asks for a promotional offer; `fields` replaces or, with nil, removes fields of a request that is right.
    func offer(key: String?, _ fields: [String: Any?] = [:]) throws -> CurlAnswer {
        try curl(
            "POST", port: port, path: "/v1/signatures/promotional-offer", key: key,
            body: JSONSerialization.data(withJSONObject: Self.request(fields)))
    }

    static func request(_ fields: [String: Any?]) -> [String: Any] {
        var request: [String: Any] = [
            "requestId": UUID().uuidString, "bundleId": bundleId.rawValue, "environment": "Production",
            "productId": "tide.monthly", "offerIdentifier": "save50", "originalTransactionId": "100",
        ]
        for (field, value) in fields { request[field] = value }
        return request
    }
}
