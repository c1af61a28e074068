import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import TestSupport
import Testing

@Suite struct PrivateAppStoreTests {
    @Test func `a folder keeps its root across runs`() throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path("demo/app-store")
        let first = try PrivateAppStore.open(folder: folder, now: PrivateChains.now)
        let signed = try first.signedTransaction(PrivateChains.transaction())
        let later = PrivateChains.now.adding(milliseconds: 86_400_000)
        let second = try PrivateAppStore.open(folder: folder, now: later)

        #expect(second.rootCertificatePEM == first.rootCertificatePEM)
        #expect(second.leaf.certificate == first.leaf.certificate)
        let verifier = try PrivateChains.verifier(roots: Certificate.all(in: Array(second.rootCertificatePEM.utf8)))
        #expect(throws: Never.self) { try verifier.transaction(signed) }
        #expect(throws: Never.self) {
            try verifier.transaction(second.signedTransaction(PrivateChains.transaction(signedDate: later)))
        }
        let issued = try PrivateAppStore.issueLeaf(
            by: second.intermediate, "Next",
            validity: first.leaf.certificate.notBefore..<first.leaf.certificate.notAfter)
        #expect(throws: Never.self) {
            try verifier.transaction(
                second.sign(payload: PrivateChains.json(PrivateChains.transaction()), with: issued))
        }
    }

    @Test func `keys are readable by their owner only, and refused otherwise`() throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path("app-store")
        try PrivateChains.store.get().save(in: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(
            names == [
                "expired-leaf.key", "expired-leaf.pem", "intermediate.key", "intermediate.pem", "leaf.key", "leaf.pem",
                "root.key", "root.pem",
            ])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            let mode = attributes[.posixPermissions] as? Int
            // Of certificates whatever the process's own mask leaves.
            let openToOthers = (mode ?? 0) & 0o077 & ~0o044
            #expect(name.hasSuffix(".key") ? mode == 0o600 : openToOthers == 0, "\(name)")
        }
        let key = "\(folder)/leaf.key"
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
        #expect(throws: PrivateAppStoreError.unsafePermissions(file: key)) { try PrivateAppStore(folder: folder) }
        try FileManager.default.removeItem(atPath: key)
        #expect(throws: PrivateAppStoreError.missingFile(key)) { try PrivateAppStore(folder: folder) }
    }

    @Test func `a key of another certificate is refused`() throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path("app-store")
        try PrivateChains.store.get().save(in: folder)
        for (name, other) in [("leaf", "expired-leaf"), ("root", "intermediate")] {
            let file = URL(fileURLWithPath: "\(folder)/\(name).key")
            let kept = try Data(contentsOf: file)
            try scratch.write(
                Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(other).key")), to: "app-store/\(name).key")
            #expect(throws: PrivateAppStoreError.self) { try PrivateAppStore(folder: folder) }
            try scratch.write(kept, to: "app-store/\(name).key")
        }
        #expect(throws: Never.self) { try PrivateAppStore(folder: folder) }
    }

    @Test func `its secrets cannot be printed`() throws {
        var dumped = ""
        dump(try PrivateChains.store.get(), to: &dumped)
        #expect(dumped.contains("CN=Private App Store Root"))
        #expect(!dumped.contains("PRIVATE KEY"))
    }

    @Test func `no leaf signs for a date outside its years`() throws {
        let store = try PrivateChains.store.get()
        let ancient = PrivateChains.transaction(signedDate: Instant(millisecondsSince1970: 0))
        #expect(throws: PrivateAppStoreError.noCertificate(at: 0)) { try store.signedTransaction(ancient) }
    }

    static let subscribers = Subscribers(
        bundleId: PrivateChains.bundleId, environment: .sandbox,
        products: [
            SoldProduct(
                productId: .init("tide.monthly"), subscriptionGroupIdentifier: .init("21500001"), periodDays: 30,
                price: 4990, currency: "EUR"),
            SoldProduct(
                productId: .init("tide.yearly"), subscriptionGroupIdentifier: .init("21500001"), periodDays: 365,
                price: 39_990, currency: "EUR"),
        ], seed: 7, now: PrivateChains.now)

    @Test func `the same seed makes the same subscribers, another makes others`() {
        let again = Subscribers(
            bundleId: Self.subscribers.bundleId, environment: .sandbox, products: Self.subscribers.products, seed: 7,
            now: PrivateChains.now)
        #expect(again.first(50) == Self.subscribers.first(50))
        #expect(again[49] == Self.subscribers.first(50)[49])
        let other = Subscribers(
            bundleId: Self.subscribers.bundleId, environment: .sandbox, products: Self.subscribers.products, seed: 8,
            now: PrivateChains.now)
        #expect(other.first(50) != Self.subscribers.first(50))
    }

    @Test func `subscribers are believable`() {
        let made = Self.subscribers.first(1000)
        let now = PrivateChains.now
        #expect(Set(made.map(\.transaction.originalTransactionId)).count == 1000)
        #expect(Set(made.map(\.transaction.transactionId)).count == 1000)
        for subscriber in made {
            let transaction = subscriber.transaction
            let id = transaction.originalTransactionId?.rawValue ?? ""
            #expect(id.count == 16 && id.hasPrefix("2000001"))
            guard let purchase = transaction.purchaseDate, let expires = transaction.expiresDate,
                let start = transaction.originalPurchaseDate, let signed = transaction.signedDate
            else {
                Issue.record("\(id) lacks a date")
                continue
            }
            #expect(start <= purchase && purchase < expires && purchase <= signed && signed <= now)
            #expect((expires <= now) == (subscriber.standing == .expired))
            #expect((subscriber.renewalInfo.autoRenewStatus == .on) == (subscriber.standing == .active))
            #expect((subscriber.renewalInfo.expirationIntent != nil) == (subscriber.standing == .expired))
        }
        for standing in Subscriber.Standing.allCases {
            #expect(made.count { $0.standing == standing } > 100)
        }
        let tokens = made.count { $0.transaction.appAccountToken != nil }
        #expect(tokens > 500 && tokens < 800)
    }

    @Test func `subscribers' signed payloads are believed`() throws {
        let store = try PrivateChains.store.get()
        let verifier = try PrivateChains.verifier()
        for subscriber in Self.subscribers.first(40) {
            let transaction = try verifier.transaction(store.signedTransaction(subscriber.transaction))
            #expect(transaction.payload == subscriber.transaction)
            let renewalInfo = try verifier.renewalInfo(store.signedRenewalInfo(subscriber.renewalInfo))
            #expect(renewalInfo.payload == subscriber.renewalInfo)
        }
    }
}
