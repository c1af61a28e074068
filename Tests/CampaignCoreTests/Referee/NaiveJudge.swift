import Foundation

@testable import CampaignCore

/// The referee: reads the rules of campaigns from top to bottom as their text has them, with no thought of speed.
///
/// It shares with the product the status of a subscription, the pace of Sandbox and the months of win-back rules, each
/// of which has oracles of its own; all else is written a second time.
final class NaiveJudge {
    let question: RefereeCase
    let catalog: Catalog
    let facts: CampaignFacts
    let now: Int64
    let status: SubscriptionStatus
    var codes: [String] = []
    var newArms: [CampaignArm] = []

    static let yearMilliseconds: Int64 = 365 * 24 * 60 * 60 * 1000

    init(_ question: RefereeCase, catalog: Catalog) {
        self.question = question
        self.catalog = catalog
        facts = question.facts
        now = question.now.millisecondsSince1970
        status = facts.subscription.status(
            at: question.now, catalog: catalog, policy: AccessPolicy(), environment: facts.environment)
    }

    static func verdict(on question: RefereeCase, catalog: Catalog) -> Verdict {
        let judge = NaiveJudge(question, catalog: catalog)
        let chosen = judge.decide()
        return Verdict(chosen: chosen, codes: judge.codes, newArms: judge.newArms)
    }

    private func decide() -> ChosenOffer? {
        let campaigns = question.campaigns
        var asked: [Int] = []
        for (index, campaign) in campaigns.enumerated() {
            if let only = question.only, only != campaign.name { continue }
            if campaign.audience.bundleId != question.bundleId { continue }
            if campaign.audience.environment != facts.environment { continue }
            asked.append(index)
        }
        if asked.isEmpty { codes.append("noCampaign") }
        while !asked.isEmpty {
            var first = 0
            for index in 1..<asked.count where isAsked(campaigns[asked[index]], before: campaigns[asked[first]]) {
                first = index
            }
            if let chosen = ask(campaigns[asked.remove(at: first)]) { return chosen }
        }
        return nil
    }

    private func isAsked(_ one: Campaign, before other: Campaign) -> Bool {
        if one.priority != other.priority { return one.priority > other.priority }
        return one.name.rawValue < other.name.rawValue
    }

    private func ask(_ campaign: Campaign) -> ChosenOffer? {
        if !runs(campaign) { return refuse("campaignNotRunning") }
        if !isInAudience(campaign.audience) { return refuse("notInAudience") }
        if isHeldOut(campaign) { return refuse("heldOut") }
        let variant = variant(campaign)
        let reached = campaign.limits.frequencyCaps.filter { isReached($0, campaign) }
        if !reached.isEmpty {
            for _ in reached { codes.append("frequencyCapReached") }
            return nil
        }
        guard let rule = campaign.rules.first(where: { $0.via.contains(question.via) && holds($0.when) }) else {
            return refuse("noRuleHolds")
        }
        guard let content = give(rule, variant) else { return nil }
        return ChosenOffer(
            campaign: campaign.name, digest: campaign.digest, rule: rule.name, variant: variant, content: content,
            message: rule.message, retentionMessage: rule.retentionMessage)
    }

    private func refuse(_ code: String) -> ChosenOffer? {
        codes.append(code)
        return nil
    }

    // MARK: - Before the rules

    private func runs(_ campaign: Campaign) -> Bool {
        switch campaign.status {
        case .active: break
        case .draft:
            let token = facts.subscription.appAccountToken?.uuidString.lowercased()
            let isTester =
                campaign.testCustomers.contains(facts.subscription.originalTransactionId.rawValue)
                || token != nil && campaign.testCustomers.contains(token!)
            if !isTester { return false }
        case .paused, .ended: return false
        }
        if let starts = campaign.starts, now < starts.millisecondsSince1970 { return false }
        if let ends = campaign.ends, now >= ends.millisecondsSince1970 { return false }
        if let most = campaign.limits.redemptionsAtMost, facts.redemptions[campaign.name] ?? 0 >= most { return false }
        return true
    }

