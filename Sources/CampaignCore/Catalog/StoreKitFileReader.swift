import YAML

extension Catalog {
    /// Reads a StoreKit configuration file as Xcode writes it, schema 1 to 5.
    ///
    /// Absent or null offers are none and unknown keys are ignored. The private key that such a file may hold is never
    /// read into memory of its own, kept or told; a key in any other field makes the file unusable. Apple publishes no schema; the rules follow files of Xcode 12 to 26.
    public static func read(storeKitFile bytes: [UInt8]) -> CatalogReading {
        var reader = StoreKitFileReader()
        let catalog = reader.catalog(bytes)
        return CatalogReading(catalog: reader.hasErrors ? nil : catalog, findings: reader.allFindings)
    }
}

/// Turns a StoreKit configuration file into a catalogue and collects whatever is wrong with it.
struct StoreKitFileReader {
    private var findings: [CatalogFinding] = []
    private var unlisted = 0
    private(set) var hasErrors = false
    private var groupPlaces: [String: String] = [:]
    private var productPlaces: [String: String] = [:]

    /// The place of what concerns the file as a whole.
    private static let wholeFile = "the file"

    /// Everything found, the last line telling how many more there were than a list can hold.
    var allFindings: [CatalogFinding] {
        guard unlisted > 0 else { return findings }
        let rest = "\(unlisted) more findings are not listed; correct those above and read the file again"
        return findings
            + [CatalogFinding(severity: hasErrors ? .error : .warning, place: Self.wholeFile, message: rest)]
    }

    mutating func error(_ place: String, _ message: String) { add(.error, place, message) }

    mutating func warn(_ place: String, _ message: String) { add(.warning, place, message) }

    private mutating func add(_ severity: CatalogFinding.Severity, _ place: String, _ message: String) {
        if severity == .error { hasErrors = true }
        if findings.count < Limits.catalogFindings {
            findings.append(CatalogFinding(severity: severity, place: place, message: message))
        } else {
            unlisted += 1
        }
    }

    mutating func catalog(_ bytes: [UInt8]) -> Catalog? {
        guard let file = root(bytes) else { return nil }
        guard file.has("version") || file.has("subscriptionGroups") else {
            error(
                Self.wholeFile,
                "no 'version' and no 'subscriptionGroups', so it is no StoreKit configuration file; save one from Xcode"
            )
            return nil
        }
        checkVersion(file)
        checkKeyPair(file)
        let others = objects("products", of: file) + objects("nonRenewingSubscriptions", of: file)
        let otherProducts = others.compactMap { otherProduct($0) }
        let groups = objects("subscriptionGroups", of: file).compactMap { group($0) }
        if productPlaces.count > Limits.catalogProducts {
            error(Self.wholeFile, "more than \(Limits.catalogProducts) products; give each app a file of its own")
        }
        if groups.allSatisfy(\.subscriptions.isEmpty), !hasErrors {
            warn(Self.wholeFile, "no auto-renewable subscription in it, so no offer can be signed")
        }
        return Catalog(groups: groups, otherProducts: otherProducts)
    }

    private mutating func root(_ bytes: [UInt8]) -> FileObject? {
        if bytes.count > Limits.storeKitFileBytes {
            error(
                Self.wholeFile,
                "longer than \(Limits.storeKitFileBytes) bytes, the most that is read; is it the right file?")
            return nil
        }
        var parser = JSONParser(bytes, secretKeys: ["privateKey"])
        let value: JSON
        do {
            value = try parser.parse()
        } catch {
            self.error("line \(error.line), column \(error.column)", "not JSON: \(error.message)")
            return nil
        }
        for (key, line, column) in parser.repeatedKeys {
            error("line \(line), column \(column)", "\(quoted(key)) is twice in one object; remove one of them")
        }
        guard case .object(let members) = value else {
            error(
                Self.wholeFile,
                "\(value.kind) where a StoreKit configuration file has an object; save one from Xcode")
            return nil
        }
        let file = FileObject(members: members, place: "")
        return holdsKeys(file, members) ? nil : file
    }

    private mutating func checkVersion(_ file: FileObject) {
        guard let version = object("version", of: file) else {
            if !file.has("version") { warn("version", "absent; the file is read as schema 1 to 5") }
            return
        }
        guard let major = integer("major", of: version) else {
            if !version.has("major") { warn("version", "no 'major'; the file is read as schema 1 to 5") }
            return
        }
        if !(1...5).contains(major) {
            warn("version", "schema \(major) is unknown; the file is read as schema 5 and may be misunderstood")
        }
    }

    private mutating func checkKeyPair(_ file: FileObject) {
        guard let pair = object("subscriptionOffersKeyPair", of: file), !pair.isEmpty else { return }
        var name = ""
        // Only what looks like a key identifier is repeated: a private key in the wrong field must not be.
        if let id = pair["id"]?.string, (1...20).contains(id.utf8.count),
            id.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isASCIILetterOrDigit })
        {
            name = " '\(id)'"
        }
        warn(
            "subscriptionOffersKeyPair",
            "the key pair\(name) of Xcode's local testing is in the file; it is not read, "
                + "remove it from a server's catalogue file")
    }

    private mutating func otherProduct(_ object: FileObject) -> OtherProduct? {
        let identifier = identifier("productID", of: object)
        let kind = text("type", of: object)
        if kind == nil, !object.has("type") {
            error(object.place, "no 'type'; write Consumable, NonConsumable or NonRenewingSubscription")
        }
        if kind == "RecurringSubscription" {
            error(object.place, "a RecurringSubscription belongs in a group of 'subscriptionGroups'; move it there")
        }
        guard let identifier, isFirstProduct(identifier, at: object.place), let kind else { return nil }
        return OtherProduct(productId: ProductID(identifier), type: Self.productType(kind))
    }

    /// The configuration file spells the kinds of products without blanks, the App Store Server API with them.
    private static func productType(_ kind: String) -> ProductType {
        switch kind {
        case "Consumable": .consumable
        case "NonConsumable": .nonConsumable
        case "NonRenewingSubscription": .nonRenewingSubscription
        default: ProductType(rawValue: kind)
        }
    }

    private mutating func group(_ object: FileObject) -> SubscriptionGroup? {
        let name = text("name", of: object)
        var object = object
        if let name { object.place += " \(quoted(name))" }
        let identifier = identifier("id", of: object)
        if let identifier {
            if let first = groupPlaces[identifier] {
                error(
                    object.place, "the group id \(quoted(identifier)) is already at \(first); give each group its own")
            } else {
                groupPlaces[identifier] = object.place
            }
        }
        // Its subscriptions are read even when it has no id, so that all of their findings are told too.
        let groupIdentifier = SubscriptionGroupIdentifier(identifier ?? "")
        let subscriptions = objects("subscriptions", of: object).compactMap {
            subscription($0, in: groupIdentifier, at: object.place)
        }
        guard identifier != nil else { return nil }
        return SubscriptionGroup(identifier: groupIdentifier, name: name, subscriptions: subscriptions)
    }

    /// Whether no product before had this identifier; the second of two is an error that names both places.
    mutating func isFirstProduct(_ identifier: String, at place: String) -> Bool {
        if let first = productPlaces[identifier] {
            error(place, "the product \(quoted(identifier)) is already at \(first); remove one of them")
            return false
        }
        productPlaces[identifier] = place
        return true
    }
}
