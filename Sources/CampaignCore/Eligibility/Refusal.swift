import YAML

/// Why an offer is not given: an answer for the client, never an error of ours.
public enum Refusal: Hashable, Sendable {
    /// The catalogue has no such promotional offer on the product.
    case offerNotOnProduct(MissingOffer)
    /// The customer has no transaction of an auto-renewable subscription of the app, as promotional offers need.
    case neverSubscribed
    /// The request's `appAccountToken` is not the one known for the subscription that it names.
    case appAccountTokenDiffers
    /// The request's customer fields name different customers; `fields` are their names as the request spells them.
    case customerFieldsDisagree(fields: [String])
    /// The product has no introductory offer.
    case noIntroductoryOffer(productId: ProductID)
    /// The customer has used an introductory offer in the product's group; Apple allows one a group.
    case introductoryOfferUsed(productId: ProductID, subscriptionGroupIdentifier: SubscriptionGroupIdentifier)
    /// The customer is subscribed in the product's group now; introductory offers are for those who are not.
    case subscribedInGroup(productId: ProductID, subscriptionGroupIdentifier: SubscriptionGroupIdentifier)

    /// The customer never had a subscription in the product's group; win-back offers are for those who left one.
    case neverSubscribedInGroup(productId: ProductID, subscriptionGroupIdentifier: SubscriptionGroupIdentifier)
    /// The customer's subscription in the group runs.
    case stillSubscribed(subscriptionGroupIdentifier: SubscriptionGroupIdentifier)
    /// The App Store is trying a failed payment of the group, in the grace period or after it.
    case inBillingRetry(subscriptionGroupIdentifier: SubscriptionGroupIdentifier)
    /// The customer's last period in the group was refunded or taken from a family member.
    case subscriptionRevoked(subscriptionGroupIdentifier: SubscriptionGroupIdentifier)
    /// Apple's list of the customer's win-back offers does not hold the offer.
    case notInEligibleWinBackOfferIds(offerIdentifier: OfferIdentifier)
    /// Neither Apple's list nor month rules of the configuration tell whether the win-back offer is for the customer.
    case winBackEligibilityUnknown(offerIdentifier: OfferIdentifier)
    /// The customer paid for fewer months in a row than the win-back offer asks for.
    case paidDurationTooShort(offerIdentifier: OfferIdentifier, months: Int, required: Int)
    /// The customer left fewer months ago than the win-back offer asks for.
    case lapseTooShort(offerIdentifier: OfferIdentifier, months: Int, minimum: Int)
    /// The customer left more months ago than the win-back offer allows.
    case lapseTooLong(offerIdentifier: OfferIdentifier, months: Int, maximum: Int)
    /// The last redeemed win-back offer ended fewer months ago than the win-back offer asks for.
    case winBackTooSoon(offerIdentifier: OfferIdentifier, months: Int, required: Int)
    /// The offer's codes are for other customers of the group; `eligibility` is the offer's own, in Apple's order.
    case codeEligibilityDiffers(customer: CodeEligibility, eligibility: [CodeEligibility])
    /// The customer has turned auto-renew off and the period still runs, which is neither of Apple's words for codes.
    case cancelledButActive(subscriptionGroupIdentifier: SubscriptionGroupIdentifier)
    /// A code for a subscriber of a product of a higher level; the App Store refuses it.
    case codeWouldDowngrade(productId: ProductID, currentProductId: ProductID)
    /// The customer has redeemed a code of the offer; Apple allows one code an offer.
    case offerCodeUsed(offerIdentifier: OfferIdentifier)
    /// No subscription of the catalogue has a code offer of that name; `nearest` is spelled almost the same.
    case noCodeOffer(offer: OfferIdentifier, nearest: OfferIdentifier?)
    /// No code of the offer is left that does not expire within the margin.
    case codePoolExhausted(offer: OfferIdentifier, environment: AppStoreEnvironment)

    /// No campaign is for the app and environment, or the one that was asked for is for others.
    case noCampaign
    /// The campaign gives nothing now.
    case campaignNotRunning(campaign: CampaignName, CampaignPause)
    /// The campaign is for other customers.
    case notInAudience(campaign: CampaignName)
    /// The customer is in the campaign's control group.
    case heldOut(campaign: CampaignName)
    /// The customer was given as much as the cap allows; `freeDate` is when one more may be given.
    case frequencyCapReached(campaign: CampaignName, cap: FrequencyCap, freeDate: Instant?)
    /// No rule of the campaign holds through this door.
    case noRuleHolds(campaign: CampaignName)
    /// The rule that holds has nothing for the customer's arm through this door.
    case noOfferForVariant(campaign: CampaignName, rule: RuleName)
    /// The subscription ended by a failed payment, which no discount mends.
    case billingErrorNoDiscount
    /// Campaigns have given the customer as many offers as the app's guard allows a year.
    case offersPerYearReached(atMost: Int)
    /// The customer has redeemed as many promotional offers as the guard allows a year, and cancelled again.
    case cancelledForDiscount(atMost: Int)
    /// More accounts used the subscription than the guard allows a year.
    case tooManyAccounts(atMost: Int)
    /// The other product of a retention message is not another one of the subscription's group.
    case alternateProductOutsideGroup(productId: ProductID)

