@testable import CampaignCore

/// A catalogue in which every refusal has an offer that it can befall.
enum RefereeCatalog {
    static let catalog = Catalog(
        groups: [
            SubscriptionGroup(
                identifier: "g1", name: nil,
                subscriptions: [
                    product(
                        "top", level: 1, promotional: ["shared", "topOnly"],
                        codes: [("anyone", [.new, .existing, .expired]), ("stay", [.existing])],
                        winBack: ["back1", "back2"]),
                    product(
                        "middle", level: 2, promotional: ["shared", "middleOnly", "several"],
                        codes: [("return", [.expired]), ("anyone", [.new])], winBack: ["back3"]),
                    product("low", level: 3, period: "P1Y", codes: [("lower", [.existing, .expired])]),
                ]),
            SubscriptionGroup(
                identifier: "g2", name: nil,
                subscriptions: [
                    product(
                        "kids", group: "g2", level: 1, promotional: ["kidsOnly", "several"], codes: [("join", [.new])],
                        winBack: ["backKids"])
                ]),
        ], otherProducts: [OtherProduct(productId: "coins", type: .consumable)])

    static let products: [(product: ProductID, group: SubscriptionGroupIdentifier)] = [
        ("top", "g1"), ("middle", "g1"), ("middle", "g1"), ("low", "g1"), ("kids", "g2"), ("gone", "g1"),
    ]
    static let promotional: [OfferIdentifier] = ["shared", "topOnly", "middleOnly", "several", "kidsOnly"]
    static let codes: [OfferIdentifier] = ["anyone", "stay", "return", "lower", "join"]
    static let winBack: [OfferIdentifier] = ["back1", "back2", "back3", "backKids"]

    /// Of offers that Apple's list may leave to us.
    static let winBackRules: [OfferIdentifier: WinBackRule] = [
        "back1": WinBackRule(
            paidSubscriptionDurationInMonths: 2, timeSinceLastSubscribedInMonthsMinimum: 1,
            timeSinceLastSubscribedInMonthsMaximum: 3),
        "back2": WinBackRule(
            paidSubscriptionDurationInMonths: 0, timeSinceLastSubscribedInMonthsMinimum: 0,
            waitBetweenOffersInMonths: 2),
        "back3": WinBackRule(paidSubscriptionDurationInMonths: 1, timeSinceLastSubscribedInMonthsMinimum: 0),
    ]

    private static func product(
        _ productId: ProductID, group: SubscriptionGroupIdentifier = "g1", level: Int, period: String = "P1M",
        promotional: [OfferIdentifier] = [], codes: [(OfferIdentifier, Set<CodeEligibility>)] = [],
        winBack: [OfferIdentifier] = []
    ) -> SubscriptionProduct {
        SubscriptionProduct(
            productId: productId, subscriptionGroupIdentifier: group, referenceName: nil, level: level,
            period: Period(period) ?? month, priceMilliunits: 4990, isFamilyShareable: false, billingPlans: [],
            introductoryOffers: [], promotionalOffers: promotional.map { offer($0, .promotionalOffer) },
            codeOffers: codes.map { offer($0.0, .offerCode, $0.1) },
            winBackOffers: winBack.map { offer($0, .winBackOffer) })
    }

    private static func offer(
        _ identifier: OfferIdentifier, _ type: OfferType, _ eligibility: Set<CodeEligibility>? = nil
    ) -> SubscriptionOffer {
        SubscriptionOffer(
            offerType: type, offerIdentifier: identifier, referenceName: nil, paymentMode: .free, period: month,
            numberOfPeriods: 1, priceMilliunits: 0, billingPlanType: nil,
            codeTerms: eligibility.map { CodeTerms(eligibility: $0, isStackable: false, autoRenews: true) })
    }

    private static var month: Period { Period("P1M")! }
}
