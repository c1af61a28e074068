import AppStore
import CampaignCore
import Crypto
import FoundationEssentials
import PrivateAppStore
import Server
import Storage

/// Tells the lives of a demo's subscribers and takes in the notifications that the App Store signed about them, by the
/// same steps as the service's own route.
struct DemoIntake {
    let population: DemoPopulation
    let appStore: PrivateAppStore
    private let simulation: Simulation
    private let packer = PayloadPacker()

    init(_ population: DemoPopulation, appStore: PrivateAppStore) throws(CommandError) {
        self.population = population
        self.appStore = appStore
        guard let catalog = Catalog.read(storeKitFile: Array(DemoCatalog.text.utf8)).catalog else {
            throw .failed("the demo's own catalogue cannot be read; please report this")
        }
        let ends = population.simulatedUntil
        simulation = Simulation(
            bundleId: DemoFolder.bundleId, appAppleId: DemoFolder.appAppleId, environment: .production,
            products: catalog.subscriptions.map { SimulatedProduct($0, currency: "USD") },
            subscriberCount: population.subscribers, seed: 1, starts: ends.adding(milliseconds: -Self.year), ends: ends)
    }

    private static let year: Int64 = 365 * 24 * 60 * 60 * 1000

    // MARK: - Who

    /// The numbers of the lives, those of the cast first: one of each role when there are enough subscribers.
    func members() -> (cast: [DemoRole: Int], others: [Int]) {
        var cast: [DemoRole: Int] = [:]
        let roles = DemoRole.allCases.prefix(population.subscribers)
        let first = population.firstSubscriber
        for index in first..<first + Limits.demoCastSearched where cast.count < roles.count {
            guard let subscriber = subscriber(index) else { continue }
            let role = roles.first {
                cast[$0] == nil && $0.isPlayed(by: subscriber, at: population.simulatedUntil)
            }
            if let role { cast[role] = index }
        }
        let taken = Set(cast.values)
        let last = first + population.subscribers + taken.count
        let others = (first..<last).filter { !taken.contains($0) }.prefix(population.subscribers - taken.count)
        return (cast, Array(others))
    }

    func subscriber(_ index: Int) -> DemoSubscriber? {
        DemoSubscriber(simulation.life(index), at: population.simulatedUntil)
    }

    // MARK: - Taking in

    /// Signs, verifies, logs and folds whatever was signed about lives that the store does not know yet.
    ///
    /// Each transaction has whole lives, so that a demo that was killed goes on where it was.
    func takeIn(
        _ indices: [Int], _ store: Store, now: Instant, progress: (Int) throws(CommandError) -> Void
    ) throws(CommandError) {
        let verifier = self.verifier
        for first in stride(from: 0, to: indices.count, by: Limits.demoBatch) {
            try progress(first)
            let batch = indices[first..<min(first + Limits.demoBatch, indices.count)]
            let lives = try unknown(batch.map { simulation.life($0) }, to: store)
            let intakes = try onEveryCore(lives, sliceBy: Limits.demoSlice) { lives in
                let signer = NotificationSigner(appStore)
                return try lives.map { life in
                    try simulation.deliveries(of: life).map { delivery in
                        let signed = try signer.signedPayload(delivery.event)
                        let notification = try verifier.notification(signed, innerSignatures: .coveredByOuter)
                        return NotificationIntake(
                            notification, payload: packer.pack(notification.jws), receivedDate: now)
                    }
                }
            }
            try commit(intakes, store)
        }
    }

    private var verifier: SignedDataVerifier {
        let identity = AppIdentity(
            bundleId: DemoFolder.bundleId, appAppleId: DemoFolder.appAppleId, environments: [.production, .sandbox])
        return SignedDataVerifier(chains: ChainVerifier(roots: [appStore.root.certificate]), apps: [identity])
    }

    private func unknown(_ lives: [SimulatedLife], to store: Store) throws(CommandError) -> [SimulatedLife] {
        do throws(StorageError) {
            var unknown: [SimulatedLife] = []
            for life in lives {
                let known = try store.subscription(
                    originalTransactionId: life.originalTransactionId, bundleId: DemoFolder.bundleId,
                    environment: .production)
                if known == nil { unknown.append(life) }
            }
            return unknown
        } catch {
            throw .failed(error)
        }
    }

    private func commit(_ lives: [[NotificationIntake]], _ store: Store) throws(CommandError) {
        var rest = lives[...]
        while !rest.isEmpty {
            var count = 0
            let some = rest.prefix { life in
                defer { count += life.count }
                return count < Limits.importBatch
            }
            rest = rest.dropFirst(some.count)
            do throws(StorageError) {
                try store.connection.transaction { () throws(StorageError) in
                    for intake in some.joined() { _ = try intake.take(store) }
                }
            } catch {
                throw .failed(error)
            }
        }
    }
}