    /// Every `code` there is, in the order of the cases.
    public static let allCodes = [
        "offerNotOnProduct", "neverSubscribed", "appAccountTokenDiffers", "customerFieldsDisagree",
        "noIntroductoryOffer", "introductoryOfferUsed", "subscribedInGroup", "neverSubscribedInGroup",
        "stillSubscribed",
        "inBillingRetry", "subscriptionRevoked", "notInEligibleWinBackOfferIds", "winBackEligibilityUnknown",
        "paidDurationTooShort", "lapseTooShort", "lapseTooLong", "winBackTooSoon", "codeEligibilityDiffers",
        "cancelledButActive", "codeWouldDowngrade", "offerCodeUsed", "noCodeOffer", "codePoolExhausted", "noCampaign",
        "campaignNotRunning", "notInAudience", "heldOut", "frequencyCapReached", "noRuleHolds", "noOfferForVariant",
        "billingErrorNoDiscount", "offersPerYearReached", "cancelledForDiscount", "tooManyAccounts",
        "alternateProductOutsideGroup",
    ]

    /// A word that programs may rely on; it never changes.
    public var code: String {
        switch self {
        case .offerNotOnProduct: "offerNotOnProduct"
        case .neverSubscribed: "neverSubscribed"
        case .appAccountTokenDiffers: "appAccountTokenDiffers"
        case .customerFieldsDisagree: "customerFieldsDisagree"
        case .noIntroductoryOffer: "noIntroductoryOffer"
        case .introductoryOfferUsed: "introductoryOfferUsed"
        case .subscribedInGroup: "subscribedInGroup"
        case .neverSubscribedInGroup: "neverSubscribedInGroup"
        case .stillSubscribed: "stillSubscribed"
        case .inBillingRetry: "inBillingRetry"
        case .subscriptionRevoked: "subscriptionRevoked"
        case .notInEligibleWinBackOfferIds: "notInEligibleWinBackOfferIds"
        case .winBackEligibilityUnknown: "winBackEligibilityUnknown"
        case .paidDurationTooShort: "paidDurationTooShort"
        case .lapseTooShort: "lapseTooShort"
        case .lapseTooLong: "lapseTooLong"
        case .winBackTooSoon: "winBackTooSoon"
        case .codeEligibilityDiffers: "codeEligibilityDiffers"
        case .cancelledButActive: "cancelledButActive"
        case .codeWouldDowngrade: "codeWouldDowngrade"
        case .offerCodeUsed: "offerCodeUsed"
        case .noCodeOffer: "noCodeOffer"
        case .codePoolExhausted: "codePoolExhausted"
        case .noCampaign: "noCampaign"
        case .campaignNotRunning: "campaignNotRunning"
        case .notInAudience: "notInAudience"
        case .heldOut: "heldOut"
        case .frequencyCapReached: "frequencyCapReached"
        case .noRuleHolds: "noRuleHolds"
        case .noOfferForVariant: "noOfferForVariant"
        case .billingErrorNoDiscount: "billingErrorNoDiscount"
        case .offersPerYearReached: "offersPerYearReached"
        case .cancelledForDiscount: "cancelledForDiscount"
        case .tooManyAccounts: "tooManyAccounts"
        case .alternateProductOutsideGroup: "alternateProductOutsideGroup"
        }
    }

    /// What a client's developer can do about it, in one line; it tells nothing about the customer but the reason.
    public var detail: String {
        switch self {
        case .offerNotOnProduct(let missing):
            missing.detail
        case .neverSubscribed:
            "the customer never had an auto-renewable subscription of this app, which promotional offers are for; "
                + "use an introductory offer, or an offer code whose eligibility holds 'new'"
        case .appAccountTokenDiffers:
            "the 'appAccountToken' is not the one that the App Store has for this subscription; "
                + "send the token that the app passes to StoreKit for this customer"
        case .customerFieldsDisagree(let fields):
            "\(fields.map { quoted($0) }.joined(separator: " and ")) name different customers; send those of one customer"
        case .noIntroductoryOffer(let productId):
            "the catalogue has no introductory offer on the product \(quoted(productId.rawValue)); "
                + "ask for a product that has one"
        case .introductoryOfferUsed(_, let group):
            "the customer has used an introductory offer in the subscription group \(quoted(group.rawValue)), "
                + "and Apple allows one a group; use a promotional offer"
        case .subscribedInGroup(_, let group):
            "the customer is subscribed in the subscription group \(quoted(group.rawValue)), "
                + "and introductory offers are for others; use a promotional offer"
        default:
            winBackDetail ?? campaignDetail ?? codeDetail
        }
    }
}
