import CampaignCore
import FoundationEssentials
import Server

/// One decision of the campaigns for one subscriber, without a server.
enum DecideBench {
    private static let product = ProductID("reader.monthly")
    private static let offer = OfferIdentifier("save_50_3mo")
    private static let subscription = OriginalTransactionID("2000000000000001")

    static let bench = Bench(name: "decide", summary: "one decision with 50 active campaigns", run: run)

    private static func run(_ session: BenchSession) throws(CommandError) {
        session.progress("decisions")
        let now = session.now
        guard let catalog = Catalog.read(storeKitFile: Array(DemoCatalog.text.utf8)).catalog,
            let facts = facts(now: now)
        else { throw .failed("the demo's catalogue cannot be read; please report this") }
        let context = CampaignContext(catalog: catalog)
        let sets: [(what: String, set: CampaignSet, gives: Bool)] = [
            ("one decision, the last of 50 campaigns gives", set(giving: 1), true),
            ("one decision, the first of 50 campaigns gives", set(giving: Limits.benchCampaigns), true),
            ("one decision, none of 50 campaigns gives", set(giving: 0), false),
        ]
        for (what, set, gives) in sets {
            let microseconds = SignatureBench.microseconds(session.seconds(0.02)) {
                let decision = set.decide(facts, via: .app, bundleId: DemoFolder.bundleId, in: context, now: now)
                precondition((decision.chosen != nil) == gives, "the bench knows what it asks for")
            }
            session.add(
                BenchFigure(
                    bench: "decide", what: what, value: microseconds, unit: .microseconds, yardstick: .signature,
                    target: .ratioAtMost(1)))
        }
    }

    /// Fifty active campaigns, of which the last `count` are for the subscriber and their third rule holds; the others
    /// are by turns for other products, and for him with rules that do not hold.
    private static func set(giving count: Int) -> CampaignSet {
        let campaigns = (0..<Limits.benchCampaigns).map { index in
            campaign(
                index, isForHim: index >= Limits.benchCampaigns - count || index.isMultiple(of: 2),
                holds: index >= Limits.benchCampaigns - count)
        }
        return CampaignSet(campaigns: campaigns)
    }

    private static func campaign(_ index: Int, isForHim: Bool, holds: Bool) -> Campaign {
        let day: Int64 = 86_400_000
        let names = isForHim ? ["reader.monthly", "reader.annual"] : ["reader.weekly"]
        let products = Set(names.map { ProductID($0) })
        let rules = ["one", "two", "three", "four", "five"].map { name in
            Rule(
                name: RuleName(name),
                when: When(
                    status: .any(name == "three" && holds ? [.active] : [.expired, .billingRetry]),
                    autoRenewStatus: .any([.off]),
                    untilExpires: SpanRange(atLeastMilliseconds: 2 * day, atMostMilliseconds: 14 * day)),
                via: [.app, .webhook],
                offers: [
                    CampaignOffer(.promotionalOffer(offer), productId: product, variant: VariantName("other")),
                    CampaignOffer(.promotionalOffer(offer), productId: product),
                ])
        }
        return Campaign(
            name: name(index), priority: -index, status: .active,
            audience: Audience(
                bundleId: DemoFolder.bundleId, environment: .production, productId: .any(products),
                inAppOwnershipType: .any([.purchased]), storefront: .not(["CHN"])),
            holdout: Holdout(percent: 10, salt: "bench"),
            variants: [
                Variant(name: VariantName("half"), weight: 50), Variant(name: VariantName("third"), weight: 50),
            ],
            limits: Campaign.Limits(frequencyCaps: [
                FrequencyCap(atMost: 1, per: .rolling(milliseconds: 30 * day)),
                FrequencyCap(atMost: 9, per: .rolling(milliseconds: 365 * day), across: .allCampaigns),
                FrequencyCap(atMost: 1, per: .calendarDay),
            ]),
            rules: rules)
    }

    private static func name(_ index: Int) -> CampaignName { CampaignName("campaign-\(index)") }

    /// A year of a monthly subscriber who has cancelled, with an arm in every campaign and five offers given before.
    private static func facts(now: Instant) -> CampaignFacts? {
        let day: Int64 = 86_400_000
        let transactions = (0..<12).map { month in
            let begin = now.adding(milliseconds: (-20 - Int64(11 - month) * 30) * day)
            return TransactionFact(
                originalTransactionId: subscription,
                transactionId: TransactionID("\(2_000_000_000_000_001 + month)"),
                productId: product, subscriptionGroupIdentifier: SubscriptionGroupIdentifier("21500001"),
                type: .autoRenewableSubscription,
                purchaseDate: begin, expiresDate: begin.adding(milliseconds: 30 * day),
                inAppOwnershipType: .purchased, signedDate: begin)
        }
        var renewal = RenewalFact(originalTransactionId: subscription, signedDate: now.adding(milliseconds: -day))
        renewal.autoRenewStatus = .off
        guard let folded = Subscription(transactions: transactions, renewals: [renewal]) else { return nil }
        var facts = CampaignFacts(environment: .production, subscription: folded)
        facts.transactions = transactions
        for index in 0..<Limits.benchCampaigns {
            facts.arms["holdout/\(name(index))"] = CampaignArm.treated
            facts.arms["variant/\(name(index))"] = "half"
        }
        facts.given = (1...5).map { number in
            var given = GivenOffer(
                campaign: name(number), rule: RuleName("three"),
                givenDate: now.adding(milliseconds: -Int64(number) * 45 * day))
            given.offerType = .promotionalOffer
            given.offerIdentifier = offer
            return given
        }
        return facts
    }
}
