import AppStore
import CampaignCore
import Crypto
import FoundationEssentials
@preconcurrency import Glibc
import PrivateAppStore
import Server
import Storage

/// Everything a demo needs in one folder: a key, a private App Store, a catalogue, a configuration, subscribers.
///
/// A folder that has been used before keeps its key and its App Store, so that what it signed stays good.
struct DemoFolder {
    static let bundleId = BundleID("com.example.reader")
    static let keyId = KeyID("DEMOKEY001")
    static let issuerId = IssuerID("57246542-96fe-1a63-e053-0824d011072a")
    static let appAppleId: AppAppleID = 6_400_000_001

    let path: String
    /// Whether the demo made the folder and so removes it at the end.
    let isTemporary: Bool
    let appStore: PrivateAppStore
    let subscribers: [Subscriber]

    var configurationPath: String { path + "/holdfast.yaml" }
    var databasePath: String { path + "/holdfast.sqlite" }
    var keyPath: String { path + "/SubscriptionKey_\(Self.keyId).p8" }
    var publicKeyPath: String { path + "/public.pem" }

    /// Makes what is missing in `folder`, or in a new temporary folder, and fills the database.
    ///
    /// `listen` is what a new configuration says; one that is there already is kept.
    init(
        folder: String?, listen: ListenAddress?, subscriberCount: Int, now: Instant
    ) throws(CommandError) {
        if let folder { path = withoutTrailingSlashes(folder) } else { path = try Self.temporaryFolder() }
        isTemporary = folder == nil
        try makeFolder(path)
        do {
            appStore = try PrivateAppStore.open(folder: path + "/app-store", now: now)
        } catch {
            throw .failed(error)
        }
        let products = [("reader.annual", 365, 59_990), ("reader.monthly", 30, 5990)].map { name, days, price in
            SoldProduct(
                productId: ProductID(name), subscriptionGroupIdentifier: SubscriptionGroupIdentifier("21500001"),
                periodDays: days, price: Int64(price), currency: "USD")
        }
        subscribers = Subscribers(
            bundleId: Self.bundleId, environment: .production, products: products, seed: 1, now: now
        ).first(subscriberCount)
        try writeFiles(listen: listen?.description ?? "127.0.0.1:8080")
        try remember(now: now)
    }

    /// Removes a folder that only this demo used.
    func removeIfTemporary() {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func temporaryFolder() throws(CommandError) -> String {
        var template = Array((FileManager.default.temporaryDirectory.path + "/holdfast-demo-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .failed("cannot make a temporary folder: name one with '--directory'")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func writeFiles(listen: String) throws(CommandError) {
        if !fileExists(keyPath) {
            let key = P256PrivateKey.generate()
            try writeNewFile(keyPath, key.exportSecretPEM(), mode: 0o600)
            try writeNewFile(publicKeyPath, key.publicKey.pem)
        }
        let files = [(DemoCatalog.fileName, DemoCatalog.text), ("holdfast.yaml", Self.configuration(listen: listen))]
        for (name, text) in files where !fileExists("\(path)/\(name)") {
            try writeNewFile("\(path)/\(name)", text)
        }
    }

    private static func configuration(listen: String) -> String {
        """
        # Written by 'holdfast demo'; the App Store in it is a private one.
        listen: "\(listen)"
        database: sqlite:holdfast.sqlite
        apps:
          - bundleId: \(bundleId)
            appAppleId: \(appAppleId)
            environments: [Production, Sandbox]
            catalog: \(DemoCatalog.fileName)
            signing: { keyId: \(keyId), issuerId: \(issuerId), privateKeyFile: SubscriptionKey_\(keyId).p8 }
        trust: { rootCertificates: [app-store/\(PrivateAppStore.rootCertificateFile)] }

        """
    }

    /// Records what each subscriber's own signed transaction proves, as if their devices had sent it.
    private func remember(now: Instant) throws(CommandError) {
        let identity = AppIdentity(
            bundleId: Self.bundleId, appAppleId: Self.appAppleId, environments: [.production, .sandbox])
        let verifier = SignedDataVerifier(
            chains: ChainVerifier(roots: [appStore.root.certificate]), apps: [identity])
        do {
            let store = try Store(databasePath, now: now)
            var rest = subscribers[...]
            while !rest.isEmpty {
                let some = rest.prefix(Limits.demoBatch)
                let proven = try some.map { subscriber in
                    let signed = try appStore.signedTransaction(subscriber.transaction)
                    let verified = try verifier.transaction(signed)
                    return (signed, try TransactionFact(verified.payload), verified.environment)
                }
                try store.connection.transaction { () throws(StorageError) in
                    for (signed, fact, environment) in proven {
                        try store.recordProvenTransaction(
                            fact, bundleId: Self.bundleId, environment: environment, signed: signed, receivedDate: now)
                    }
                }
                rest = rest.dropFirst(some.count)
            }
        } catch {
            throw .failed(error)
        }
    }

    /// Makes an API key for this demo and gives its text, which is known only now.
    func makeKey(role: APIRole, name: String, now: Instant) throws(CommandError) -> String {
        let key = NewAPIKey(role: role)
        do {
            let store = try Store(databasePath, now: now)
            try store.createAPIKey(
                APIKey(name: name, role: role, bundleId: Self.bundleId, createdDate: now), digest: key.digest)
        } catch {
            throw .failed(error)
        }
        return key.secretText
    }
}
