import CampaignCore
import Server
import Storage
import YAML

/// The app and environment that a line of `codes` is about.
struct CodeTarget {
    let configuration: Configuration
    let app: Configuration.App
    let environment: AppStoreEnvironment

    init(_ arguments: Arguments) throws(CommandError) {
        configuration = try arguments.configuration(requiringFiles: false)
        app = try arguments.app(of: configuration)
        environment = arguments.text(.environment).map { AppStoreEnvironment(rawValue: $0) } ?? .production
        guard app.environments.contains(environment) else {
            let configured = app.environments.map { "'\($0.rawValue)'" }.joined(separator: " and ")
            throw .refused(
                "the app '\(app.bundleId)' is configured for \(configured), not for '\(environment.rawValue)'; name "
                    + "another '--environment', or add it to 'environments'")
        }
    }

    /// Refuses a product and an offer that the catalogue does not have together.
    func requireOffer(_ offer: OfferIdentifier, on productId: ProductID) throws(CommandError) {
        let catalog = try app.readCatalog()
        guard let product = catalog.subscription(productId) else {
            let known = catalog.subscriptions.map(\.productId.rawValue)
            throw .refused(
                "no subscription \(quotedName(productId.rawValue)) in '\(app.catalog.path)'"
                    + (didYouMean(productId.rawValue, among: known).isEmpty
                        ? "; 'holdfast catalog show' lists all" : didYouMean(productId.rawValue, among: known)))
        }
        let names = product.codeOffers.compactMap(\.offerIdentifier?.rawValue)
        guard names.contains(offer.rawValue) else {
            let listed = names.isEmpty ? "it has none" : "it has " + names.map { "'\($0)'" }.joined(separator: ", ")
            throw .refused(
                "the subscription '\(productId)' has no code offer \(quotedName(offer.rawValue)); \(listed)"
                    + didYouMean(offer.rawValue, among: names))
        }
    }

    /// The limit in force, and whose quarters it counts.
    func quota() throws(CommandError) -> CodeQuota {
        CodeQuota(limit: app.offerCodes.quarterlyLimit, zone: try readTimeZone(app.offerCodes.quarterTimeZone))
    }

    /// The database for reading alone, in one view of it if that is needed; it is made or upgraded before.
    func openReader(_ arguments: Arguments) throws(CommandError) -> Store {
        _ = try arguments.openStore(of: configuration)
        let path = try configuration.databasePath
        do throws(StorageError) {
            return try Store(reading: path)
        } catch {
            throw .failed(error)
        }
    }
}
