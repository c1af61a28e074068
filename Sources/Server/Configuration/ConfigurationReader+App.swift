import CampaignCore
import FoundationEssentials
import YAML

extension ConfigurationReader {
    func app(
        _ keys: MappingReader<AppKey>, bundleIds: inout Unique<String>, appAppleIds: inout Unique<Int64>
    ) -> Configuration.App? {
        let bundleId = keys.required(.bundleId, example: "com.example.reader")
        let bundleIdText = bundleId.flatMap { self.bundleId($0, among: &bundleIds) }
        let appAppleId = keys.required(.appAppleId, example: "6400000001").flatMap { value in
            let number = value.integer(in: 1...Int64.max, example: 6_400_000_001)
            number.map { appAppleIds.check($0, value) }
            return number
        }
        let environments = environments(keys.required(.environments, example: "[Production, Sandbox]"))
        let catalog = keys.required(.catalog, example: "Reader.storekit").flatMap { existing(.file, $0) }
        let signing = signing(keys.required(.signing, example: Self.signingExample))
        let offerCodes = offerCodes(keys.optional(.offerCodes))
        let gracePeriodDays = keys.optional(.gracePeriodDays).flatMap(gracePeriodDays)
        let billingRetryAccess = keys.optional(.billingRetryAccess)?.word(of: SubscriptionStatus.Access.self)
        let accessLevels = keys.optional(.accessLevels).map(accessLevels) ?? []
        let deviceProofMaxAge = keys.optional(.deviceProofMaxAge)?
            .spanMilliseconds(atLeast: ConfigurationLimits.deviceProofMaxAgeMinimumMilliseconds)
        let winBackOffers = keys.optional(.winBackOffers).map(winBackOffers) ?? [:]
        let offerGuard = keys.optional(.offerGuard).map(offerGuard) ?? OfferGuard()
        guard let bundleId, let bundleIdText, let appAppleId, let catalog else { return nil }
        return Configuration.App(
            bundleId: BundleID(bundleIdText),
            mark: bundleId.mark,
            appAppleId: appAppleId,
            environments: environments,
            catalog: catalog,
            signing: signing,
            offerCodes: offerCodes,
            gracePeriodDays: Int(gracePeriodDays ?? ConfigurationLimits.gracePeriodDaysDefault),
            billingRetryAccess: billingRetryAccess ?? .limited,
            accessLevels: accessLevels,
            deviceProofMaxAgeMilliseconds: deviceProofMaxAge ?? ConfigurationLimits.deviceProofMaxAgeMilliseconds,
            winBackOffers: winBackOffers,
            offerGuard: offerGuard)
    }

    private static let signingExample =
        "{ keyId: ABC123DEFG, issuerId: 57246542-96fe-1a63-e053-0824d011072a, privateKeyFile: SubscriptionKey_ABC123DEFG.p8 }"

    /// Letters, digits, hyphens and periods, as Apple's CFBundleIdentifier page allows.
    private func bundleId(_ value: ValueReader, among known: inout Unique<String>) -> String? {
        guard let text = identifier(value, wanted: "a bundle identifier such as 'com.example.reader'") else {
            return nil
        }
        let isAllowed = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
        guard isAllowed else {
            value.wrong(wanted: "the bundle identifier with letters, digits, '-' and '.' only")
            return nil
        }
        known.check(text, value)
        return text
    }

    private func environments(_ value: ValueReader?) -> [AppStoreEnvironment] {
        guard let value else { return [] }
        let items = value.items()
        if items.isEmpty { value.error("'environments' is an empty list; write 'Production', 'Sandbox' or both") }
        let signed: [AppStoreEnvironment] = [.production, .sandbox]
        var known = Unique<AppStoreEnvironment>(name: "environment")
        return items.compactMap { item in
            if case .scalar(let scalar) = item.node.content,
                [AppStoreEnvironment.xcode, .localTesting].contains(AppStoreEnvironment(rawValue: scalar.text))
            {
                item.error("nobody signs what comes from '\(scalar.text)'; write 'Production', 'Sandbox' or both")
                return nil
            }
            guard let word = item.word(among: signed.map(\.rawValue)) else { return nil }
            known.check(AppStoreEnvironment(rawValue: word), item)
            return AppStoreEnvironment(rawValue: word)
        }
    }

    private func offerCodes(_ value: ValueReader?) -> Configuration.OfferCodes {
        let keys = value?.mapping(keys: OfferCodesKey.self)
        let limit = keys?.optional(.quarterlyLimit)?.integer(
            in: 0...ConfigurationLimits.highestQuarterlyLimit, example: ConfigurationLimits.quarterlyLimit)
        return Configuration.OfferCodes(
            quarterlyLimit: limit ?? ConfigurationLimits.quarterlyLimit,
            quarterTimeZone: keys?.optional(.quarterTimeZone).flatMap(timeZone) ?? ConfigurationLimits.quarterTimeZone,
            expiryMarginMilliseconds: keys?.optional(.expiryMargin)?.spanMilliseconds()
                ?? ConfigurationLimits.expiryMarginMilliseconds,
            lowStock: keys?.optional(.lowStock).map(lowStock) ?? [:])
    }

    /// `{ BACK30: 5000 }`: the offers' reference names with a count each.
    private func lowStock(_ value: ValueReader) -> [OfferIdentifier: Int64] {
        var thresholds: [OfferIdentifier: Int64] = [:]
        for entry in value.entries(wanted: "a mapping such as '{ BACK30: 5000 }'") ?? [] {
            let count = entry.value.integer(in: 0...ConfigurationLimits.highestQuarterlyLimit, example: 5000)
            if let count { thresholds[OfferIdentifier(entry.key)] = count }
        }
        return thresholds
    }

    private func timeZone(_ value: ValueReader) -> String? {
        guard let name = value.text(wanted: "an IANA name such as 'Europe/Berlin'") else { return nil }
        guard let cure = TimeZoneName.cure(for: name) else { return name }
        value.error("\(value.subject) is \(quoted(name)); \(cure)")
        return nil
    }

    private func gracePeriodDays(_ value: ValueReader) -> Int64? {
        guard let days = value.integer(example: ConfigurationLimits.gracePeriodDaysDefault) else { return nil }
        guard ConfigurationLimits.gracePeriodDays.contains(days) else {
            value.wrong(wanted: "3, 16 or 28, as it is set in App Store Connect")
            return nil
        }
        return days
    }

    private func accessLevels(_ value: ValueReader) -> [Configuration.AccessLevel] {
        var known = Unique<String>(name: "product")
        return (value.entries(wanted: "a mapping such as '{ basic: [reader.basic] }'") ?? []).map { entry in
            if entry.key.unicodeScalars.contains(where: \.isInvisible) {
                diagnostics.error(
                    "access level \(quoted(entry.key)) holds an invisible character; type it again", at: entry.mark)
            }
            let items = entry.value.items()
            if items.isEmpty {
                diagnostics.error(
                    "access level \(quoted(entry.key)) has no products; list at least one", at: entry.mark)
            }
            let productIds = items.compactMap { item -> ProductID? in
                guard let text = identifier(item, wanted: "a product identifier") else { return nil }
                known.check(text, item)
                return ProductID(text)
            }
            return Configuration.AccessLevel(name: entry.key, productIds: productIds)
        }
    }
}
