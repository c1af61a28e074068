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
    /// What most examples are about.
    static let productId = ProductID("reader.monthly")

    let path: String
    /// Whether the demo made the folder and so removes it at the end.
    let isTemporary: Bool
    let appStore: PrivateAppStore
    /// How many there are.
    let subscriberCount: Int
    /// The first of them, at most `Limits.demoSubscribersKept`.
    let subscribers: [DemoSubscriber]
    /// Whom the page and the jobs speak of; not every role is played when there are few subscribers.
    let cast: [DemoRole: DemoSubscriber]

    var configurationPath: String { path + "/holdfast.yaml" }
    var databasePath: String { path + "/holdfast.sqlite" }
    var publicKeyPath: String { path + "/" + Self.publicKeyFile }
    /// A notification that the App Store has signed and not sent yet; the page has it posted.
    var notificationPath: String { path + "/notification.json" }

    private static let keyFile = "SubscriptionKey_\(keyId).p8"
    private static let publicKeyFile = "public.pem"

    /// Makes what is missing in `folder`, or in a new temporary folder, and fills the database.
    ///
    /// `listen` is what a new configuration says; one that is there already is kept. `output` shows how far it is.
    init(
        folder: String?, listen: ListenAddress?, subscriberCount: Int, now: Instant, output: Output? = nil
    ) throws(CommandError) {
        if let folder { path = withoutTrailingSlashes(folder) } else { path = try Self.temporaryFolder() }
        isTemporary = folder == nil
        try makeFolder(path)
        try Self.refuseOtherOwner(path)
        do {
            appStore = try PrivateAppStore.open(folder: path + "/app-store", now: now)
        } catch {
            throw .failed(error)
        }
        try Self.writeFiles(path, listen: listen?.description ?? "127.0.0.1:8080")
        let population = try Self.population(path, subscriberCount, now: now)
        let intake = try DemoIntake(population, appStore: appStore)
        let members = intake.members()
        let indices = DemoRole.allCases.compactMap { members.cast[$0] } + members.others
        if !population.isComplete {
            do throws(CommandError) {
                try Self.fill(path, intake, indices, now: now, output)
            } catch {
                if isTemporary { try? FileManager.default.removeItem(atPath: path) }
                throw error
            }
        }
        self.subscriberCount = population.subscribers
        cast = members.cast.compactMapValues(intake.subscriber)
        subscribers = indices.prefix(Limits.demoSubscribersKept).compactMap(intake.subscriber)
    }

    /// How the configuration of a demo begins.
    private static let mark = "# Written by 'holdfast demo'"

    /// Refuses a folder that a demo did not make: its keys and people must not get into somebody's own database.
    private static func refuseOtherOwner(_ path: String) throws(CommandError) {
        let configuration = path + "/holdfast.yaml"
        if fileExists(configuration) {
            let text = String(decoding: try readFile(configuration, limit: Limits.payloadFileBytes), as: UTF8.self)
            if text.hasPrefix(mark) { return }
        } else if !fileExists(path + "/holdfast.sqlite") {
            return
        }
        throw .refused("'\(path)' belongs to no demo, which would write invented people into it; name another folder")
    }

    /// The lives that the folder has; new ones when it is new, or was left too long.
    private static func population(
        _ path: String, _ count: Int, now: Instant
    ) throws(CommandError) -> DemoPopulation {
        let file = path + "/subscribers.json"
        var population = DemoPopulation(
            simulatedUntil: now, firstSubscriber: Limits.demoFirstSubscriber, subscribers: count)
        if let known = DemoPopulation.read(file) {
            let age = now.millisecondsSince1970 - known.simulatedUntil.millisecondsSince1970
            guard (0..<Limits.demoFreshMilliseconds).contains(age), known.subscribers == count else {
                population = known.next(at: now, subscribers: count)
                try population.write(file)
                return population
            }
            return known
        }
        try population.write(file)
        return population
    }

    private static func fill(
        _ path: String, _ intake: DemoIntake, _ indices: [Int], now: Instant, _ output: Output?
    ) throws(CommandError) {
        // Threads that are made from here on leave the signals to the one that waits for them.
        StopSignal.block()
        do {
            let store = try Store(path + "/holdfast.sqlite", now: now)
            try intake.takeIn(indices, store, now: now) { count throws(CommandError) in
                if StopSignal.isWished { throw .failed("stopped before all subscribers were made; run it again") }
                output?.progress("demo: \(count) of \(indices.count) subscribers")
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed(error)
        }
        output?.progress("")
        var complete = intake.population
        complete.isComplete = true
        try complete.write(path + "/subscribers.json")
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

    private static func writeFiles(_ path: String, listen: String) throws(CommandError) {
        let keyPath = path + "/" + keyFile
        if !fileExists(keyPath) {
            let key = P256PrivateKey.generate()
            try writeNewFile(keyPath, key.exportSecretPEM(), mode: 0o600)
            try writeNewFile(path + "/" + publicKeyFile, key.publicKey.pem)
        }
        try makeFolder(path + "/" + DemoCampaign.folder)
        let files = [
            (DemoCatalog.fileName, DemoCatalog.text), (DemoCampaign.file, DemoCampaign.text),
            ("holdfast.yaml", configuration(listen: listen)),
        ]
        for (name, text) in files where !fileExists("\(path)/\(name)") {
            try writeNewFile("\(path)/\(name)", text)
        }
    }

    private static func configuration(listen: String) -> String {
        """
        \(mark); the App Store in it is a private one.
        listen: "\(listen)"
        database: sqlite:holdfast.sqlite
        apps:
          - bundleId: \(bundleId)
            appAppleId: \(appAppleId)
            environments: [Production, Sandbox]
            catalog: \(DemoCatalog.fileName)
            signing: { keyId: \(keyId), issuerId: \(issuerId), privateKeyFile: \(keyFile) }
            # A demo may run as often as it likes; leave this out in earnest.
            offerGuard: { offersPerYear: none }
        trust: { rootCertificates: [app-store/\(PrivateAppStore.rootCertificateFile)] }

        """
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
