import Foundation

@testable import CampaignCore

// What the used rule gives, and why an offer of it is not given.

extension NaiveJudge {
    func give(_ rule: Rule, _ variant: VariantName?) -> ChosenOffer.Content? {
        if rule.offers.isEmpty {
            if rule.message != nil { return .message }
            if rule.retentionMessage != nil, question.via == .retentionMessage { return .message }
            return nil
        }
        let offers = inAppleOrder(rule.offers.filter { isTried($0, variant) })
        if offers.isEmpty {
            codes.append("noOfferForVariant")
            return nil
        }
        if status.state == .billingRetry || status.state == .billingGracePeriod {
            codes.append("inBillingRetry")
            return nil
        }
        if status.state == .expired, status.expirationIntent == .billingError {
            codes.append("billingErrorNoDiscount")
            return nil
        }
        let guardCodes = guardCodes()
        if !guardCodes.isEmpty {
            codes += guardCodes
            return nil
        }
        var ofAll: [String] = []
        for offer in offers {
            let (content, refusals) = judge(offer)
            if refusals.isEmpty { return content }
            ofAll += refusals
        }
        codes += ofAll
        return nil
    }

    private func isTried(_ offer: CampaignOffer, _ variant: VariantName?) -> Bool {
        if case .alternateProduct = offer.kind, question.via != .retentionMessage { return false }
        return offer.variant == nil || offer.variant == variant
    }

    /// The win-back offers change places among themselves until they follow Apple's list.
    private func inAppleOrder(_ offers: [CampaignOffer]) -> [CampaignOffer] {
        var offers = offers
        let list = subscriptions(of: group(of: facts.subscription)).map(\.eligibleWinBackOfferIds).first { !$0.isEmpty }
        guard let list else { return offers }
        let places = offers.indices.filter { if case .winBackOffer = offers[$0].kind { true } else { false } }
        var rest = places.map { offers[$0] }
        for place in places {
            // The one that the list has first; of those that it lacks the file's first.
            let next =
                list.lazy.compactMap { listed in rest.firstIndex { $0.kind == .winBackOffer(listed) } }.first ?? 0
            offers[place] = rest.remove(at: next)
        }
        return offers
    }

    private func judge(_ offer: CampaignOffer) -> (ChosenOffer.Content, [String]) {
        switch offer.kind {
        case .promotionalOffer(let identifier): promotional(identifier, offer.productId)
        case .winBackOffer(let identifier): winBack(identifier, offer.productId)
        case .offerCode(let identifier): code(identifier, offer.productId)
        case .alternateProduct(let product):
            (
                .alternateProduct(product),
                product != facts.subscription.productId && catalog.subscription(product) != nil
                    && catalog.group(of: product)?.identifier == group(of: facts.subscription)?.identifier
                    ? [] : ["alternateProductOutsideGroup"]
            )
        }
    }

    // MARK: - Abuse

    private func guardCodes() -> [String] {
        var refused: [String] = []
        let bounds = question.offerGuard
        let begin = now - Self.yearMilliseconds
        if let most = bounds.offersPerYear {
            let offers = facts.given.filter {
                $0.offerType != nil && $0.outcome != .failed && $0.givenDate.millisecondsSince1970 > begin
            }
            if offers.count >= most { refused.append("offersPerYearReached") }
        }
        if let most = bounds.savesPerYear, status.state == .active, status.autoRenewStatus == .off {
            if redeemed(since: begin) >= most { refused.append("cancelledForDiscount") }
        }
        if let most = bounds.accountsPerSubscription {
            var accounts: [UUID] = []
            for transaction in facts.transactions
            where transaction.originalTransactionId == facts.subscription.originalTransactionId
                && transaction.purchaseDate.millisecondsSince1970 > begin
            {
                if let token = transaction.appAccountToken { accounts.append(token) }
            }
            for given in facts.given where given.givenDate.millisecondsSince1970 > begin {
                if let token = given.appAccountToken { accounts.append(token) }
            }
            if let token = facts.appAccountToken { accounts.append(token) }
            if Set(accounts).count > most { refused.append("tooManyAccounts") }
        }
        return refused
    }

