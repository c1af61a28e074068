import AppStore
import CampaignCore
import Crypto
import Server

/// What `verify` checks with: the configuration when there is one, and the files that the line names.
struct VerificationSources {
    let configuration: Configuration?
    private let arguments: Arguments

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        let namesFiles = arguments.isGiven(VerifyCommand.key) || arguments.isGiven(VerifyCommand.root)
        let isWanted =
            arguments.namesConfiguration || (!namesFiles && fileExists(arguments.configurationPath))
        configuration = isWanted ? try arguments.configuration() : nil
    }

    /// The certificates that end a chain: those of the line, else those configured, else Apple's.
    func roots() throws(CommandError) -> [Certificate] {
        let given = arguments.texts(VerifyCommand.root)
        let paths = given.isEmpty ? configuration?.trust.rootCertificates.map(\.path) ?? [] : given
        if paths.isEmpty { return [AppleRootCertificate.g3] }
        var roots: [Certificate] = []
        for path in paths { roots += try readCertificates(path) }
        return roots
    }

    /// The apps that a payload may be for; nil without a configuration.
    var apps: [AppIdentity]? {
        configuration?.apps.map {
            AppIdentity(bundleId: $0.bundleId, appAppleId: $0.appAppleId, environments: $0.environments)
        }
    }

    /// The app of the signature: `--bundle`, else the only one that is configured.
    func bundleId() throws(CommandError) -> BundleID {
        if let bundleId = arguments.text(VerifyCommand.bundle) { return BundleID(bundleId) }
        guard let configuration else { throw arguments.wrongUsage("without a configuration '--bundle' is needed") }
        guard configuration.apps.count == 1 else {
            throw arguments.wrongUsage("several apps are configured; name one with '--bundle'")
        }
        return configuration.apps[0].bundleId
    }

    /// What signatures are compared with.
    ///
    /// - Parameter keyId: the identifier that was passed; a key file is taken for that key when nothing else is known.
    func signatureCheck(bundleId: BundleID?, keyId: String) throws(CommandError) -> SignatureCheck {
        var keys: [SignatureCheck.KnownKey] = []
        var products: [SignatureCheck.KnownProduct] = []
        for app in configuration?.apps ?? [] {
            for source in app.signing {
                do {
                    keys.append(.init(keyId: source.keyId, publicKey: try source.readKey().publicKey))
                } catch {
                    throw .failed(error)
                }
            }
            if app.bundleId == bundleId { products = knownProducts(try app.readCatalog()) }
        }
        let candidates = try addGivenKeys(to: &keys, passed: KeyID(keyId))
        let configured = configuration?.apps.map(\.bundleId) ?? []
        return SignatureCheck(
            keys: keys, candidates: candidates, bundleIds: configured,
            issuerIds: configuration?.apps.flatMap { $0.signing.map(\.issuerId) } ?? [],
            products: products, now: arguments.now)
    }

    /// Adds the keys of the line to the configured ones, and gives those that cannot have the id they would get.
    ///
    /// A file is taken for the key that its name tells, else for the one of the passed id. When another key is known
    /// under that id, it proves nothing right: it can only explain who signed.
    private func addGivenKeys(
        to keys: inout [SignatureCheck.KnownKey], passed: KeyID
    ) throws(CommandError) -> [SignatureCheck.Candidate] {
        var candidates: [SignatureCheck.Candidate] = []
        var unnamed: [SignatureCheck.Candidate] = []
        for path in arguments.texts(VerifyCommand.key) {
            let key = SignatureCheck.Candidate(name: path, publicKey: try readPublicKey(path))
            if keys.contains(where: { $0.publicKey == key.publicKey }) { continue }
            guard let keyId = keyIdentifier(inFileName: path) else {
                unnamed.append(key)
                continue
            }
            if isKnown(keyId, among: keys) {
                candidates.append(key)
            } else {
                keys.append(.init(keyId: keyId, publicKey: key.publicKey))
            }
        }
        unnamed.removeAll { key in keys.contains { $0.publicKey == key.publicKey } }
        if passed.rawValue.isEmpty || isKnown(passed, among: keys) { return candidates + unnamed }
        keys += unnamed.map { .init(keyId: passed, publicKey: $0.publicKey) }
        return candidates
    }

    /// Whether a key has this id, in whatever case: another case is a fault of its own and makes no other key right.
    private func isKnown(_ keyId: KeyID, among keys: [SignatureCheck.KnownKey]) -> Bool {
        keys.contains { $0.keyId.rawValue.lowercased() == keyId.rawValue.lowercased() }
    }

    private func knownProducts(_ catalog: Catalog) -> [SignatureCheck.KnownProduct] {
        catalog.subscriptions.map {
            .init(productId: $0.productId, offerIdentifiers: $0.promotionalOffers.compactMap(\.offerIdentifier))
        } + catalog.otherProducts.map { .init(productId: $0.productId, offerIdentifiers: []) }
    }
}

/// The certificates of a PEM or DER file.
func readCertificates(_ path: String) throws(CommandError) -> [Certificate] {
    let bytes = try readFile(path, limit: Limits.certificateFileBytes)
    do {
        return try Certificate.all(in: bytes)
    } catch {
        throw .failed("certificate file '\(path)': \(error)")
    }
}

/// The public key of a PEM file, or the public half of a private one; that file must be closed to others.
private func readPublicKey(_ path: String) throws(CommandError) -> P256PublicKey {
    let bytes = try readFile(path, limit: CryptoLimits.keyFileBytes)
    do throws(KeyFault) {
        return try P256PublicKey(pem: String(decoding: bytes, as: UTF8.self))
    } catch {
        guard error == .privateKey else { throw .failed("key file '\(path)': \(error)") }
    }
    do {
        return try SigningKeyFile.load(path: path, keyId: KeyID(""), issuerId: IssuerID("")).publicKey
    } catch {
        throw .failed(error)
    }
}

/// The key that App Store Connect says a file holds, by its name `SubscriptionKey_KEYID.p8`.
private func keyIdentifier(inFileName path: String) -> KeyID? {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard name.hasPrefix("SubscriptionKey_"), name.hasSuffix(".p8") else { return nil }
    return KeyID(String(name.dropFirst("SubscriptionKey_".count).dropLast(".p8".count)))
}
