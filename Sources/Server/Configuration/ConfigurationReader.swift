import CampaignCore
import FoundationEssentials
import YAML

/// Turns the nodes of one file into a `Configuration`.
///
/// A value that is wrong is reported and replaced by its default, so that reading goes on; the caller discards the
/// result when there was an error. A key whose value is null counts as absent.
struct ConfigurationReader {
    /// Absolute; relative paths start here.
    let folder: String
    /// Whether a named file that does not exist is an error.
    let requiresFiles: Bool
    let diagnostics: Diagnostics

    func configuration(_ root: ValueReader, path: String) -> Configuration? {
        guard let keys = root.mapping(keys: ConfigurationKey.self) else { return nil }
        return Configuration(
            path: path,
            folder: folder,
            listen: listen(keys.optional(.listen)) ?? ConfigurationLimits.listen,
            database: database(keys.optional(.database))
                ?? .sqlite(path: absolute(ConfigurationLimits.databaseFile, in: folder)),
            campaigns: campaigns(keys.optional(.campaigns))
                ?? .init(path: absolute(ConfigurationLimits.campaignFolder, in: folder), mark: nil),
            apps: apps(keys.required(.apps, example: "[{ bundleId: com.example.reader, … }]")),
            trust: trust(keys.optional(.trust)),
            trustedProxies: keys.optional(.trustedProxies)?.items().compactMap(addressRange) ?? [],
            retention: retention(keys.optional(.retention)),
            webhooks: keys.optional(.webhooks)?.items().compactMap(webhook) ?? [],
            warnings: [])
    }

    private func listen(_ value: ValueReader?) -> ListenAddress? {
        guard let value, let text = value.text(wanted: ListenAddress.expected) else { return nil }
        let address = ListenAddress(text)
        if address == nil { value.wrong(wanted: ListenAddress.expected) }
        return address
    }

    private func database(_ value: ValueReader?) -> Configuration.Database? {
        guard let value, let text = value.text(wanted: Configuration.Database.expected) else { return nil }
        if Configuration.Database.holdsPassword(text) {
            value.error("'database' \(Configuration.Database.passwordCure)")
            return nil
        }
        let database = Configuration.Database(text, folder: folder)
        if database == nil { value.wrong(wanted: Configuration.Database.cure(for: text)) }
        return database
    }

    private func campaigns(_ value: ValueReader?) -> Configuration.CampaignFolder? {
        guard let value, let folder = existing(.folder, value) else { return nil }
        return Configuration.CampaignFolder(path: folder.path, mark: folder.mark)
    }

    private func trust(_ value: ValueReader?) -> Configuration.Trust {
        let roots = value?.mapping(keys: TrustKey.self)?.optional(.rootCertificates)
        return Configuration.Trust(rootCertificates: roots?.items().compactMap { existing(.file, $0) } ?? [])
    }

    private func addressRange(_ value: ValueReader) -> AddressRange? {
        guard let text = value.text(wanted: AddressRange.expected) else { return nil }
        let range = AddressRange(text)
        if range == nil { value.wrong(wanted: AddressRange.expected) }
        return range
    }

    private func retention(_ value: ValueReader?) -> Configuration.Retention {
        let span = value?.mapping(keys: RetentionKey.self)?.optional(.notificationLog)?
            .spanMilliseconds(atLeast: ConfigurationLimits.notificationLogMinimumMilliseconds)
        return Configuration.Retention(
            notificationLogMilliseconds: span ?? ConfigurationLimits.notificationLogMilliseconds)
    }

    private func apps(_ value: ValueReader?) -> [Configuration.App] {
        guard let value else { return [] }
        let items = value.items()
        if items.isEmpty { value.error("'apps' is an empty list; add at least one app") }
        let mappings = items.compactMap { $0.mapping(keys: AppKey.self) }
        var bundleIds = Unique<String>(name: "bundleId")
        var appAppleIds = Unique<Int64>(name: "appAppleId")
        return mappings.compactMap { keys in
            app(keys, bundleIds: &bundleIds, appAppleIds: &appAppleIds)
        }
    }
}

/// Notices a value that must not be written twice.
struct Unique<Value: Hashable & CustomStringConvertible> {
    let name: String
    private var marks: [Value: Mark] = [:]

    init(name: String) {
        self.name = name
    }

    /// Reports `reader` when `value` was seen before.
    mutating func check(_ value: Value, _ reader: ValueReader) {
        guard let first = marks[value] else {
            marks[value] = reader.mark
            return
        }
        reader.error("\(name) \(quoted(value.description)) is already at line \(first.line); each is written once")
    }
}
