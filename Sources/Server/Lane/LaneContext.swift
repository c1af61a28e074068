import AppStore
import CampaignCore
import Crypto
public import Storage

/// What a lane's work may use: the lane's own store and its own signers.
///
/// It lives on the lane's thread from birth to end and is never shared.
public final class LaneContext {
    let store: Store
    let environment: Environment
    private let log: Log
    private var signers: [SignerName: OfferSigner] = [:]
    private var keys: [[UInt8]: APIKey] = [:]
    private var zones: [String: TimeZoneRules] = [:]
    private var dataVersion: Int64?
    private var effects: [() -> Void] = []

    /// What tells one signer from another: after a reload the same `keyId` may stand for another key.
    private struct SignerName: Hashable {
        let keyId: KeyID
        let issuerId: IssuerID
        let publicKey: P256PublicKey

        /// Two keys with one id are rare, and all of them are compared, so hashing the id is enough.
        func hash(into hasher: inout Hasher) {
            hasher.combine(keyId)
        }
    }

    public init(store: Store, environment: Environment, log: Log) {
        self.store = store
        self.environment = environment
        self.log = log
    }

    /// This lane's signer with `key`; made once, because a prepared signer saves a quarter of each signature.
    func signer(with key: SigningKey) -> OfferSigner {
        let name = SignerName(keyId: key.keyId, issuerId: key.issuerId, publicKey: key.publicKey)
        if let signer = signers[name] { return signer }
        let signer = OfferSigner(key)
        signers[name] = signer
        return signer
    }

    /// The rules of an IANA time zone, read from the system's table once; nil when it no longer knows the name.
    func zone(_ name: String) -> TimeZoneRules? {
        if let zone = zones[name] { return zone }
        let zone = TimeZoneRules.ofSystem(name)
        if zones.count >= Limits.knownZones { zones = [:] }
        zones[name] = zone
        return zone
    }

    /// To be called in each new transaction, before any work: forgets what another process may have changed.
    func transactionBegan() throws(StorageError) {
        effects.removeAll(keepingCapacity: true)
        let version = try store.connection.dataVersion()
        if version != dataVersion { keys = [:] }
        dataVersion = version
    }

    /// The API key whose SHA-256 is `digest`, as it is in the open transaction.
    ///
    /// It is looked up once and then remembered until any other connection has written; the lane itself writes no key.
    func apiKey(digest: [UInt8]) throws(StorageError) -> APIKey? {
        if let key = keys[digest] { return key }
        guard let key = try store.apiKey(digest: digest) else { return nil }
        if keys.count >= Limits.knownKeys { keys = [:] }
        keys[digest] = key
        return key
    }

    /// Keeps `effect` until the commit; after a rollback it never happens, so nothing is counted that was undone.
    func afterCommit(_ effect: @escaping () -> Void) {
        effects.append(effect)
    }

    /// How many effects wait for the commit, for `forgetEffects`.
    var effectCount: Int { effects.count }

    /// Drops those that came after the first `count`, because the request that asked for them was undone.
    func forgetEffects(after count: Int) {
        effects.removeLast(effects.count - count)
    }

    /// To be called once the transaction is durable.
    func transactionEnded() {
        for effect in effects { effect() }
        effects.removeAll(keepingCapacity: true)
    }

    /// Logs what the database said, and answers without its words.
    func response(to error: StorageError) -> Response {
        log.write(
            .error, "storage", pacedAs: error.problem.code.rawValue, at: environment.now(),
            [.init("detail", .string("\(error)"))])
        return error.problem.response
    }
}

extension StorageError {
    /// What a client is told: 503 for what may pass by itself, 500 for what an operator has to mend.
    var problem: Problem {
        isTemporary
            ? Problem(.storageUnavailable, "nothing was done; send the same request again")
            : Problem(.internalFault, "nothing was done; the server's log says what to mend")
    }
}
