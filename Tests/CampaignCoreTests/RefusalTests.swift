import Foundation
import TestSupport
import Testing

@testable import CampaignCore

@Suite struct `Refusals` {
    private static let missing = MissingOffer(
        productId: "p", offerIdentifier: "o", productType: nil, offerType: nil, offeredOn: [], nearest: nil)

    static let all: [(Refusal, String, String)] = [
        (
            .offerNotOnProduct(missing), "offerNotOnProduct",
            "the catalogue has no product 'p'; ask for an offer that the catalogue has, or add it there"
        ),
        (
            .neverSubscribed, "neverSubscribed",
            "the customer never had an auto-renewable subscription of this app, which promotional offers are for; "
                + "use an introductory offer, or an offer code whose eligibility holds 'new'"
        ),
        (
            .appAccountTokenDiffers, "appAccountTokenDiffers",
            "the 'appAccountToken' is not the one that the App Store has for this subscription; "
                + "send the token that the app passes to StoreKit for this customer"
        ),
        (
            .customerFieldsDisagree(fields: ["originalTransactionId", "signedTransactionInfo"]),
            "customerFieldsDisagree",
            "'originalTransactionId' and 'signedTransactionInfo' name different customers; send those of one customer"
        ),
        (
            .noIntroductoryOffer(productId: "p"), "noIntroductoryOffer",
            "the catalogue has no introductory offer on the product 'p'; ask for a product that has one"
        ),
        (
            .introductoryOfferUsed(productId: "p", subscriptionGroupIdentifier: "g"), "introductoryOfferUsed",
            "the customer has used an introductory offer in the subscription group 'g', and Apple allows one a group; "
                + "use a promotional offer"
        ),
        (
            .subscribedInGroup(productId: "p", subscriptionGroupIdentifier: "g"), "subscribedInGroup",
            "the customer is subscribed in the subscription group 'g', and introductory offers are for others; "
                + "use a promotional offer"
        ),
        (
            .neverSubscribedInGroup(productId: "p", subscriptionGroupIdentifier: "g"), "neverSubscribedInGroup",
            "the customer never had a subscription in the group 'g', and win-back offers are for those who left one; "
                + "use an introductory offer, or an offer code whose eligibility holds 'new'"
        ),
        (
            .stillSubscribed(subscriptionGroupIdentifier: "g"), "stillSubscribed",
            "the customer's subscription in the group 'g' runs, and win-back offers are for those who left; "
                + "use a promotional offer"
        ),
        (
            .inBillingRetry(subscriptionGroupIdentifier: "g"), "inBillingRetry",
            "the App Store is trying a failed payment in the group 'g'; "
                + "ask the customer to mend the payment at https://apps.apple.com/account/billing"
        ),
        (
            .subscriptionRevoked(subscriptionGroupIdentifier: "g"), "subscriptionRevoked",
            "the customer's last period in the group 'g' was refunded or taken back; "
                + "use a promotional offer if you want to give one all the same"
        ),
        (
            .notInEligibleWinBackOfferIds(offerIdentifier: "o"), "notInEligibleWinBackOfferIds",
            "Apple's 'eligibleWinBackOfferIds' of the customer do not hold 'o'; use one that they hold"
        ),
        (
            .winBackEligibilityUnknown(offerIdentifier: "o"), "winBackEligibilityUnknown",
            "neither Apple's 'eligibleWinBackOfferIds' nor month rules of the configuration tell whether 'o' is for "
                + "the customer; configure the months that App Store Connect has for it"
        ),
        (
            .paidDurationTooShort(offerIdentifier: "o", months: 2, required: 3), "paidDurationTooShort",
            "'o' asks for 3 months paid in a row, and the customer has 2; use another offer"
        ),
        (
            .lapseTooShort(offerIdentifier: "o", months: 0, minimum: 1), "lapseTooShort",
            "'o' asks for 1 month since the last period, and 0 have passed; ask again later"
        ),
        (
            .lapseTooLong(offerIdentifier: "o", months: 7, maximum: 6), "lapseTooLong",
            "'o' allows 6 months since the last period, and it ended over 7 months ago; use another offer"
        ),
        (
            .winBackTooSoon(offerIdentifier: "o", months: 1, required: 4), "winBackTooSoon",
            "'o' asks for 4 months since the last win-back offer, and 1 have passed; ask again later"
        ),
        (
            .codeEligibilityDiffers(customer: .expired, eligibility: [.new, .existing]), "codeEligibilityDiffers",
            "the offer's codes are for 'new', 'existing' customers of the group, and this one is 'expired'; "
                + "use another offer"
        ),
        (
            .cancelledButActive(subscriptionGroupIdentifier: "g"), "cancelledButActive",
            "the customer has turned auto-renew off in the group 'g' and the period still runs, "
                + "for which Apple promises no code; use a promotional offer"
        ),
        (
            .codeWouldDowngrade(productId: "p", currentProductId: "q"), "codeWouldDowngrade",
            "a code for 'p' would move the customer down from 'q', which the App Store refuses; "
                + "use an offer of the same or a higher level"
        ),
        (
            .offerCodeUsed(offerIdentifier: "o"), "offerCodeUsed",
            "the customer has redeemed a code of 'o', and Apple allows one for each offer; use another offer"
        ),
        (
            .noCodeOffer(offer: "o", nearest: nil), "noCodeOffer",
            "no subscription of the catalogue has a code offer 'o'; 'holdfast catalog show' lists all"
        ),
        (
            .codePoolExhausted(offer: "o", environment: .production), "codePoolExhausted",
            "no codes are left for the offer 'o' in Production; load more with 'holdfast codes import'"
        ),
        (
            .noCampaign, "noCampaign",
            "no campaign is for this app and environment; add a file to the folder of campaigns"
        ),
        (
            .campaignNotRunning(campaign: "c", .status(.draft)), "campaignNotRunning",
            "the campaign 'c' is a draft, which its test customers alone see; make it 'active'"
        ),
        (
            .notInAudience(campaign: "c"), "notInAudience",
            "the campaign 'c' is for other customers; 'holdfast campaign explain' shows which condition of its "
                + "'audience' does not hold"
        ),
        (
            .heldOut(campaign: "c"), "heldOut",
            "the customer is in the control group of the campaign 'c', which is given nothing so that the others can be "
                + "compared with it"
        ),
        (
            .frequencyCapReached(
                campaign: "c",
                cap: FrequencyCap(atMost: 3, per: .rolling(milliseconds: 365 * 86_400_000), across: .allCampaigns),
                freeDate: Instant(millisecondsSince1970: 1_788_609_600_000)), "frequencyCapReached",
            "the campaign 'c' gives at most 3 offers in 365d across all campaigns; ask again at 2026-09-05T12:00:00Z"
        ),
        (
            .noRuleHolds(campaign: "c"), "noRuleHolds",
            "no rule of the campaign 'c' holds now; 'holdfast campaign explain' shows what each of them asks for"
        ),
        (
            .noOfferForVariant(campaign: "c", rule: "r"), "noOfferForVariant",
            "the rule 'r' of the campaign 'c' has nothing for the customer's variant here; give it an offer without "
                + "'variant'"
        ),
        (
            .billingErrorNoDiscount, "billingErrorNoDiscount",
            "the subscription ended because a payment failed, which no discount mends; "
                + "ask the customer to mend the payment at https://apps.apple.com/account/billing"
        ),
        (
            .offersPerYearReached(atMost: 12), "offersPerYearReached",
            "the customer was given 12 offers within a year, as many as 'offersPerYear' allows; "
                + "ask again when the first of them is a year old"
        ),
        (
            .cancelledForDiscount(atMost: 2), "cancelledForDiscount",
            "the customer has redeemed 2 promotional offers within a year and cancelled again, and 'savesPerYear' allows "
                + "no more; let the subscription end"
        ),
        (
            .tooManyAccounts(atMost: 3), "tooManyAccounts",
            "more than 3 accounts used this subscription within a year, and 'accountsPerSubscription' allows no more; "
                + "find out who shares it"
        ),
        (
            .alternateProductOutsideGroup(productId: "p"), "alternateProductOutsideGroup",
            "'p' is no other product of the subscription's group; name one that is"
        ),
    ]

