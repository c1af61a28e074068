import AppStore
import CampaignCore
import FoundationEssentials
import Server

// Reads the files that an app of the configuration names.

extension Configuration.App {
    /// The catalogue; throws every error in its file.
    func readCatalog() throws(CommandError) -> Catalog {
        let reading = Catalog.read(storeKitFile: try readFile(catalog.path, limit: Limits.catalogFileBytes))
        guard let read = reading.catalog else {
            throw .diagnosed(reading.findings.filter { $0.severity == .error }.map { "\(catalog.path): \($0)" })
        }
        return read
    }

    /// The key that signs: the first one of the list.
    func readSigningKey() throws(CommandError) -> SigningKey {
        guard let source = signing.first else { throw .failed("app '\(bundleId)' has no signing key; add one") }
        do {
            return try source.readKey()
        } catch {
            throw .failed(error)
        }
    }
}

extension Configuration.SigningKeySource {
    func readKey() throws(SigningKeyError) -> SigningKey {
        try load(variables: ProcessInfo.processInfo.environment)
    }
}
