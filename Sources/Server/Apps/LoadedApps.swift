public import AppStore
import CampaignCore
import Crypto
public import YAML

/// Everything that the configured apps need, read from the files that the configuration names.
public struct LoadedApps: Sendable {
    public let apps: [App]
    public let verifier: SignedDataVerifier
    /// The trusted roots with the chains that they proved.
    public let chains: ChainVerifier
    /// What is in doubt in those files without being wrong, each at its place in the configuration.
    public let warnings: [Diagnostic]

    /// Reads catalogues, keys and roots; every fault in any of them is told at once, at the line that names the file.
    ///
    /// - Parameters:
    ///   - variables: the process environment, for keys that are kept in it.
    ///   - known: chains that were proven earlier; they stay proven as long as the roots are the same.
    public init(
        _ configuration: Configuration, variables: [String: String], keeping known: ChainVerifier? = nil
    ) throws(ConfigurationError) {
        let loader = AppLoader(variables: variables)
        let roots = loader.roots(of: configuration.trust)
        let apps = configuration.apps.compactMap { loader.app($0) }
        guard !loader.diagnostics.hasErrors else {
            throw .refused(path: configuration.path, loader.diagnostics.all)
        }
        self.apps = apps
        let keptChains = known.flatMap { $0.roots.map(\.der) == roots.map(\.der) ? $0 : nil }
        chains = keptChains ?? ChainVerifier(roots: roots)
        verifier = SignedDataVerifier(chains: chains, apps: apps.map(\.identity))
        warnings = loader.diagnostics.all
    }
}

/// Reads the files of one configuration and collects what is wrong with them.
private struct AppLoader {
    let variables: [String: String]
    let diagnostics = Diagnostics()

    /// The certificates that end a chain: Apple's own unless the configuration names others.
    func roots(of trust: Configuration.Trust) -> [Certificate] {
        guard !trust.rootCertificates.isEmpty else { return [AppleRootCertificate.g3] }
        return trust.rootCertificates.flatMap { file in
            guard let bytes = bytes(of: file, limit: Limits.rootCertificateBytes) else { return [Certificate]() }
            do throws(CertificateFault) {
                return try Certificate.all(in: bytes)
            } catch {
                diagnostics.error("root certificate '\(file.path)': \(error)", at: file.mark)
                return []
            }
        }
    }

    /// The app, when nothing is wrong with its files.
    func app(_ configured: Configuration.App) -> App? {
        let catalog = catalog(of: configured)
        let keys = configured.signing.compactMap { key($0) }
        guard let catalog, keys.count == configured.signing.count, let signingKey = keys.first else { return nil }
        return App(
            bundleId: configured.bundleId, appAppleId: configured.appAppleId, environments: configured.environments,
            catalog: catalog, signingKey: signingKey, otherKeys: Array(keys.dropFirst()),
            deviceProofMaxAgeMilliseconds: configured.deviceProofMaxAgeMilliseconds,
            accessPolicy: configured.accessPolicy, winBackRules: configured.winBackOffers,
            offerCodes: configured.offerCodes, offerGuard: configured.offerGuard)
    }

    private func catalog(of configured: Configuration.App) -> Catalog? {
        let file = configured.catalog
        guard let bytes = bytes(of: file, limit: Limits.catalogBytes) else { return nil }
        let reading = Catalog.read(storeKitFile: bytes)
        for finding in reading.findings {
            let text = "catalogue '\(file.path)': \(finding.place): \(finding.message)"
            switch finding.severity {
            case .error: diagnostics.error(text, at: file.mark)
            case .warning: diagnostics.warning(text, at: file.mark)
            }
        }
        return reading.catalog
    }

    private func key(_ source: Configuration.SigningKeySource) -> SigningKey? {
        let mark = source.privateKey.mark
        do throws(SigningKeyError) {
            let key = try source.load(variables: variables)
            if case .file(let file) = source.privateKey,
                let warning = SigningKeyFile.warning(path: file.path, keyId: source.keyId)
            {
                diagnostics.warning("\(warning)", at: mark)
            }
            return key
        } catch {
            diagnostics.error("\(error)", at: mark)
            return nil
        }
    }

    private func bytes(of file: Configuration.NamedFile, limit: Int) -> [UInt8]? {
        do throws(FileFault) {
            return try firstBytes(ofFile: file.path, limit: limit + 1)
        } catch {
            diagnostics.error("cannot read '\(file.path)': \(error.reason); check its owner and mode", at: file.mark)
            return nil
        }
    }
}