    private func isInAudience(_ audience: Audience) -> Bool {
        let subscription = facts.subscription
        return fits(audience.productId, subscription.productId)
            && fits(audience.subscriptionGroupIdentifier, subscription.subscriptionGroupIdentifier)
            && fits(audience.inAppOwnershipType, subscription.inAppOwnershipType)
            && fits(audience.storefront, subscription.storefront)
    }

    private func fits<Value>(_ wanted: OneOf<Value>?, _ found: Value?) -> Bool {
        guard let wanted else { return true }
        switch wanted {
        case .any(let values): return found != nil && values.contains(found!)
        case .not(let values): return found == nil || !values.contains(found!)
        }
    }

    private func isHeldOut(_ campaign: Campaign) -> Bool {
        guard let holdout = campaign.holdout else { return false }
        let key = holdout.isGlobal ? "holdout/global/\(holdout.salt)" : "holdout/\(campaign.name)"
        if let arm = arm(key) { return arm == "heldOut" }
        let number = number(drawnWith: holdout.salt) % 100
        let isHeldOut = number < UInt64(holdout.percent)
        newArms.append(CampaignArm(key: key, arm: isHeldOut ? "heldOut" : "treated"))
        return isHeldOut
    }

    private func variant(_ campaign: Campaign) -> VariantName? {
        if campaign.variants.isEmpty { return nil }
        let key = "variant/\(campaign.name)"
        if let arm = arm(key) { return VariantName(arm) }
        var shares: [VariantName] = []
        for variant in campaign.variants { shares += Array(repeating: variant.name, count: variant.weight) }
        let drawn = shares[Int(number(drawnWith: key) % UInt64(shares.count))]
        newArms.append(CampaignArm(key: key, arm: drawn.rawValue))
        return drawn
    }

    private func arm(_ key: String) -> String? {
        facts.arms[key] ?? newArms.first { $0.key == key }?.arm
    }

    /// FNV-1a and its finish, as the style guide of the format prints them.
    private func number(drawnWith salt: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(salt)/\(facts.subscription.originalTransactionId)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        hash = (hash ^ (hash >> 32)) &* 0xd6e8_feb8_6659_fd93
        return hash ^ (hash >> 32)
    }

    private func isReached(_ cap: FrequencyCap, _ campaign: Campaign) -> Bool {
        var count = 0
        for given in facts.given where given.outcome != .failed {
            if cap.across == .thisCampaign && given.campaign != campaign.name { continue }
            switch cap.per {
            case .rolling(let milliseconds):
                if given.givenDate.millisecondsSince1970 > now - milliseconds { count += 1 }
            case .calendarDay:
                let zone = facts.zone ?? campaign.limits.quietHours?.zone ?? .utc
                // A clock that was set back leaves grants of days to come, which were given all the same.
                if day(given.givenDate, zone) >= day(question.now, zone) { count += 1 }
            }
        }
        return count >= cap.atMost
    }

    /// Days since 1970 on the wall's calendar.
    private func day(_ instant: Instant, _ zone: TimeZoneRules) -> Int64 {
        (instant.millisecondsSince1970 + zone.secondsFromUTC(at: instant) * 1000) / (24 * 60 * 60 * 1000)
    }

    // MARK: - When a rule holds

    private func holds(_ when: When) -> Bool {
        let subscription = facts.subscription
        let expires = subscription.expiresDate.millisecondsSince1970
        return fits(when.status, status.state)
            && fits(when.autoRenewStatus, status.autoRenewStatus)
            && fits(when.expirationIntent, status.state == .expired ? status.expirationIntent : nil)
            && fits(when.productId, subscription.productId)
            && fits(when.offerType, subscription.offerType)
            && fits(when.pendingChange, status.pendingChange?.kind)
            && isWithin(when.untilExpires, expires > now ? expires - now : nil)
            && isWithin(when.sinceExpired, status.state == .expired ? now - expires : nil)
    }

    private func isWithin(_ range: SpanRange?, _ milliseconds: Int64?) -> Bool {
        guard let range else { return true }
        guard let milliseconds else { return false }
        let clock = AcceleratedClock(facts.subscription, catalog: catalog, environment: facts.environment)
        if let least = range.atLeastMilliseconds, milliseconds < clock.scaled(milliseconds: least) { return false }
        if let most = range.atMostMilliseconds, milliseconds > clock.scaled(milliseconds: most) { return false }
        return true
    }
}
