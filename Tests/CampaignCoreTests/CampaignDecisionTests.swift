import CampaignCore
import Foundation
import TestSupport
import Testing

/// A campaign of the field cases' app that gives `save50` to who has cancelled, changed where a test needs it.
func campaign(
    _ name: CampaignName = "keep", priority: Int = 0, when: When = When(autoRenewStatus: .any([.off])),
    offers: [CampaignOffer] = [CampaignOffer(.promotionalOffer("save50"))], message: MessageName? = nil,
    _ change: (inout Campaign) -> Void = { _ in }
) -> Campaign {
    var campaign = Campaign(
        name: name, priority: priority, status: .active,
        audience: Audience(bundleId: "com.example.tide", environment: .production),
        rules: [Rule(name: "save", when: when, via: [.app, .webhook], offers: offers, message: message)])
    change(&campaign)
    return campaign
}

/// One subscriber of the field cases, who cancelled on the first day of a month unless a test says otherwise.
struct Asked {
    var transactions = [month()]
    var renewals = [renewal(signed: Moment.day(1), status: .off)]
    var environment = AppStoreEnvironment.production
    var guardOf = OfferGuard()
    var catalog: Catalog?
    var change: (inout CampaignFacts) -> Void = { _ in }

    func facts() throws -> CampaignFacts {
        let subscription = try #require(Subscription(transactions: transactions, renewals: renewals))
        var facts = CampaignFacts(environment: environment, subscription: subscription)
        facts.transactions = transactions
        change(&facts)
        return facts
    }

    func decide(
        _ campaigns: [Campaign], at now: Instant = Moment.day(5), via: Rule.Via = .app, only: CampaignName? = nil
    ) throws -> CampaignDecision {
        let context = CampaignContext(catalog: try catalog ?? CatalogFixtures.tide(), offerGuard: guardOf)
        return CampaignSet(campaigns: campaigns).decide(
            try facts(), via: via, only: only, bundleId: "com.example.tide", in: context, now: now)
    }

    /// What was given and by whom, such as `keep/save: save50`, or the codes of the refusals.
    func told(
        _ campaigns: [Campaign], at now: Instant = Moment.day(5), via: Rule.Via = .app, only: CampaignName? = nil
    ) throws -> String {
        let decision = try decide(campaigns, at: now, via: via, only: only)
        guard let chosen = decision.chosen else { return decision.refusals.map(\.code).joined(separator: " ") }
        let what =
            switch chosen.content {
            case .promotionalOffer(let offer, _), .winBackOffer(let offer, _), .offerCode(let offer, _): offer.rawValue
            case .alternateProduct(let product): product.rawValue
            case .message: "'\(chosen.message?.rawValue ?? "")'"
            }
        return "\(chosen.campaign)/\(chosen.rule): \(what)"
    }
}

@Suite struct `What campaigns give` {
    private static let day: Int64 = 86_400_000

    private func given(_ days: Double, campaign: CampaignName = "keep", _ outcome: GivenOffer.Outcome? = nil)
        -> GivenOffer
    {
        var given = GivenOffer(
            campaign: campaign, rule: "save", givenDate: Moment.start.adding(milliseconds: Int64(days * 86_400_000)))
        given.offerType = .promotionalOffer
        given.outcome = outcome
        return given
    }

    @Test func `the highest priority is asked first, then the name, and what gives ends it`() throws {
        let both = [campaign("b", priority: 1), campaign("a", priority: 1), campaign("c", priority: 2)]
        #expect(try Asked().told(both) == "c/save: save50")
        #expect(try Asked().told(Array(both[0...1])) == "a/save: save50")
        let closed = campaign("z", priority: 9) { $0.status = .paused }
        let decision = try Asked().decide(both + [closed])
        #expect(decision.chosen?.campaign == "c" && decision.refusals.map(\.code) == ["campaignNotRunning"])
        #expect(try Asked().told(both, only: "b") == "b/save: save50")
        #expect(try Asked().told(both, only: "x") == "noCampaign")
        #expect(try Asked().told([]) == "noCampaign")
    }

