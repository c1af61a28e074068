import Crypto
public import YAML

extension CampaignFile {
    /// Reads one campaign's file: YAML, shape and values, and whatever the file alone can be wrong about.
    ///
    /// Every fault is noted in `diagnostics`; nil when there is nothing that could be read on.
    ///
    /// - Parameter zone: looks a name up in the system's table of time zones.
    public init?(yaml bytes: [UInt8], zone: @escaping (String) -> ZoneLookup, into diagnostics: Diagnostics) {
        guard let root = ValueReader(yaml: bytes, into: diagnostics) else { return nil }
        let reader = CampaignFileReader(diagnostics: diagnostics, zone: zone)
        guard let read = reader.campaign(root) else { return nil }
        var campaign = read.campaign
        campaign.digest = SHA256.digest(bytes)
        self.campaign = campaign
        places = read.places
        checkRules(into: diagnostics)
    }
}

/// Turns the nodes of one file into a campaign.
///
/// A value that is wrong is reported and replaced by its default, so that reading goes on; the caller discards the
/// result when there was an error. A key whose value is null counts as absent.
struct CampaignFileReader {
    let diagnostics: Diagnostics
    let zone: (String) -> ZoneLookup

    func campaign(_ root: ValueReader) -> (campaign: Campaign, places: CampaignPlaces)? {
        guard isReadable(root) else { return nil }
        guard let keys = root.mapping(keys: CampaignKey.self, refusing: Self.refused) else { return nil }
        _ = keys.required(.schema, example: "1")
        var places = CampaignPlaces(name: root.mark, bundleId: root.mark, environment: root.mark)
        let name = keys.required(.campaign, example: "keep-annual").flatMap { value in
            places.name = value.mark
            return self.name(value)
        }
        let status = keys.required(.status, example: "draft").flatMap { $0.word(of: Campaign.Status.self) }
        let starts = keys.optional(.starts).flatMap(instant)
        let ends = keys.optional(.ends).flatMap(instant)
        if let starts, let ends, ends <= starts {
            keys.optional(.ends)?.error(
                "'ends' is \(ends), which is not after 'starts' at \(starts); write a later instant")
        }
        let audience = self.audience(
            keys.required(.audience, example: "{ bundleId: com.example.reader, environment: Production }"),
            places: &places)
        let variants = keys.optional(.variants).map(self.variants) ?? []
        let holdout = keys.optional(.holdout).flatMap { self.holdout($0, campaign: name, places: &places) }
        let priority = keys.optional(.priority)?.integer(in: CampaignLimits.priorities, example: 10)
        let rules = self.rules(
            keys.required(.rules, example: "[{ rule: save, message: stay }]"), variants: variants, places: &places)
        let campaign = Campaign(
            name: CampaignName(name ?? ""), priority: priority.map(Int.init) ?? 0,
            owner: keys.optional(.owner).flatMap(plainText), status: status ?? .draft, starts: starts, ends: ends,
            audience: audience, holdout: holdout, variants: variants,
            testCustomers: Set(keys.optional(.testCustomers).map(testCustomers) ?? []),
            limits: keys.optional(.limits).map(self.limits) ?? Campaign.Limits(), rules: rules)
        return (campaign, places)
    }

    /// What people bring along from other formats.
    private static let refused = [
        "price": "App Store Connect owns prices; name the offer alone",
        "duration": "App Store Connect owns durations; name the offer alone",
        "discount": "App Store Connect owns the terms of offers; name the offer alone",
    ]

    /// Whether the version of the format is one that this program reads; of another one no key is known.
    func isReadable(_ root: ValueReader) -> Bool {
        guard case .mapping = root.node.content,
            let value = root.entries()?.first(where: { $0.key == "schema" })?.value,
            !value.node.isNull, let number = value.integer(example: CampaignLimits.schema)
        else { return true }
        if number == CampaignLimits.schema { return true }
        if number > CampaignLimits.schema {
            value.error(
                "'schema' is \(number), which is newer than \(CampaignLimits.schema), the newest that this program reads; "
                    + "upgrade it")
        } else {
            value.wrong(wanted: "\(CampaignLimits.schema)")
        }
        return false
    }
}

// MARK: - Single values

extension CampaignFileReader {
    /// A name of ours: it stands in keys, addresses and lists.
    func name(_ value: ValueReader) -> String? {
        let wanted = "a name of letters, digits, '-', '_' and '.', such as 'keep-annual'"
        guard let text = value.text(wanted: wanted) else { return nil }
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isAllowed else {
            value.wrong(wanted: wanted)
            return nil
        }
        guard text.utf8.count <= CampaignLimits.nameBytes else {
            value.wrong(wanted: "a name of at most \(CampaignLimits.nameBytes) characters")
            return nil
        }
        return text
    }

    /// An identifier of App Store Connect, letter for letter.
    func identifier(_ value: ValueReader, wanted: String) -> String? {
        guard let text = value.text(wanted: wanted) else { return nil }
        guard text.utf8.count <= Limits.identifierBytes else {
            value.wrong(wanted: "\(wanted) of at most \(Limits.identifierBytes) bytes")
            return nil
        }
        // Nobody sees it, and App Store Connect has none.
        guard !text.unicodeScalars.contains(where: { $0.isInvisible || $0 == " " }) else {
            value.error(
                "\(value.subject) is \(quoted(text)), which holds a space or an invisible character; type it again")
            return nil
        }
        return text
    }

    /// Text for people.
    private func plainText(_ value: ValueReader) -> String? {
        guard let text = value.text(wanted: "whom to ask, such as 'growth@example.com'") else { return nil }
        guard text.utf8.count <= Limits.identifierBytes, !text.unicodeScalars.contains(where: \.isInvisible) else {
            value.wrong(wanted: "one short line")
            return nil
        }
        return text
    }

    private func instant(_ value: ValueReader) -> Instant? {
        let wanted = "an instant with its offset, such as '2027-01-05T09:00:00+01:00'"
        guard let text = value.text(wanted: wanted) else { return nil }
        guard let instant = Instant(rfc3339: text), Limits.dates.contains(instant) else {
            value.wrong(wanted: wanted)
            return nil
        }
        return instant
    }

    func word<Word>(_ value: ValueReader, among words: [Word], name: (Word) -> String) -> Word? {
        guard let text = value.word(among: words.map(name)) else { return nil }
        return words.first { name($0) == text }
    }

    /// The items of a list, of which there are at least one and not too many.
    func list(
        _ value: ValueReader, atMost limit: Int = CampaignLimits.listValues, isRequired: Bool = false
    ) -> [ValueReader] {
        let items = value.items()
        if items.isEmpty {
            value.error(
                "\(value.subject) is an empty list; write at least one\(isRequired ? "" : " or leave the key out")")
        }
        guard items.count <= limit else {
            value.error("\(value.subject) has \(items.count) entries; keep to \(limit)")
            return Array(items.prefix(limit))
        }
        return items
    }

    /// `a`, `[a, b]` or `{ not: [a, b] }`.
    func oneOf<Value: Hashable & Sendable>(
        _ value: ValueReader, _ read: (ValueReader) -> Value?
    ) -> OneOf<Value>? {
        guard case .mapping = value.node.content else {
            let values = list(value).compactMap(read)
            return values.isEmpty ? nil : .any(Set(values))
        }
        guard
            let not = value.mapping(keys: NotKey.self)?.required(
                .not, example: "[a, b]")
        else { return nil }
        let values = list(not).compactMap(read)
        return values.isEmpty ? nil : .not(Set(values))
    }
}
