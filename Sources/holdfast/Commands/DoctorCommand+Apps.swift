import AppStore
import CampaignCore
import Crypto
import Server
import YAML

extension DoctorCommand {
    static func configurationChecks(_ configuration: Configuration) -> [DoctorCheck] {
        let apps = configuration.apps.map(\.bundleId.rawValue).joined(separator: ", ")
        return [DoctorCheck(.ok, "configuration", "'\(configuration.path)' reads, for \(apps)")]
            + configuration.warnings.map { DoctorCheck(.warn, "configuration", $0.line(path: configuration.path)) }
    }

    /// Catalogue, keys and quota of one app; its name stands in the lines only when there are several.
    static func appChecks(_ app: Configuration.App, isAlone: Bool) -> [DoctorCheck] {
        let suffix = isAlone ? "" : " of \(app.bundleId)"
        var checks = catalogChecks(app, subject: "catalogue" + suffix)
        for (index, source) in app.signing.enumerated() {
            let use = app.signing.count == 1 ? "" : index == 0 ? "; it signs" : "; known, the first of the list signs"
            checks += keyChecks(source, use: use)
        }
        if app.offerCodes.quarterlyLimit > appleQuarterlyLimit {
            checks.append(
                DoctorCheck(
                    .warn, "quota" + suffix,
                    "quarterlyLimit is \(app.offerCodes.quarterlyLimit); Apple's help pages state \(appleQuarterlyLimit) "
                        + "codes per app and quarter, so compare it with App Store Connect"))
        }
        return checks
    }

    /// Source: App Store Connect Help, the limits of offer codes.
    static let appleQuarterlyLimit: Int64 = 1_000_000

    private static func catalogChecks(_ app: Configuration.App, subject: String) -> [DoctorCheck] {
        let path = app.catalog.path
        let bytes: [UInt8]
        do throws(CommandError) {
            bytes = try readFile(path, limit: Limits.catalogFileBytes)
        } catch {
            return error.messages.map { DoctorCheck(.fail, subject, $0) }
        }
        let reading = Catalog.read(storeKitFile: bytes)
        let findings = reading.findings.map { finding in
            DoctorCheck(
                finding.severity == .error ? .fail : .warn, subject, "'\(path)': \(finding.place): \(finding.message)")
        }
        guard let catalog = reading.catalog else { return findings }
        let offers = catalog.subscriptions.reduce(0) { $0 + $1.offers.count }
        let promotional = catalog.subscriptions.reduce(0) { $0 + $1.promotionalOffers.count }
        let loaded = DoctorCheck(
            .ok, subject,
            "'\(path)' loads: \(catalog.subscriptions.count) subscriptions, \(offers) offers, \(promotional) to sign")
        return [loaded] + findings + unknownNames(app, catalog, subject: subject)
    }

    /// Products and offers that the configuration names and the catalogue does not have; the service goes on without.
    private static func unknownNames(
        _ app: Configuration.App, _ catalog: Catalog, subject: String
    ) -> [DoctorCheck] {
        let products = app.accessLevels.flatMap(\.productIds).filter { catalog.product($0) == nil }
        let winBackOffers = Set(catalog.subscriptions.flatMap(\.winBackOffers).compactMap(\.offerIdentifier))
        let offers = app.winBackOffers.keys.filter { !winBackOffers.contains($0) }.sorted()
        let known = catalog.subscriptions.map(\.productId.rawValue)
        return products.map { product in
            DoctorCheck(
                .warn, subject,
                "'accessLevels' names \(quotedName(product.rawValue)), which the catalogue does not have"
                    + didYouMean(product.rawValue, among: known))
        }
            + offers.map { offer in
                DoctorCheck(
                    .warn, subject,
                    "'winBackOffers' names \(quotedName(offer.rawValue)), which is no win-back offer of the catalogue"
                        + didYouMean(offer.rawValue, among: winBackOffers.map(\.rawValue).sorted()))
            }
    }

    private static func keyChecks(_ source: Configuration.SigningKeySource, use: String) -> [DoctorCheck] {
        let subject = "key \(shown(source.keyId.rawValue))"
        do throws(SigningKeyError) {
            _ = try source.readKey()
        } catch {
            return [DoctorCheck(.fail, subject, "\(error)")]
        }
        switch source.privateKey {
        case .environmentVariable(let name, _):
            return [DoctorCheck(.ok, subject, "P-256, in the environment variable '\(name)'\(use)")]
        case .file(let file):
            guard let warning = SigningKeyFile.warning(path: file.path, keyId: source.keyId) else {
                return [DoctorCheck(.ok, subject, "P-256, in '\(file.path)', closed to others\(use)")]
            }
            return [DoctorCheck(.warn, subject, "\(warning)")]
        }
    }

    static func rootChecks(_ configuration: Configuration, now: Instant) -> [DoctorCheck] {
        let files = configuration.trust.rootCertificates
        guard !files.isEmpty else {
            return certificateChecks([AppleRootCertificate.g3], place: "the pinned Apple Root CA - G3", now: now)
        }
        var checks: [DoctorCheck] = []
        for file in files {
            do throws(CommandError) {
                checks += certificateChecks(try readCertificates(file.path), place: "'\(file.path)'", now: now)
            } catch {
                checks += error.messages.map { DoctorCheck(.fail, "roots", $0) }
            }
        }
        if configuration.apps.contains(where: { $0.environments.contains(.production) }) {
            checks.append(
                DoctorCheck(
                    .warn, "roots",
                    "'trust: rootCertificates' replaces Apple's root while an app lists Production; remove it to trust "
                        + "Apple alone"))
        }
        return checks
    }

    private static func certificateChecks(_ roots: [Certificate], place: String, now: Instant) -> [DoctorCheck] {
        roots.map { root in
            let end = Instant(millisecondsSince1970: root.notAfter)
            let isValid = (root.notBefore..<root.notAfter).contains(now.millisecondsSince1970)
            return isValid
                ? DoctorCheck(.ok, "roots", "\(place), \(shown(root.subject)), is valid until \(end)")
                : DoctorCheck(
                    .fail, "roots",
                    "\(place), \(shown(root.subject)), is valid from \(Instant(millisecondsSince1970: root.notBefore)) until "
                        + "\(end) and it is \(now); give another file or set the clock")
        }
    }
}
