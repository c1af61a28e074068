import Crypto
import Foundation
import TestSupport
import Testing
import YAML

@testable import CampaignCore

@Suite struct CampaignFileTests {
    private static let day: Int64 = 24 * 60 * 60 * 1000

    /// Reads a text without a table of zones but UTC.
    private func read(_ text: String) -> (file: CampaignFile?, lines: [String]) {
        let diagnostics = Diagnostics()
        let file = CampaignFile(
            yaml: Array(text.utf8),
            zone: { $0 == "UTC" || $0.hasPrefix("America/") ? .found(.utc) : .missing(cure: "write another") },
            into: diagnostics)
        return (file, diagnostics.all.map { $0.line(path: "c.yaml") })
    }

    private func fixture(_ name: String) throws -> String {
        let file = Surroundings.project.appendingPathComponent("Fixtures/Campaigns/valid/\(name).yaml")
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test func `every key has the value that is written`() throws {
        let text = try fixture("everything")
        let campaign = try #require(read(text).file).campaign
        #expect(campaign.name == "everything" && campaign.priority == -5 && campaign.status == .paused)
        #expect(campaign.owner == "Growth, second floor")
        #expect(campaign.starts?.millisecondsSince1970 == 1_799_136_000_250)
        #expect(campaign.ends?.millisecondsSince1970 == 1_835_395_200_000)
        #expect(
            campaign.audience
                == Audience(
                    bundleId: "com.example.reader", environment: .production,
                    productId: .any(["reader.annual", "reader.monthly"]),
                    subscriptionGroupIdentifier: .any(["21500001"]),
                    inAppOwnershipType: .any([.purchased, .familyShared]), storefront: .not(["CHN", "RUS"])))
        #expect(campaign.holdout == Holdout(percent: 100, salt: "all.of-us_2027", isGlobal: true))
        #expect(campaign.variants == [Variant(name: "half", weight: 50), Variant(name: "third", weight: 1)])
        #expect(campaign.testCustomers == ["0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e", "430000000000001"])
        #expect(
            campaign.limits.frequencyCaps == [
                FrequencyCap(atMost: 1, per: .rolling(milliseconds: 30 * Self.day)),
                FrequencyCap(atMost: 3, per: .rolling(milliseconds: 364 * Self.day), across: .allCampaigns),
                FrequencyCap(atMost: 1, per: .calendarDay),
            ])
        #expect(
            campaign.limits.quietHours
                == QuietHours(
                    fromMinuteOfDay: 21 * 60, toMinuteOfDay: 9 * 60 + 30, usesSubscriberZone: true, zone: .utc))
        #expect(campaign.limits.redemptionsAtMost == 5000)
        #expect(try campaign.digest == SHA256.digest(Array(fixture("everything").utf8)))
    }

    @Test func `every key of a rule has the value that is written`() throws {
        let rules = try #require(read(fixture("everything")).file).campaign.rules
        try #require(rules.map(\.name) == ["save", "win-back"])
        #expect(
            rules[0].when
                == When(
                    status: .any([.active]), autoRenewStatus: .any([.off]),
                    productId: .any(["reader.annual", "reader.monthly"]),
                    offerType: .not([.introductoryOffer, .retentionOffer]),
                    pendingChange: .any([.upgrade, .downgrade, .crossgrade, .change]),
                    untilExpires: SpanRange(atLeastMilliseconds: 0, atMostMilliseconds: 14 * Self.day)))
        #expect(rules[0].via == [.retentionMessage, .app, .webhook])
        #expect(
            rules[0].sendAt == [
                SendTime(anchor: .opens, offsetMilliseconds: 0),
                SendTime(anchor: .opens, offsetMilliseconds: 90 * 60 * 1000),
                SendTime(anchor: .closes, offsetMilliseconds: -2 * Self.day),
            ])
        #expect(rules[0].retentionMessage == "stay" && rules[0].message == "stay")
        #expect(
            rules[0].offers == [
                CampaignOffer(.promotionalOffer("save_50_1y"), productId: "reader.annual", variant: "half"),
                CampaignOffer(.alternateProduct("reader.monthly")),
            ])
        #expect(
            rules[1].when
                == When(
                    status: .not([.active, .billingRetry, .billingGracePeriod, .revoked]),
                    expirationIntent: .any([
                        .customerCancelled, .customerDidNotConsentToPriceIncrease, .productNotAvailable, .other,
                    ]), sinceExpired: SpanRange(atLeastMilliseconds: 3 * Self.day)))
        #expect(rules[1].via == [.app] && rules[1].sendAt == [] && rules[1].message == nil)
        #expect(
            rules[1].offers == [
                CampaignOffer(.winBackOffer("back_33_1y"), productId: "reader.annual"),
                CampaignOffer(.offerCode("SPRING")),
            ])
    }

    @Test func `what is left out has its default`() throws {
        let campaign = try #require(read(fixture("smallest")).file).campaign
        #expect(campaign.priority == 0 && campaign.owner == nil && campaign.starts == nil && campaign.ends == nil)
        #expect(campaign.audience == Audience(bundleId: "com.example.reader", environment: .production))
        #expect(campaign.holdout == nil && campaign.variants == [] && campaign.testCustomers == [])
        #expect(campaign.limits == Campaign.Limits())
        #expect(campaign.rules == [Rule(name: "1", message: "hello")])
    }

    @Test func `a holdout without a salt has the campaign's name`() throws {
        let holdout = try #require(read(fixture("edges")).file).campaign.holdout
        #expect(holdout == Holdout(percent: 0, salt: "2027"))
    }

    /// Two conditions and whether some subscription fits both; whether the second holds whenever the first does.
    static let pairs: [(one: String, two: String, overlap: Bool, within: Bool)] = [
        ("status: active", "status: expired", false, false),
        ("status: active", "status: [active, expired]", true, true),
        ("status: { not: active }", "status: active", false, false),
        ("status: { not: [active, revoked] }", "status: { not: active }", true, true),
        ("productId: a", "productId: { not: a }", false, false),
        ("productId: { not: a }", "productId: { not: b }", true, false),
        ("productId: { not: [a, b] }", "productId: { not: b }", true, true),
        ("productId: [a, b]", "productId: { not: a }", true, false),
        ("autoRenewStatus: off", "autoRenewStatus: on", false, false),
        ("autoRenewStatus: off", "status: active", true, false),
        ("status: active, autoRenewStatus: off", "status: active", true, true),
        ("untilExpires: { atMost: 3d }", "sinceExpired: { atLeast: 0m }", false, false),
        ("untilExpires: { atMost: 3d }", "untilExpires: { atLeast: 3d }", false, false),
        ("untilExpires: { atMost: 3d }", "untilExpires: { atLeast: 4319m }", true, false),
        ("untilExpires: { atLeast: 1d, atMost: 3d }", "untilExpires: { atMost: 3d }", true, true),
        ("untilExpires: { atMost: 3d }", "status: [active, revoked]", true, true),
        ("untilExpires: { atMost: 3d }", "status: billingRetry", false, false),
        ("expirationIntent: other", "sinceExpired: { atMost: 9d }", true, false),
        ("expirationIntent: other", "expirationIntent: { not: billingError }", true, true),
        ("expirationIntent: { not: other }", "status: active", true, false),
    ]

    @Test(arguments: pairs)
    func `conditions are compared as they are judged`(one: String, two: String, overlap: Bool, within: Bool) throws {
        func when(_ text: String) throws -> When {
            let file = read(
                """
                schema: 1
                campaign: c
                status: active
                audience: { bundleId: b, environment: Production }
                rules: { rule: r, message: m, when: { \(text) } }
                """)
            try #require(file.lines == [], "\(file.lines)")
            return try #require(file.file).campaign.rules[0].when
        }
        let (first, second) = try (when(one), when(two))
        #expect(first.overlaps(second) == overlap && second.overlaps(first) == overlap)
        #expect(first.isWithin(second) == within)
        #expect(first.isWithin(first) && first.isWithin(When()) && first.overlaps(When()))
    }

    @Test(arguments: [
        "opens-1h", "closes", "closes+1h", "closes-0d", "opens+", "opens 1h", "Opens", "closes-1", "opens+1h ",
    ])
    func `no other text is a time in the window`(text: String) {
        #expect(SendTime(text) == nil)
    }
}
