import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import Storage
import TestSupport

@testable import Server

/// A whole server on a free port of this machine, with a private App Store and a clock that a test can move.
final class TestServer: Sendable {
    static let bundleId = BundleID("com.example.tide")
    static let otherBundleId = BundleID("com.example.other")
    static let keyId = KeyID("K3YTESTID1")
    static let issuerId = IssuerID("11111111-2222-4333-8444-555555555555")

    let folder: TemporaryFolder
    let appStore: PrivateAppStore
    let signingKey: P256PrivateKey
    let clock: TestClock
    let client: String
    private let running: Running

    /// `RunningServer` is used from one test at a time.
    private final class Running: @unchecked Sendable {
        let server: RunningServer
        init(_ server: RunningServer) { self.server = server }
    }

    var port: UInt16 { running.server.port }
    var database: String { folder.path("holdfast.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        clock = TestClock()
        appStore = try PrivateAppStore(validFrom: clock.now)
        signingKey = P256PrivateKey.generate()
        let key = SigningKey(keyId: Self.keyId, issuerId: Self.issuerId, privateKey: signingKey)
        let catalog = try #require(Catalog.read(storeKitFile: Array(tideCatalog.utf8)).catalog)
        let apps = [Self.bundleId, Self.otherBundleId].map { bundleId in
            App(
                bundleId: bundleId, appAppleId: 6_400_000_001, environments: [.production, .sandbox], catalog: catalog,
                signingKey: key, deviceProofMaxAgeMilliseconds: 90 * 86_400_000)
        }
        let clock = clock
        let environment = Environment(now: { clock.now }, makeUUID: { UUID() })
        let log = try FileHandle(forWritingTo: folder.write("", to: "log"))
        running = Running(
            try RunningServer(
                apps: apps, verifier: SignedDataVerifier(roots: [appStore.root]),
                database: folder.path("holdfast.sqlite"),
                socket: ListeningSocket(host: "127.0.0.1", port: 0), environment: environment,
                log: Log(descriptor: dup(log.fileDescriptor))))
        client = try Self.makeKey(.client, in: folder.path("holdfast.sqlite"), name: "shop")
    }

    deinit { running.server.stop() }
}