    @Test(arguments: all)
    func `each has a stable code and a sentence with the next step`(refusal: Refusal, code: String, detail: String) {
        #expect(refusal.code == code)
        #expect(refusal.detail == detail)
    }

    @Test func `an offer whose codes are for nobody says where to add it`() {
        #expect(
            Refusal.codeEligibilityDiffers(customer: .new, eligibility: []).detail
                == "the catalogue names no customers whom the offer's codes are for; add its eligibility there")
    }

    @Test func `all codes are listed once, in order`() {
        #expect(Refusal.allCodes == Self.all.map(\.1))
    }

    @Test(
        arguments: [
            (
                "save5", "tide.monthly",
                "the product 'tide.monthly' has no promotional offer 'save5'; did you mean 'save50'?"
            ),
            (
                "Save50", "tide.monthly",
                "the product 'tide.monthly' has no promotional offer 'Save50'; did you mean 'save50'?"
            ),
            (
                "quite_different", "tide.monthly",
                "the product 'tide.monthly' has no promotional offer 'quite_different'; "
                    + "ask for an offer that the catalogue has, or add it there"
            ),
            (
                "THANKS", "tide.monthly",
                "'THANKS' on the product 'tide.monthly' is an offer for offer codes, which needs no signature; "
                    + "ask for an offer that the catalogue has, or add it there"
            ),
            (
                "wb_month_free", "tide.monthly",
                "'wb_month_free' on the product 'tide.monthly' is a win-back offer, which needs no signature; "
                    + "ask for an offer that the catalogue has, or add it there"
            ),
            (
                "save50", "tide.stickers",
                "the product 'tide.stickers' is of type 'Consumable', only auto-renewable subscriptions have offers"
            ),
            (
                "save50", "tide.gone",
                "the catalogue has no product 'tide.gone'; the products that have it: 'tide.monthly'"
            ),
            (
                "a\nb\u{2063}c", "tide.plain",
                "the product 'tide.plain' has no promotional offer 'a\\nb\\u{2063}c'; "
                    + "ask for an offer that the catalogue has, or add it there"
            ),
        ] as [(OfferIdentifier, ProductID, String)])
    func `a missing offer is explained`(offer: OfferIdentifier, product: ProductID, detail: String) throws {
        let missing = try #require(try CatalogFixtures.tide().missingPromotionalOffer(offer, on: product))
        #expect(Refusal.offerNotOnProduct(missing).detail == detail)
    }

    @Test func `an offer that is there is not missing`() throws {
        #expect(try CatalogFixtures.tide().missingPromotionalOffer("save50", on: "tide.monthly") == nil)
    }

    @Test func `long values and long lists are cut`() {
        let long = MissingOffer(
            productId: "p", offerIdentifier: OfferIdentifier(String(repeating: "x", count: 250_000)),
            productType: .autoRenewableSubscription, offerType: nil, offeredOn: ["a", "b", "c", "d", "e"], nearest: "n")
        #expect(long.detail.hasSuffix("…'; the products that have it: 'a', 'b', 'c' and 2 more; did you mean 'n'?"))
        #expect(long.detail.count < 250)
    }
}