    /// How many promotional offers were redeemed; one that runs over several periods counts once.
    private func redeemed(since begin: Int64) -> Int {
        let inOrder = facts.transactions
            .filter { $0.originalTransactionId == facts.subscription.originalTransactionId }
            .sorted { place($0) < place($1) }
        var count = 0
        for (index, transaction) in inOrder.enumerated()
        where transaction.offerType == .promotionalOffer && transaction.purchaseDate.millisecondsSince1970 > begin {
            let predecessor = index > 0 ? inOrder[index - 1].offerIdentifier : nil
            if predecessor == nil || predecessor != transaction.offerIdentifier { count += 1 }
        }
        return count
    }

    /// Of two periods that begin together the one that an upgrade replaced is the earlier, then the lesser number.
    private func place(_ transaction: TransactionFact) -> (Int64, Int, Int) {
        (
            transaction.purchaseDate.millisecondsSince1970, transaction.isUpgraded ? 0 : 1,
            Int(transaction.transactionId.rawValue) ?? .max
        )
    }

    // MARK: - Promotional offers

    private func promotional(_ identifier: OfferIdentifier, _ named: ProductID?) -> (ChosenOffer.Content, [String]) {
        let all = catalog.groups.flatMap(\.subscriptions)
            .filter { $0.promotionalOffers.contains { $0.offerIdentifier == identifier } }.map(\.productId)
        let current = facts.subscription.productId
        let product = named ?? (all.contains(current) || all.count != 1 ? current : all[0])
        var refused: [String] = []
        if !all.contains(product) { refused.append("offerNotOnProduct") }
        if facts.transactions.allSatisfy({ $0.type != .autoRenewableSubscription }) {
            refused.append("neverSubscribed")
        }
        var known: TransactionFact?
        for transaction in facts.transactions
        where transaction.originalTransactionId == facts.subscription.originalTransactionId
            && transaction.appAccountToken != nil
        {
            if known == nil || known!.signedDate < transaction.signedDate { known = transaction }
        }
        if let asked = facts.appAccountToken, let known, known.appAccountToken != asked {
            refused.append("appAccountTokenDiffers")
        }
        return (.promotionalOffer(identifier, productId: product), refused)
    }

    // MARK: - Where the customer stands in a group

    private func group(of subscription: Subscription) -> SubscriptionGroup? {
        catalog.group(of: subscription.productId)
            ?? catalog.groups.first { $0.identifier == subscription.subscriptionGroupIdentifier }
    }

    private func isIn(_ group: SubscriptionGroup, _ product: ProductID, _ signed: SubscriptionGroupIdentifier?) -> Bool
    {
        signed == group.identifier || group.subscriptions.contains { $0.productId == product }
    }

    /// The newest first.
    private func subscriptions(of group: SubscriptionGroup?) -> [Subscription] {
        guard let group else { return [] }
        return facts.subscriptions.filter { isIn(group, $0.productId, $0.subscriptionGroupIdentifier) }
            .sorted {
                $0.purchaseDate == $1.purchaseDate
                    ? $0.originalTransactionId > $1.originalTransactionId : $0.purchaseDate > $1.purchaseDate
            }
    }

    private func state(_ subscription: Subscription) -> SubscriptionStatus.State {
        subscription.status(
            at: question.now, catalog: catalog, policy: AccessPolicy(), environment: facts.environment
        ).state
    }

    private func periods(of group: SubscriptionGroup) -> [TransactionFact] {
        facts.transactions.filter {
            $0.type == .autoRenewableSubscription && isIn(group, $0.productId, $0.subscriptionGroupIdentifier)
        }
    }

