import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

/// Takes the deliveries of a year in as a database lane does.
final class YearlyIntake {
    private let year: SimulatedYear
    private let folder: TemporaryFolder
    private let store: Store
    private let packer = PayloadPacker()
    private let signer: NotificationSigner
    private let verifier: SignedDataVerifier
    private let catalog: Catalog
    private var payloads: [UUID: String] = [:]
    private(set) var outcomes: [NotificationOutcome: Int] = [:]
    private(set) var signed = 0

    /// One life in this many is signed and verified: both take as long as all the rest.
    private static let signedShare = 20
    /// How many share a commit.
    private static let batch = 50

    init(_ year: SimulatedYear) throws {
        self.year = year
        folder = try TemporaryFolder()
        store = try Store(folder.path("holdfast.sqlite"), now: SimulatedYear.starts)
        let appStore = try PrivateAppStore(now: TestServer.start)
        signer = NotificationSigner(appStore)
        verifier = SignedDataVerifier(
            chains: ChainVerifier(roots: [appStore.root.certificate]),
            apps: [
                AppIdentity(bundleId: TestServer.bundleId, appAppleId: 6_400_000_001, environments: [.production])
            ])
        catalog = try #require(Catalog.read(storeKitFile: Array(tideCatalog.utf8)).catalog)
    }

    /// Takes in everything in the order of arrival; `watch` is given each delivery with the subscriber's number and
    /// subscription after it.
    func takeAll(_ watch: (Delivery, Int, Subscription?) throws -> Void) throws {
        var indices: [UUID: Int] = [:]
        for life in year.simulation.lives {
            for event in life.events { indices[try #require(event.notification.notificationUUID)] = life.index }
        }
        var present: [Int: Subscription] = [:]
        for first in stride(from: 0, to: year.deliveries.count, by: Self.batch) {
            let batch = year.deliveries[first..<min(first + Self.batch, year.deliveries.count)]
            let intakes = try batch.map { delivery in
                let index = try #require(delivery.event.notification.notificationUUID.flatMap { indices[$0] })
                return (delivery, index, try intake(delivery, index))
            }
            let received = try store.connection.transaction { () throws(StorageError) in
                var received: [ReceivedNotification] = []
                for (_, _, intake) in intakes { received.append(try intake.take(store)) }
                return received
            }
            for ((delivery, index, _), received) in zip(intakes, received) {
                outcomes[received.outcome, default: 0] += 1
                if let subscription = received.subscription { present[index] = subscription }
                try watch(delivery, index, present[index])
            }
        }
    }

    private func intake(_ delivery: Delivery, _ index: Int) throws -> NotificationIntake {
        let notification: VerifiedNotification
        if index % Self.signedShare == 0 {
            let uuid = try #require(delivery.event.notification.notificationUUID)
            let payload = try payloads[uuid] ?? signer.signedPayload(delivery.event)
            payloads[uuid] = payload
            notification = try verifier.notification(payload, innerSignatures: .coveredByOuter)
            signed += 1
        } else {
            notification = try year.unsigned(delivery.event)
        }
        return NotificationIntake(
            notification, payload: packer.pack(notification.jws), receivedDate: delivery.deliveredDate)
    }

    func known(_ life: SimulatedLife) throws -> KnownSubscription? {
        try store.subscription(
            originalTransactionId: life.originalTransactionId, bundleId: TestServer.bundleId, environment: .production)
    }

    /// The subscription as `subscriber show --at` makes it.
    func subscription(of id: SubscriptionRowID, signedBy now: Instant) throws -> Subscription? {
        let facts = try store.facts(of: id, signedBy: now)
        return Subscription(transactions: facts.transactions, renewals: facts.renewals)
    }

    func answer(_ subscription: Subscription?, at now: Instant) -> NaiveSubscriber.Answer? {
        subscription.map { $0.status(at: now, catalog: catalog, policy: AccessPolicy()).comparable($0) }
    }
}
