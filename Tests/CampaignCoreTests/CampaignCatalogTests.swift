import Foundation
import Testing
import YAML

@testable import CampaignCore

/// Offers that the audience does and does not decide, on a catalogue with two groups.
@Suite struct CampaignCatalogTests {
    private static func product(_ name: String, _ period: String, _ offers: String, winBack: String = "[]") -> String {
        """
        { "productID": "\(name)", "recurringSubscriptionPeriod": "\(period)", "groupNumber": 1, "displayPrice": "1",
          "adHocOffers": \(offers), "winbackOffers": \(winBack) }
        """
    }

    private static func offer(_ name: String) -> String {
        """
        { "offerID": "\(name)", "paymentMode": "free", "numberOfPeriods": 1, "subscriptionPeriod": "P1W" }
        """
    }

    /// `basic` and `pro` share an offer in one group; `news` is alone in another.
    private static let catalog: Catalog = {
        let shared = "[\(offer("save"))]"
        let text = """
            { "version": { "major": 4 }, "subscriptionGroups": [
              { "id": "1", "subscriptions": [
                \(product("basic", "P1W", shared)), \(product("pro", "P1M", shared)), \(product("max", "P1Y", "[]")) ] },
              { "id": "2", "subscriptions": [\(product("news", "P1M", "[\(offer("news_save"))]", winBack: "[\(offer("news_back"))]"))] }
            ] }
            """
        return Catalog.read(storeKitFile: Array(text.utf8)).catalog ?? .empty
    }()

    private func lines(_ audience: String, _ rule: String) throws -> [String] {
        let text = """
            schema: 1
            campaign: c
            status: active
            audience: { bundleId: b, environment: Production, \(audience) }
            rules:
              - rule: r
                \(rule)
            """
        let diagnostics = Diagnostics()
        let file = try #require(
            CampaignFile(yaml: Array(text.utf8), zone: { _ in .found(.utc) }, into: diagnostics))
        let app = CampaignSurroundings.App(bundleId: "b", environments: [.production], catalog: Self.catalog)
        file.check(
            against: CampaignSurroundings(apps: [app]),
            messages: RetentionMessages(messageIdentifiers: ["m": ["de": "x"]]), into: diagnostics)
        return diagnostics.all.map { "\($0.mark): \($0.message)" }
    }

    @Test(arguments: [
        ("productId: [basic, pro, max]", "", false), ("productId: max", "", false),
        ("subscriptionGroupIdentifier: '1'", "", false), ("productId: [basic, pro]", "", true),
        ("productId: basic", "", true), ("productId: { not: [max, news] }", "", true),
        ("productId: [basic, pro, max]", "when: { productId: { not: max } }\n    ", true),
    ])
    func `an offer of several products needs one named, unless every subscriber's own has it`(
        audience: String, when: String, isDecided: Bool
    ) throws {
        let rule = "offers: { promotionalOffer: save }"
        let found = try lines(audience, when + rule)
        let column = when.isEmpty ? "7:33" : "8:33"
        let message =
            "\(column): several products have the promotional offer 'save', and the audience does not decide between them: "
            + "'basic', 'pro'; add 'productId'"
        #expect(found == (isDecided ? [] : [message]))
        let named = try lines(audience, when + "offers: { promotionalOffer: save, productId: pro }")
        #expect(named == [])
    }

    @Test(arguments: [
        ("promotionalOffer: news_save", "the promotional offer 'news_save'"),
        ("winBackOffer: news_back", "the win-back offer 'news_back'"),
    ])
    func `an offer of another group is an error`(offer: String, named: String) throws {
        let message =
            "\(named) is in another subscription group than the audience's products; choose one of their group"
        let found = try lines("productId: [basic, pro]", "offers: { \(offer) }")
        #expect(found.count == 1 && found[0].hasSuffix(message), "\(found)")
        #expect(try lines("productId: [basic, news]", "offers: { \(offer) }") == [])
    }

    @Test func `an alternate product is another one of the group`() throws {
        let door = "via: retentionMessage\n    retentionMessage: m\n    "
        let offers = { (product: String) in "offers: { alternateProduct: \(product) }" }
        #expect(try lines("productId: basic", door + offers("pro")) == [])
        #expect(try lines("productId: [basic, pro]", door + offers("pro")) == [])
        #expect(
            try lines("productId: basic", door + offers("news")) == [
                "9:33: the alternate product 'news' is in another subscription group than the audience's products; choose "
                    + "one of their group"
            ])
        #expect(
            try lines("productId: pro", door + offers("pro")) == [
                "9:33: the alternate product 'pro' is the one that the audience has; choose another"
            ])
    }

    @Test func `no period is longer than a product's or an offer's`() throws {
        let rule = { (span: String) -> String in "when: { untilExpires: { atLeast: \(span) } }\n    message: m" }
        #expect(try lines("productId: basic", rule("6d")) == [])
        #expect(try lines("productId: basic", rule("7d")).count == 1)
        #expect(try lines("productId: pro", rule("30d")) == [])
        #expect(try lines("productId: pro", rule("31d")).count == 1)
        #expect(try lines("productId: [pro, max]", rule("365d")) == [])
        #expect(try lines("productId: [pro, max]", rule("366d")).count == 1)
    }
}