    private func winBack(_ identifier: OfferIdentifier, _ named: ProductID?) -> (ChosenOffer.Content, [String]) {
        for group in catalog.groups {
            for product in group.subscriptions
            where product.winBackOffers.contains(where: { $0.offerIdentifier == identifier })
                && (named == nil || named == product.productId)
            {
                return (
                    .winBackOffer(identifier, productId: product.productId), winBackRefusals(identifier, group)
                )
            }
        }
        return (.message, ["winBackEligibilityUnknown"])
    }

    private func winBackRefusals(_ identifier: OfferIdentifier, _ group: SubscriptionGroup) -> [String] {
        let subscriptions = subscriptions(of: group)
        if subscriptions.isEmpty { return ["neverSubscribedInGroup"] }
        let states = subscriptions.map(state)
        var refused: [String] = []
        if states.contains(.active) { refused.append("stillSubscribed") }
        if states.contains(.billingRetry) || states.contains(.billingGracePeriod) { refused.append("inBillingRetry") }
        if states[0] == .revoked { refused.append("subscriptionRevoked") }
        if !refused.isEmpty { return refused }
        let list = subscriptions.map(\.eligibleWinBackOfferIds).first { !$0.isEmpty }
        if list != nil || question.isWinBackListKnown {
            return list?.contains(identifier) == true ? [] : ["notInEligibleWinBackOfferIds"]
        }
        guard let months = question.winBackRules[identifier] else { return ["winBackEligibilityUnknown"] }
        return months.refusals(of: identifier, transactions: periods(of: group), now: question.now).map(\.code)
    }

    // MARK: - Offer codes

    private func code(_ identifier: OfferIdentifier, _ named: ProductID?) -> (ChosenOffer.Content, [String]) {
        var first: (product: ProductID, refusals: [String])?
        for group in catalog.groups {
            for product in group.subscriptions where named == nil || named == product.productId {
                guard let terms = product.codeOffers.first(where: { $0.offerIdentifier == identifier })?.codeTerms
                else {
                    continue
                }
                let refused = codeRefusals(identifier, terms.eligibility, product, group)
                if first == nil || (refused.isEmpty && !first!.refusals.isEmpty) {
                    first = (product.productId, refused)
                }
            }
        }
        guard var first else { return (.message, ["noCodeOffer"]) }
        if first.refusals.isEmpty, facts.exhaustedCodes.contains(identifier) {
            first.refusals.append("codePoolExhausted")
        }
        return (.offerCode(identifier, productId: first.product), first.refusals)
    }

    private func codeRefusals(
        _ identifier: OfferIdentifier, _ eligibility: Set<CodeEligibility>, _ product: SubscriptionProduct,
        _ group: SubscriptionGroup
    ) -> [String] {
        let subscriptions = subscriptions(of: group)
        let differs = ["codeEligibilityDiffers"]
        let renews = { (one: Subscription) -> Bool in
            switch self.state(one) {
            case .billingRetry, .billingGracePeriod: true
            case .active: one.autoRenewStatus != .off
            default: false
            }
        }
        var refused: [String] = []
        if subscriptions.isEmpty {
            if !eligibility.contains(.new) { refused = differs }
        } else if let existing = subscriptions.first(where: renews) {
            let level = catalog.subscription(existing.productId)?.level
            if !eligibility.contains(.existing) {
                refused = differs
            } else if let level, level < product.level,
                catalog.subscription(existing.productId)?.subscriptionGroupIdentifier == group.identifier
            {
                refused = ["codeWouldDowngrade"]
            }
        } else if subscriptions.contains(where: { state($0) == .active }) {
            refused = ["cancelledButActive"]
        } else if state(subscriptions[0]) == .revoked {
            refused = ["subscriptionRevoked"]
        } else if !eligibility.contains(.expired) {
            refused = differs
        }
        let isUsed = periods(of: group).contains { $0.offerType == .offerCode && $0.offerIdentifier == identifier }
        if facts.environment == .production, isUsed { refused.append("offerCodeUsed") }
        return refused
    }
}
