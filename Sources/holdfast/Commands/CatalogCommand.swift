import CampaignCore

/// `holdfast catalog`: what a StoreKit configuration file says.
enum CatalogCommand {
    static let command = Command(
        "catalog",
        summary: "Check and show the products and offers of a StoreKit configuration file",
        subcommands: [CatalogCheckCommand.command, CatalogShowCommand.command])
}

/// An offer's kind in the words of this program's lists.
///
/// Source: `offerType` of the App Store Server API.
func offerKind(_ offerType: OfferType) -> String {
    switch offerType {
    case .introductoryOffer: "introductory"
    case .promotionalOffer: "promotional"
    case .offerCode: "code"
    case .winBackOffer: "win-back"
    default: "offer type \(offerType.rawValue)"
    }
}

extension SubscriptionProduct {
    /// Every offer of the product, kind by kind.
    var offers: [SubscriptionOffer] { introductoryOffers + promotionalOffers + codeOffers + winBackOffers }
}