    @Test(
        arguments: [
            (0, "keep/save: save50"), (-1, "campaignNotRunning"), (86_399_999, "keep/save: save50"),
            (86_400_000, "campaignNotRunning"),
        ] as [(Int64, String)])
    func `a campaign gives from its start on and no more at its end`(milliseconds: Int64, told: String) throws {
        let campaign = campaign {
            $0.starts = Moment.day(5)
            $0.ends = Moment.day(6)
        }
        #expect(try Asked().told([campaign], at: Moment.day(5).adding(milliseconds: milliseconds)) == told)
    }

    @Test func `a draft is seen by its test customers alone, by token or subscription`() throws {
        let token = try #require(UUID(uuidString: "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E"))
        let draft = campaign {
            $0.status = .draft
            $0.testCustomers = ["0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e"]
        }
        #expect(try Asked().told([draft]) == "campaignNotRunning")
        #expect(try Asked(transactions: [month(token: token)]).told([draft]) == "keep/save: save50")
        // Who merely names a test customer's token is none.
        #expect(try Asked(change: { $0.appAccountToken = token }).told([draft]) == "campaignNotRunning")
        let byId = campaign {
            $0.status = .draft
            $0.testCustomers = ["2000000000000001"]
        }
        #expect(try Asked().told([byId]) == "keep/save: save50")
        for status in [Campaign.Status.paused, .ended] {
            #expect(try Asked().told([campaign { $0.status = status }]) == "campaignNotRunning")
        }
    }

    @Test func `redemptions end a campaign by themselves`() throws {
        let campaign = campaign { $0.limits.redemptionsAtMost = 2 }
        for (count, told) in [(1, "keep/save: save50"), (2, "campaignNotRunning"), (3, "campaignNotRunning")] {
            #expect(try Asked(change: { $0.redemptions = ["keep": count, "other": 9] }).told([campaign]) == told)
        }
    }

