import CampaignCore
import YAML

extension ConfigurationReader {
    /// The months that App Store Connect asks of each win-back offer, by the offer's identifier.
    func winBackOffers(_ value: ValueReader) -> [OfferIdentifier: WinBackRule] {
        let entries = value.entries(wanted: "a mapping such as '{ back_30: { \(Self.winBackExample) } }'") ?? []
        var rules: [OfferIdentifier: WinBackRule] = [:]
        for entry in entries {
            guard let rule = winBackRule(entry.value) else { continue }
            rules[OfferIdentifier(entry.key)] = rule
        }
        return rules
    }

    private static let winBackExample = "paidSubscriptionDurationInMonths: 1"

    private func winBackRule(_ value: ValueReader) -> WinBackRule? {
        guard let keys = value.mapping(keys: WinBackOfferKey.self) else { return nil }
        let paid = keys.required(.paidSubscriptionDurationInMonths, example: "1").flatMap(months)
        let since = keys.required(.timeSinceLastSubscribedInMonths, example: "{ minimum: 2, maximum: 24 }")?
            .mapping(keys: MonthRangeKey.self)
        let minimum = since?.required(.minimum, example: "2").flatMap(months)
        let maximum = since?.optional(.maximum)
        let maximumMonths = maximum.flatMap(months)
        let wait = keys.optional(.waitBetweenOffersInMonths)
        let waitMonths = wait.flatMap(months)
        guard let paid, let minimum else { return nil }
        if let maximum, let maximumMonths, maximumMonths < minimum {
            maximum.error("'maximum' is \(maximumMonths), which is less than 'minimum'; write at least \(minimum)")
            return nil
        }
        return WinBackRule(
            paidSubscriptionDurationInMonths: paid,
            timeSinceLastSubscribedInMonthsMinimum: minimum, timeSinceLastSubscribedInMonthsMaximum: maximumMonths,
            waitBetweenOffersInMonths: waitMonths)
    }

    private func months(_ value: ValueReader) -> Int? {
        value.integer(in: 0...ConfigurationLimits.months, example: 6).map(Int.init)
    }
}
