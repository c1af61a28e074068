import YAML

extension CampaignFileReader {
    func holdout(_ value: ValueReader, campaign: String?, places: inout CampaignPlaces) -> Holdout? {
        guard let keys = value.mapping(keys: HoldoutKey.self) else { return nil }
        let percent = keys.required(.percent, example: "10")?.integer(in: 0...100, example: 10)
        let salt = keys.optional(.salt).flatMap(name)
        let isGlobal = keys.optional(.global)?.boolean() ?? false
        if isGlobal { places.globalHoldout = keys.optional(.percent)?.mark }
        return percent.map { Holdout(percent: Int($0), salt: salt ?? campaign ?? "", isGlobal: isGlobal) }
    }

    func variants(_ value: ValueReader) -> [Variant] {
        let items = list(value, atMost: CampaignLimits.variants)
        if items.count == 1 {
            value.error("'variants' has one arm, which compares nothing; write at least two or leave the key out")
        }
        var names = UniqueName(noun: "variant")
        return items.compactMap { item -> Variant? in
            guard let keys = item.mapping(keys: VariantKey.self) else { return nil }
            let name = keys.required(.name, example: "half").flatMap { value in
                let name = self.name(value)
                name.map { names.check($0, value) }
                return name
            }
            let weight = keys.required(.weight, example: "50")?.integer(in: CampaignLimits.weights, example: 50)
            guard let name else { return nil }
            return Variant(name: VariantName(name), weight: Int(weight ?? 1))
        }
    }

    func limits(_ value: ValueReader) -> Campaign.Limits {
        guard let keys = value.mapping(keys: LimitsKey.self) else { return Campaign.Limits() }
        let caps = keys.optional(.frequencyCap).map { value in
            list(value, atMost: CampaignLimits.frequencyCaps).compactMap(frequencyCap)
        }
        let redemptions = keys.optional(.redemptions)?.mapping(keys: RedemptionsKey.self)?
            .required(.atMost, example: "5000")?.integer(in: CampaignLimits.redemptionsAtMost, example: 5000)
        return Campaign.Limits(
            frequencyCaps: caps ?? [], quietHours: keys.optional(.quietHours).flatMap(quietHours),
            redemptionsAtMost: redemptions.map(Int.init))
    }

    private func frequencyCap(_ value: ValueReader) -> FrequencyCap? {
        guard let keys = value.mapping(keys: FrequencyCapKey.self) else { return nil }
        let atMost = keys.required(.atMost, example: "1")?
            .integer(in: CampaignLimits.frequencyCapAtMost, example: 1)
        let across = keys.optional(.across)?.word(of: FrequencyCap.Scope.self)
        var stretch: FrequencyCap.Stretch?
        switch keys.exactlyOne(of: [.every, .per]) {
        case (.every, let value)?:
            stretch = value.spanMilliseconds(atLeast: CampaignLimits.everyMinimumMilliseconds)
                .map { .rolling(milliseconds: $0) }
        case (_, let value)?:
            stretch = value.word(among: [FrequencyCap.calendarDay]).map { _ in .calendarDay }
        case nil: break
        }
        guard let atMost, let stretch else { return nil }
        return FrequencyCap(atMost: Int(atMost), per: stretch, across: across ?? .thisCampaign)
    }

    private func quietHours(_ value: ValueReader) -> QuietHours? {
        guard let keys = value.mapping(keys: QuietHoursKey.self) else { return nil }
        let from = keys.required(.from, example: "\"21:00\"").flatMap(minuteOfDay)
        let to = keys.required(.to, example: "\"09:00\"").flatMap(minuteOfDay)
        let zone: TimeZoneRules?
        var usesSubscriberZone = false
        let named = keys.required(.timeZone, example: QuietHours.subscriber)
        if let named, case .scalar(let scalar) = named.node.content, scalar.text == QuietHours.subscriber {
            usesSubscriberZone = true
            zone = keys.required(.otherwise, example: "Europe/Berlin").flatMap(timeZone)
        } else {
            zone = named.flatMap(timeZone)
            keys.optional(.otherwise)?.error(
                "'otherwise' is only used with 'timeZone: \(QuietHours.subscriber)'; remove one of the two")
        }
        guard let from, let to, let zone else { return nil }
        return QuietHours(
            fromMinuteOfDay: from, toMinuteOfDay: to, usesSubscriberZone: usesSubscriberZone, zone: zone)
    }

    /// `21:00`; 24:00 is written `00:00`.
    private func minuteOfDay(_ value: ValueReader) -> Int? {
        let wanted = "a time of day such as '21:00'"
        guard let text = value.text(wanted: wanted) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(digits.contains) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else {
            value.wrong(wanted: wanted)
            return nil
        }
        return hour * 60 + minute
    }

    private func timeZone(_ value: ValueReader) -> TimeZoneRules? {
        guard let name = value.text(wanted: "an IANA name such as 'Europe/Berlin'") else { return nil }
        switch zone(name) {
        case .found(let rules): return rules
        case .missing(let cure):
            value.error("\(value.subject) is \(quoted(name)); \(cure)")
            return nil
        }
    }
}

/// Notices a name that must not be written twice.
struct UniqueName {
    let noun: String
    private var marks: [String: Mark] = [:]

    init(noun: String) {
        self.noun = noun
    }

    /// Reports `value` when `name` was seen before.
    mutating func check(_ name: String, _ value: ValueReader) {
        guard let first = marks[name] else {
            marks[name] = value.mark
            return
        }
        value.error("\(noun) \(quoted(name)) is already at line \(first.line); give each its own name")
    }
}
