import CampaignCore
import YAML

extension ConfigurationReader {
    /// How much campaigns may give one customer; a key that is left out has its default, and `none` sets no bound.
    func offerGuard(_ value: ValueReader) -> OfferGuard {
        var offerGuard = OfferGuard()
        guard let keys = value.mapping(keys: OfferGuardKey.self) else { return offerGuard }
        offerGuard.offersPerYear = bound(keys.optional(.offersPerYear), otherwise: offerGuard.offersPerYear)
        offerGuard.savesPerYear = bound(keys.optional(.savesPerYear), otherwise: offerGuard.savesPerYear)
        offerGuard.accountsPerSubscription = bound(
            keys.optional(.accountsPerSubscription), otherwise: offerGuard.accountsPerSubscription)
        return offerGuard
    }

    private func bound(_ value: ValueReader?, otherwise standard: Int?) -> Int? {
        guard let value else { return standard }
        if case .scalar(let scalar) = value.node.content, scalar.text == "none" { return nil }
        let bounds = 1...ConfigurationLimits.highestOfferGuard
        guard let number = value.integer(in: bounds, example: Int64(standard ?? 1)) else { return standard }
        return Int(number)
    }
}