    @Test func `the audience is asked of the current period, and what nobody knows is none of the named`() throws {
        func audience(_ change: (inout Audience) -> Void) -> Campaign { campaign { change(&$0.audience) } }
        let cases: [(Campaign, Bool)] = [
            (audience { $0.productId = .any(["tide.monthly", "x"]) }, true),
            (audience { $0.productId = .any(["tide.yearly"]) }, false),
            (audience { $0.productId = .not(["tide.monthly"]) }, false),
            (audience { $0.subscriptionGroupIdentifier = .any(["21500001"]) }, true),
            (audience { $0.subscriptionGroupIdentifier = .any(["21500002"]) }, false),
            (audience { $0.storefront = .not(["CHN"]) }, true), (audience { $0.storefront = .any(["DEU"]) }, false),
            (audience { $0.inAppOwnershipType = .any([.purchased]) }, false),
            (audience { $0.inAppOwnershipType = .not([.familyShared]) }, true),
        ]
        for (campaign, isIn) in cases {
            #expect(
                try Asked().told([campaign]) == (isIn ? "keep/save: save50" : "notInAudience"), "\(campaign.audience)")
        }
        let sandbox = campaign {
            $0.audience = Audience(bundleId: "com.example.tide", environment: .sandbox)
        }
        let other = campaign { $0.audience = Audience(bundleId: "com.example.x", environment: .production) }
        #expect(try Asked().told([sandbox, other]) == "noCampaign")
    }

    @Test(
        arguments: [
            (29, 0, true), (28, -1, true), (28, 0, true), (28, 1, false), (16, 0, true), (16, -1, false),
            (31, 0, false),
        ] as [(Int64, Int64, Bool)])
    func `untilExpires is inclusive at both bounds and holds only before the end`(
        day: Int64, milliseconds: Int64, holds: Bool
    ) throws {
        let when = When(
            untilExpires: SpanRange(atLeastMilliseconds: 2 * Self.day, atMostMilliseconds: 14 * Self.day))
        let now = Moment.day(day).adding(milliseconds: milliseconds)
        let expected = day == 29 ? false : holds
        #expect(try Asked().told([campaign(when: when)], at: now) == (expected ? "keep/save: save50" : "noRuleHolds"))
    }

    @Test(arguments: [(33, -1, false), (33, 0, true), (44, 0, true), (44, 1, false)] as [(Int64, Int64, Bool)])
    func `sinceExpired is inclusive at both bounds`(day: Int64, milliseconds: Int64, holds: Bool) throws {
        let when = When(
            status: .any([.expired]), expirationIntent: .any([.customerCancelled]),
            sinceExpired: SpanRange(atLeastMilliseconds: 3 * Self.day, atMostMilliseconds: 14 * Self.day))
        let now = Moment.day(day).adding(milliseconds: milliseconds)
        #expect(try Asked().told([campaign(when: when)], at: now) == (holds ? "keep/save: save50" : "noRuleHolds"))
    }

    @Test func `T03 spans of rules follow the pace of a Sandbox month of five minutes`() throws {
        let minute: Int64 = 60_000
        let period = month(until: Moment.start.adding(milliseconds: 5 * minute))
        let off = renewal(signed: Moment.start.adding(milliseconds: minute), status: .off)
        let asked = Asked(transactions: [period], renewals: [off], environment: .sandbox)
        let when = When(untilExpires: SpanRange(atMostMilliseconds: 3 * Self.day))
        let sandbox = campaign(when: when) {
            $0.audience = Audience(bundleId: "com.example.tide", environment: .sandbox)
        }
        let due = Moment.start.adding(milliseconds: 5 * minute - 30_000)
        #expect(try asked.told([sandbox], at: due) == "keep/save: save50")
        #expect(try asked.told([sandbox], at: due.adding(milliseconds: -1)) == "noRuleHolds")
    }

    @Test func `T01 who turned auto-renew on again is offered nothing`() throws {
        let on = renewal(signed: Moment.day(4), status: .on)
        let asked = Asked(renewals: [renewal(signed: Moment.start, status: .off), on])
        #expect(try asked.told([campaign()]) == "noRuleHolds")
        // A rule that forgets to ask gives the offer all the same, because then the marketer wants it.
        #expect(try asked.told([campaign(when: When())]) == "keep/save: save50")
    }

    @Test func `T02 a failed card gets a reminder and never a discount, whatever the rule says`() throws {
        let failed = renewal(signed: Moment.day(90), status: .off, intent: .billingError, inRetry: false)
        let left = renewal(signed: Moment.day(30), status: .off, intent: .customerCancelled, inRetry: false)
        let any = campaign(when: When(status: .any([.expired])))
        let voluntary = campaign(when: When(status: .any([.expired]), expirationIntent: .any([.customerCancelled])))
        #expect(try Asked(renewals: [failed]).told([any], at: Moment.day(91)) == "billingErrorNoDiscount")
        #expect(try Asked(renewals: [failed]).told([voluntary], at: Moment.day(91)) == "noRuleHolds")
        #expect(try Asked(renewals: [left]).told([any], at: Moment.day(91)) == "keep/save: save50")
        #expect(try Asked(renewals: [left]).told([voluntary], at: Moment.day(91)) == "keep/save: save50")
        let retry = Asked(renewals: [renewal(signed: Moment.day(30), inRetry: true)])
        let grace = Asked(renewals: [renewal(signed: Moment.day(30), inRetry: true, grace: Moment.day(46))])
        let reminder = campaign(when: When(), offers: [], message: "update-payment")
        for asked in [retry, grace] {
            #expect(try asked.told([campaign(when: When())], at: Moment.day(31)) == "inBillingRetry")
            #expect(try asked.told([reminder], at: Moment.day(31)) == "keep/save: 'update-payment'")
        }
    }

    @Test func `T05 a rolling cap counts hours, a calendar cap the customer's days`() throws {
        let berlin = try #require(
            TimeZoneRules(
                name: "Europe/Berlin",
                file: Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")))))
        // 20:00 on the first day in Berlin, in summer two hours before UTC.
        let first = try #require(Instant(rfc3339: "2026-09-06T18:00:00Z"))
        let next = try #require(Instant(rfc3339: "2026-09-07T06:00:00Z"))
        let evening = try #require(Instant(rfc3339: "2026-09-07T18:00:00Z"))
        let asked = Asked(change: {
            $0.given = [GivenOffer(campaign: "keep", rule: "save", givenDate: first)]
            $0.zone = berlin
        })
        let rolling = campaign {
            $0.limits.frequencyCaps = [FrequencyCap(atMost: 1, per: .rolling(milliseconds: Self.day))]
        }
        let calendar = campaign { $0.limits.frequencyCaps = [FrequencyCap(atMost: 1, per: .calendarDay)] }
        #expect(try asked.told([rolling], at: next) == "frequencyCapReached")
        #expect(try asked.told([rolling], at: evening.adding(milliseconds: -1)) == "frequencyCapReached")
        #expect(try asked.told([rolling], at: evening) == "keep/save: save50")
        #expect(try asked.told([calendar], at: next) == "keep/save: save50")
        let midnight = try #require(Instant(rfc3339: "2026-09-06T22:00:00Z"))
        #expect(try asked.told([calendar], at: midnight.adding(milliseconds: -1)) == "frequencyCapReached")
        #expect(try asked.told([calendar], at: midnight) == "keep/save: save50")
        let refusal = try #require(asked.decide([calendar], at: first).refusals.first)
        #expect(
            refusal.detail.hasSuffix("1 offer a calendar day; ask again at 2026-09-06T22:00:00Z"), "\(refusal.detail)")
        let later = try #require(asked.decide([rolling], at: next).refusals.first)
        #expect(later.detail.hasSuffix("1 offer in 1d; ask again at 2026-09-07T18:00:00Z"), "\(later.detail)")
    }

    @Test func `a calendar day that is an hour long or short is one day`() throws {
        let berlin = try #require(
            TimeZoneRules(
                name: "Europe/Berlin",
                file: Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")))))
        // 2026-10-25 has 25 hours in Berlin: it begins at 22:00Z the day before and ends at 23:00Z.
        let campaign = campaign(when: When()) { $0.limits.frequencyCaps = [FrequencyCap(atMost: 1, per: .calendarDay)] }
        let given = try #require(Instant(rfc3339: "2026-10-24T22:00:00Z"))
        let asked = Asked(
            transactions: [month(until: Moment.day(90))],
            change: {
                $0.given = [GivenOffer(campaign: "keep", rule: "save", givenDate: given)]
                $0.zone = berlin
            })
        for (text, told) in [("22:59:59.999Z", "frequencyCapReached"), ("23:00:00Z", "keep/save: save50")] {
            let now = try #require(Instant(rfc3339: "2026-10-25T\(text)"))
            #expect(try asked.told([campaign], at: now) == told)
        }
    }

    @Test func `caps count this campaign or all, and never what failed`() throws {
        let own = campaign {
            $0.limits.frequencyCaps = [FrequencyCap(atMost: 1, per: .rolling(milliseconds: 30 * Self.day))]
        }
        let all = campaign {
            $0.limits.frequencyCaps = [
                FrequencyCap(atMost: 2, per: .rolling(milliseconds: 30 * Self.day), across: .allCampaigns)
            ]
        }
        let elsewhere = Asked(change: { $0.given = [given(4, campaign: "x"), given(3, campaign: "y")] })
        #expect(try elsewhere.told([own]) == "keep/save: save50")
        #expect(try elsewhere.told([all]) == "frequencyCapReached")
        let failed = Asked(change: { $0.given = [given(4, .failed), given(3, campaign: "y")] })
        #expect(try failed.told([own]) == "keep/save: save50")
        #expect(try failed.told([all]) == "keep/save: save50")
        #expect(try Asked(change: { $0.given = [given(4, .cancelled)] }).told([own]) == "frequencyCapReached")
    }

    @Test func `who is held out is given nothing, and no other percentage moves anyone`() throws {
        let none = campaign { $0.holdout = Holdout(percent: 0, salt: "s") }
        let everyone = campaign { $0.holdout = Holdout(percent: 100, salt: "s") }
        let drawn = try Asked().decide([everyone])
        #expect(drawn.refusals.map(\.code) == ["heldOut"])
        #expect(drawn.newArms == [CampaignArm(key: "holdout/keep", arm: "heldOut")])
        #expect(try Asked().decide([none]).newArms == [CampaignArm(key: "holdout/keep", arm: "treated")])
        let treated = Asked(change: { $0.arms = ["holdout/keep": "treated"] })
        let held = Asked(change: { $0.arms = ["holdout/keep": "heldOut"] })
        #expect(try treated.told([everyone]) == "keep/save: save50")
        #expect(try held.told([none]) == "heldOut")
        #expect(try treated.decide([everyone]).newArms.isEmpty)
        // Without a holdout in the file nobody is held out any more.
        #expect(try held.told([campaign()]) == "keep/save: save50")
    }

    @Test func `one global holdout holds the same customer out everywhere, and is drawn once`() throws {
        let two = ["a", "b"].map { name in
            campaign(CampaignName(name)) { $0.holdout = Holdout(percent: 100, salt: "q1", isGlobal: true) }
        }
        let decision = try Asked().decide(two)
        #expect(decision.refusals.map(\.code) == ["heldOut", "heldOut"])
        #expect(decision.newArms == [CampaignArm(key: "holdout/global/q1", arm: "heldOut")])
    }

    @Test func `shares of holdout and variants are near their percentages, whatever the ids`() {
        let holdout = Holdout(percent: 10, salt: "2027q1")
        let other = Holdout(percent: 10, salt: "2027q2")
        let ids = (0..<100_000).map { OriginalTransactionID("\(2_000_000_000_000_000 + $0)") }
        let held = ids.filter(holdout.contains)
        #expect((9_700...10_300).contains(held.count), "\(held.count)")
        // Another salt draws independently: a tenth of a tenth.
        let both = held.count(where: other.contains)
        #expect((850...1150).contains(both), "\(both)")
    }

    @Test func `variants are drawn by weight, stored, and moved by no other weight`() throws {
        func arms(_ weights: [Int]) -> Campaign {
            campaign(
                offers: [
                    CampaignOffer(.promotionalOffer("save50"), variant: "half"),
                    CampaignOffer(.promotionalOffer("gift_month"), variant: "gift"),
                ]
            ) { $0.variants = [Variant(name: "half", weight: weights[0]), Variant(name: "gift", weight: weights[1])] }
        }
        var counts: [String: Int] = [:]
        for number in 0..<2000 {
            let period = fact(
                "1", original: OriginalTransactionID("\(number)"), from: Moment.start, until: Moment.day(30))
            let off = renewal(original: OriginalTransactionID("\(number)"), signed: Moment.day(1), status: .off)
            counts[try Asked(transactions: [period], renewals: [off]).told([arms([75, 25])]), default: 0] += 1
        }
        #expect((1420...1580).contains(counts["keep/save: save50"] ?? 0), "\(counts)")
        #expect(counts["keep/save: gift_month"] == 2000 - (counts["keep/save: save50"] ?? 0))
        let stored = Asked(change: { $0.arms = ["variant/keep": "gift"] })
        #expect(try stored.told([arms([1_000_000, 1])]) == "keep/save: gift_month")
        #expect(try stored.decide([arms([1, 1])]).chosen?.variant == "gift")
        let gone = Asked(change: { $0.arms = ["variant/keep": "third"] })
        #expect(try gone.told([arms([1, 1])]) == "noOfferForVariant")
    }

    @Test func `rules are tried in order through their door, and no other after the first that holds`() throws {
        let two = campaign {
            $0.rules = [
                Rule(name: "mail", via: [.webhook], offers: [CampaignOffer(.promotionalOffer("save50"))]),
                Rule(name: "missing", via: [.app], offers: [CampaignOffer(.promotionalOffer("nothing"))]),
                Rule(name: "later", via: [.app], offers: [CampaignOffer(.promotionalOffer("save50"))]),
            ]
        }
        #expect(try Asked().told([two]) == "offerNotOnProduct")
        #expect(try Asked().told([two], via: .webhook) == "keep/mail: save50")
        #expect(try Asked().told([two], via: .retentionMessage) == "noRuleHolds")
        // The campaign that gives nothing leaves the customer to the next one.
        #expect(try Asked().told([two, campaign("next", priority: -1)]) == "next/save: save50")
    }

    @Test func `the first offer that is available is given`() throws {
        let ladder = campaign(
            when: When(),
            offers: [
                CampaignOffer(.winBackOffer("wb_month_free")), CampaignOffer(.offerCode("THANKS")),
                CampaignOffer(.promotionalOffer("save50"), productId: "tide.monthly"),
            ])
        #expect(try Asked().told([ladder]) == "keep/save: save50")
        let renewing = Asked(renewals: [renewal(signed: Moment.day(1))])
        #expect(try renewing.told([ladder]) == "keep/save: THANKS")
        let empty = Asked(renewals: [renewal(signed: Moment.day(1))], change: { $0.exhaustedCodes = ["THANKS"] })
        #expect(try empty.told([ladder]) == "keep/save: save50")
        let onlyCode = campaign(when: When(), offers: [CampaignOffer(.offerCode("THANKS"))])
        #expect(try empty.told([onlyCode]) == "codePoolExhausted")
        let other = campaign(
            when: When(), offers: [CampaignOffer(.promotionalOffer("save50"), productId: "tide.yearly")])
        #expect(try Asked().told([other]) == "offerNotOnProduct")
    }

    @Test func `a token that is not the subscription's is refused`() throws {
        let known = UUID(uuidString: "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E")
        let other = UUID(uuidString: "7E3F0000-0000-4000-8000-000000000001")
        let asked = Asked(transactions: [month(token: known)], change: { $0.appAccountToken = other })
        #expect(try asked.told([campaign()]) == "appAccountTokenDiffers")
    }

    @Test func `E03 win-back offers of a rule are given in Apple's order, whatever the file's`() throws {
        let catalog = try CatalogFixtures.tide(adding: "wb_old", to: "wb_month_free")
        let lapsed = renewal(
            signed: Moment.day(31), status: .off, intent: .customerCancelled,
            winBack: ["wb_year_half", "wb_month_free", "wb_old"])
        let asked = Asked(renewals: [lapsed], catalog: catalog)
        let rule = { (offers: [CampaignOffer]) in campaign(when: When(status: .any([.expired])), offers: offers) }
        let winBacks = [CampaignOffer(.winBackOffer("wb_old")), CampaignOffer(.winBackOffer("wb_month_free"))]
        #expect(try asked.told([rule(winBacks)], at: Moment.day(35)) == "keep/save: wb_month_free")
        let between = [winBacks[0], CampaignOffer(.promotionalOffer("save50")), winBacks[1]]
        #expect(try asked.told([rule(between)], at: Moment.day(35)) == "keep/save: wb_month_free")
        let unlisted = Asked(
            renewals: [renewal(signed: Moment.day(31), status: .off, winBack: ["wb_old"])], catalog: catalog)
        #expect(try unlisted.told([rule(winBacks)], at: Moment.day(35)) == "keep/save: wb_old")
    }

    @Test func `E04 who cancelled has the save offer before the end and the win-back offer after it`() throws {
        let cancelled = renewal(signed: Moment.day(2), status: .off, winBack: ["wb_month_free"])
        let both = campaign {
            $0.rules = [
                Rule(
                    name: "save", when: When(status: .any([.active]), autoRenewStatus: .any([.off])),
                    offers: [CampaignOffer(.winBackOffer("wb_month_free")), CampaignOffer(.promotionalOffer("save50"))]),
                Rule(
                    name: "back", when: When(status: .any([.expired])),
                    offers: [CampaignOffer(.winBackOffer("wb_month_free"))]),
            ]
        }
        let asked = Asked(renewals: [cancelled])
        #expect(try asked.told([both], at: Moment.day(5)) == "keep/save: save50")
        #expect(try asked.told([both], at: Moment.day(35)) == "keep/back: wb_month_free")
    }

    @Test func `E05 a code offer of a campaign is for the customers that the catalogue names`() throws {
        let codes = campaign(when: When(), offers: [CampaignOffer(.offerCode("THANKS"))])
        let renews = renewal(signed: Moment.day(1))
        #expect(try Asked(renewals: [renews]).told([codes]) == "keep/save: THANKS")
        #expect(try Asked().told([codes]) == "cancelledButActive")
        #expect(try Asked().told([codes], at: Moment.day(40)) == "codeEligibilityDiffers")
    }

    @Test func `an alternate product is for a retention message, and another one of the group`() throws {
        func rule(_ product: ProductID) -> Campaign {
            campaign {
                $0.rules = [
                    Rule(
                        name: "stay", via: [.retentionMessage, .app], retentionMessage: "stay",
                        offers: [CampaignOffer(.alternateProduct(product))])
                ]
            }
        }
        let asked = Asked()
        #expect(try asked.told([rule("tide.yearly")], via: .retentionMessage) == "keep/stay: tide.yearly")
        #expect(try asked.told([rule("tide.yearly")]) == "noOfferForVariant")
        for product in ["tide.monthly", "tide.kids.monthly", "x"] {
            #expect(
                try asked.told([rule(ProductID(product))], via: .retentionMessage) == "alternateProductOutsideGroup")
        }
    }

    @Test func `R03 a retention message holds exactly one of message, alternate product and promotional offer`() throws
    {
        func stay(_ offers: [CampaignOffer]) -> Campaign {
            campaign {
                $0.rules = [
                    Rule(name: "stay", via: [.retentionMessage], retentionMessage: "stay", offers: offers)
                ]
            }
        }
        let product = CampaignOffer(.alternateProduct("tide.yearly"))
        let offer = CampaignOffer(.promotionalOffer("save50"))
        let asked = Asked()
        #expect(try asked.told([stay([product, offer])], via: .retentionMessage) == "keep/stay: tide.yearly")
        #expect(try asked.told([stay([offer, product])], via: .retentionMessage) == "keep/stay: save50")
        let alone = try asked.decide([stay([])], via: .retentionMessage)
        #expect(alone.chosen?.content == .message && alone.chosen?.retentionMessage == "stay")
    }

    // MARK: - The guard against abuse

    @Test func `a year's offers across all campaigns are counted, without messages and what failed`() throws {
        let bound = OfferGuard(offersPerYear: 2, savesPerYear: nil, accountsPerSubscription: nil)
        var message = given(1)
        message.offerType = nil
        let cases: [([GivenOffer], String)] = [
            ([given(4), given(3, campaign: "x")], "offersPerYearReached"),
            ([given(4), given(3, .failed)], "keep/save: save50"), ([given(4), message], "keep/save: save50"),
            // Exactly a year ago counts no more.
            ([given(4), given(5 - 365)], "keep/save: save50"),
            ([given(4), given(5.001 - 365)], "offersPerYearReached"),
        ]
        for (given, told) in cases {
            #expect(try Asked(guardOf: bound, change: { $0.given = given }).told([campaign()]) == told)
        }
        let reminder = campaign(when: When(), offers: [], message: "hello")
        let reached = Asked(guardOf: bound, change: { $0.given = cases[0].0 })
        #expect(try reached.told([reminder]) == "keep/save: 'hello'")
        let detail = try #require(reached.decide([campaign()]).refusals.first).detail
        #expect(detail.contains("'offersPerYear'") && detail.contains("2 offers"), "\(detail)")
    }

    /// Months behind each other, of which those named used a promotional offer.
    private func history(_ offers: [OfferIdentifier?]) -> [TransactionFact] {
        offers.enumerated().map { index, offer in
            let begin = Moment.day(Int64(index - offers.count + 1) * 30)
            return TransactionFact(
                originalTransactionId: "2000000000000001", transactionId: TransactionID("\(index)"),
                productId: "tide.monthly", subscriptionGroupIdentifier: "21500001", type: .autoRenewableSubscription,
                purchaseDate: begin, expiresDate: begin.adding(milliseconds: 30 * Self.day),
                offerType: offer == nil ? nil : .promotionalOffer, offerIdentifier: offer, signedDate: begin)
        }
    }

    @Test func `who cancels again and again to get a discount finds an end of it`() throws {
        let bound = OfferGuard(offersPerYear: nil, savesPerYear: 2, accountsPerSubscription: nil)
        func told(_ offers: [OfferIdentifier?], _ renewal: RenewalFact, at day: Int64 = 5) throws -> String {
            try Asked(transactions: history(offers), renewals: [renewal], guardOf: bound).told(
                [campaign(when: When())], at: Moment.day(day))
        }
        let off = renewal(signed: Moment.day(1), status: .off)
        #expect(try told(["save50", nil, "save50", nil], off) == "cancelledForDiscount")
        // Three months of one offer are one.
        #expect(try told(["save50", "save50", "save50", nil], off) == "keep/save: save50")
        #expect(try told(["save50", "gift_month", nil], off) == "cancelledForDiscount")
        #expect(try told([nil, "save50"], off) == "keep/save: save50")
        // Who renews has cancelled nothing, and who has left is no loop.
        #expect(try told(["save50", nil, "save50", nil], renewal(signed: Moment.day(1))) == "keep/save: save50")
        #expect(try told(["save50", nil, "save50", nil], off, at: 40) == "keep/save: save50")
        let year: [OfferIdentifier?] = ["save50", nil, "save50"] + Array(repeating: nil, count: 11)
        #expect(try told(year, off) == "keep/save: save50")
    }

    @Test func `many accounts on one subscription are found`() throws {
        let bound = OfferGuard(offersPerYear: nil, savesPerYear: nil, accountsPerSubscription: 2)
        let tokens = (1...3).compactMap { UUID(uuidString: "7E3F0000-0000-4000-8000-00000000000\($0)") }
        func told(_ change: @escaping (inout CampaignFacts) -> Void) throws -> String {
            try Asked(transactions: [month(token: tokens[0])], guardOf: bound, change: change)
                .told([campaign(when: When(), offers: [CampaignOffer(.offerCode("THANKS"))]), campaign("b")])
        }
        func by(_ token: UUID, _ days: Double = 3) -> GivenOffer {
            var given = given(days)
            given.appAccountToken = token
            return given
        }
        #expect(try told { $0.given = [by(tokens[1])] } == "b/save: save50")
        #expect(try told { $0.given = [by(tokens[1]), by(tokens[2])] } == "tooManyAccounts tooManyAccounts")
        #expect(try told { $0.given = [by(tokens[1]), by(tokens[2], 5 - 366)] } == "b/save: save50")
    }

    // MARK: - Laws

    @Test func `billing trouble, holdouts and win-backs keep their laws in any history, and the explanation agrees`()
        throws
    {
        let seed = propertySeed()
        print("HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        func some<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &generator)] }
        var gave = 0
        for _ in 0..<2000 {
            let fact = renewal(
                signed: Moment.day(some([1, 20, 30])), status: some([.off, .on, nil]),
                intent: some([nil, .customerCancelled, .billingError]), inRetry: some([nil, true, false]),
                grace: some([nil, Moment.day(46)]), winBack: some([[], ["wb_month_free"]]))
            let campaigns = (0..<3).map { index in
                campaign(
                    CampaignName("c\(index)"), when: When(status: some([nil, .any([.active]), .any([.expired])])),
                    offers: [
                        CampaignOffer(some([.winBackOffer("wb_month_free"), .offerCode("THANKS")])),
                        CampaignOffer(.promotionalOffer("save50")),
                    ]
                ) { $0.holdout = some([nil, Holdout(percent: 50, salt: "\(index)")]) }
            }
            let asked = Asked(
                renewals: [fact],
                change: { $0.arms = some([[:], ["holdout/c0": "heldOut", "holdout/c1": "heldOut"]]) })
            let now = Moment.day(some([0, 5, 29, 30, 31, 45, 46, 89, 90, 91]))
            let facts = try asked.facts()
            let context = CampaignContext(catalog: try CatalogFixtures.tide())
            let set = CampaignSet(campaigns: campaigns)
            let decision = set.decide(facts, via: .app, bundleId: "com.example.tide", in: context, now: now)
            let state = try facts.subscription.status(now).state
            if let chosen = decision.chosen {
                gave += 1
                #expect(state != .billingRetry && state != .billingGracePeriod)
                if case .winBackOffer = chosen.content { #expect(state == .expired) }
                // An arm counts while the file has a holdout.
                if set.campaign(chosen.campaign)?.holdout != nil {
                    #expect(facts.arms["holdout/\(chosen.campaign)"] != "heldOut")
                }
                #expect(!decision.newArms.contains(CampaignArm(key: "holdout/\(chosen.campaign)", arm: "heldOut")))
            }
            for campaign in campaigns {
                let told = try #require(set.explain(campaign.name, facts, via: .app, in: context, now: now))
                let alone = set.decide(
                    facts, via: .app, only: campaign.name, bundleId: "com.example.tide", in: context, now: now)
                #expect(told.decision == alone)
                let used = told.rules.first(where: \.isUsed)
                if let chosen = alone.chosen {
                    #expect(told.pause == nil && told.audience.allSatisfy(\.holds) && told.holdout?.arm != "heldOut")
                    #expect(used?.rule == chosen.rule && used?.conditions.allSatisfy(\.holds) == true)
                    #expect(used?.offers.contains { $0.refusals.isEmpty } == true)
                } else if alone.refusals.map(\.code) == ["noRuleHolds"] {
                    #expect(used == nil && !told.rules.contains { $0.holds && $0.isForDoor })
                }
            }
        }
        #expect(gave > 200, "\(gave) decisions gave something")
    }
}
