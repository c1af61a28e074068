import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Catalogue` {
    @Test func `products, groups and offers are found by their identifiers`() throws {
        let tide = try CatalogFixtures.tide()
        let monthly = try #require(tide.subscription("tide.monthly"))
        #expect(monthly.level == 2)
        #expect(monthly.period == Period("P1M"))
        #expect(monthly.priceMilliunits == 4990)
        #expect(monthly.isFamilyShareable)
        #expect(tide.product("tide.monthly") == .subscription(monthly))
        #expect(tide.group(of: "tide.kids.monthly")?.identifier == SubscriptionGroupIdentifier("21500002"))
        #expect(tide.group(of: "tide.monthly")?.subscriptions.map(\.level) == [2, 1, 2])
        #expect(
            tide.subscriptions.map(\.productId.rawValue) == [
                "tide.monthly", "tide.yearly", "tide.plain", "tide.kids.monthly",
            ])

        let save50 = try #require(tide.promotionalOffer("save50", on: "tide.monthly"))
        #expect(save50.paymentMode == .payAsYouGo)
        #expect(save50.numberOfPeriods == 3)
        #expect(save50.priceMilliunits == 2490)
        #expect(tide.promotionalOffer("save50", on: "tide.yearly") == nil)
        #expect(tide.productsOffering("save50") == ["tide.monthly"])
        #expect(tide.productsOffering("wb_month_free") == [])
    }

    @Test func `an identifier of another kind is an offer, but no promotional one`() throws {
        let tide = try CatalogFixtures.tide()
        #expect(tide.offer("THANKS", on: "tide.monthly")?.codeTerms?.eligibility == [.existing])
        #expect(tide.promotionalOffer("THANKS", on: "tide.monthly") == nil)
        #expect(tide.offer("wb_month_free", on: "tide.monthly")?.offerType == .winBackOffer)
        #expect(tide.promotionalOffer("wb_month_free", on: "tide.monthly") == nil)
    }

    @Test func `products that are no subscriptions are known by id and kind`() throws {
        let tide = try CatalogFixtures.tide()
        let types = tide.otherProducts.map { "\($0.productId): \($0.type.rawValue)" }
        #expect(
            types == [
                "tide.stickers: Consumable", "tide.charts: Non-Consumable", "tide.season: Non-Renewing Subscription",
            ])
        #expect(tide.subscription("tide.stickers") == nil)
        #expect(tide.product("tide.stickers") == .other(tide.otherProducts[0]))
        #expect(tide.group(of: "tide.stickers") == nil)
        #expect(tide.product("tide.unknown") == nil)
    }

    @Test func `F01 a free offer with a price costs nothing`() throws {
        let reading = try CatalogFixtures.reading("valid/FreeWithPrice")
        let offers = try #require(reading.catalog?.subscription("circles.monthly")?.promotionalOffers)
        #expect(offers.map(\.priceMilliunits) == [0, 0, 0])
        #expect(offers[0].period == Period("P6M"))
        #expect(reading.findings.map(\.severity) == [.warning])
    }

    @Test func `F02 one introductory offer under the old and the new key is one offer`() throws {
        let catalog = try #require(try CatalogFixtures.reading("valid/BothIntroductoryKeys").catalog)
        #expect(catalog.introductoryOffers(on: "same.terms").map(\.period.description) == ["P1W"])
        #expect(catalog.introductoryOffers(on: "same.number").map(\.period.description) == ["P1W", "P1M"])
        #expect(catalog.introductoryOffers(on: "same.number").map(\.billingPlanType) == [.billedUpfront, .monthly])
        #expect(catalog.introductoryOffers(on: "different").map(\.period.description) == ["P1M", "P1W"])
    }

    @Test func `F03 an identifier used for two kinds of offer is refused naming both places`() throws {
        let reading = try CatalogFixtures.reading("invalid/OfferTwice")
        let finding = try #require(reading.findings.first)
        #expect(reading.catalog == nil)
        #expect(finding.place.hasSuffix("winbackOffers[0] 'spring26'"))
        #expect(finding.message.contains("reader.monthly > adHocOffers[0] 'spring26'"))
    }

    @Test func `unknown words are kept as the file spells them`() throws {
        let catalog = try #require(try CatalogFixtures.reading("valid/UnknownWords").catalog)
        let offer = try #require(catalog.offer("Winter Offer", on: "reader.monthly"))
        #expect(offer.paymentMode.rawValue == "paySometime")
        #expect(offer.priceMilliunits == 1000)
        #expect(offer.codeTerms == catalog.subscription("reader.monthly")?.codeOffers[0].codeTerms)
        #expect(offer.codeTerms?.eligibility == [.new, CodeEligibility(rawValue: "gifted")])
        #expect(offer.codeTerms?.isStackable == true)
        #expect(offer.codeTerms?.autoRenews == false)
        #expect(catalog.offer("Nobody", on: "reader.monthly")?.codeTerms?.autoRenews == true)
        #expect(catalog.otherProducts.map(\.type.rawValue) == ["Bundle"])
    }

    @Test func `equal files give equal catalogues`() throws {
        let one = try CatalogFixtures.tide()
        let other = try CatalogFixtures.tide()
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(try #require(try CatalogFixtures.reading("valid/Empty").catalog) != one)
    }
}
