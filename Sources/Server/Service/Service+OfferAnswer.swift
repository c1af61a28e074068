import AppStore
import CampaignCore
import FoundationEssentials
import Storage

extension Service {
    /// Writes what a campaign gave, with the very answer that leaves.
    func remember(
        _ given: GivenAnswer, _ chosen: ChosenOffer, _ decision: CampaignDecision, _ candidate: OfferCandidate,
        _ asking: OfferCase, _ context: LaneContext
    ) throws(SigningFault) -> Response {
        let grantId = context.environment.makeUUID()
        let body = Self.answer(grantId, given, chosen, appAppleId: asking.app.appAppleId).bytes
        var answered = grant(.offered, body, candidate.facts.subscription.originalTransactionId, asking)
        answered.productId = given.productId
        answered.offerIdentifier = given.offerIdentifier
        if let signed = given.signed {
            answered.nonce = signed.offer.nonce
            answered.timestamp = asking.now
            answered.keyId = asking.app.signingKey.keyId
        }
        var kept = CampaignGrant(
            grantId: grantId, subscription: candidate.id, bundleId: asking.app.bundleId,
            environment: asking.asked.environment, campaign: chosen.campaign, rule: chosen.rule, via: OfferRequest.via,
            fileDigest: chosen.digest, givenDate: asking.now)
        kept.variant = chosen.variant
        kept.offerType = given.appleType
        kept.offerIdentifier = given.offerIdentifier
        kept.productId = given.productId
        kept.message = chosen.message
        kept.facts = candidate.facts.json(
            at: asking.now, in: asking.app, newArms: decision.newArms, campaign: chosen.campaign)
        kept.refusals = decision.refusals.json
        kept.appAccountToken = asking.appAccountToken
        try storing { () throws(StorageError) in
            let row = try context.store.insertGrant(answered)
            try context.store.insertCampaignGrant(kept, answer: row)
        }
        let abuse = decision.refusals.map(\.code).filter(Self.abuseCodes.contains)
        context.afterCommit { [counters] in
            counters.count(Grant.Decision.offered.rawValue, on: Route.giveOffer.name)
            counters.countDecision(Grant.Decision.offered.rawValue, campaign: chosen.campaign)
            // Another campaign gave in spite of it, and it is to be seen all the same.
            counters.countRefusals(abuse)
        }
        return .json(body)
    }

    /// What the guard against abuse says.
    private static let abuseCodes: Set<String> = ["offersPerYearReached", "cancelledForDiscount", "tooManyAccounts"]

    /// Writes that nothing was given, with the very answer that leaves.
    func refuse(
        _ asking: OfferCase, _ refusals: [Refusal], _ subscription: OriginalTransactionID?, _ context: LaneContext
    ) throws(SigningFault) -> Response {
        let body = Self.answer(refusals).bytes
        try storing { () throws(StorageError) in
            _ = try context.store.insertGrant(
                grant(.refused, body, subscription ?? asking.customer.subscription, asking))
        }
        let codes = refusals.map(\.code)
        context.afterCommit { [counters] in
            counters.count(Grant.Decision.refused.rawValue, on: Route.giveOffer.name)
            counters.countDecision(Grant.Decision.refused.rawValue, campaign: nil)
            counters.countRefusals(codes)
        }
        return .json(body)
    }

    private func grant(
        _ decision: Grant.Decision, _ body: [UInt8], _ subscription: OriginalTransactionID?, _ asking: OfferCase
    ) -> Grant {
        var grant = Grant(
            requestId: asking.asked.requestId, kind: Route.giveOffer.name, bodyDigest: asking.asked.digest,
            keyName: asking.keyName, bundleId: asking.app.bundleId, environment: asking.asked.environment,
            productId: nil, decision: decision, issuedDate: asking.now,
            expiresDate: asking.now.adding(milliseconds: Limits.offerAnswerMilliseconds), answer: body)
        grant.originalTransactionId = subscription
        grant.appAccountToken = asking.appAccountToken
        return grant
    }

    private static func answer(
        _ grantId: UUID, _ given: GivenAnswer, _ chosen: ChosenOffer, appAppleId: AppAppleID
    ) -> JSON {
        [
            "decision": .string(Grant.Decision.offered.rawValue),
            "grantId": .string(grantId.lowercaseString),
            "campaign": .string(chosen.campaign.rawValue),
            "rule": .string(chosen.rule.rawValue),
            "variant": .text(chosen.variant?.rawValue),
            "offerType": .string(given.offerType),
            "productId": .text(given.productId?.rawValue),
            "offerIdentifier": .text(given.offerIdentifier?.rawValue),
            "expiresDate": .instant(given.expiresDate),
            "v1": given.signed?.v1JSON ?? .null,
            "v2": given.signed?.v2JSON ?? .null,
            "code": .text(given.claimed?.code.rawValue),
            "redemptionURL": .text(given.claimed?.code.redemptionURL(appAppleId: appAppleId)),
            "message": .text(chosen.message?.rawValue),
            "reasons": .array([]),
        ]
    }

    /// The members of an answer between `decision` and `reasons`, which a refusal has as null.
    static let offerMembers = [
        "grantId", "campaign", "rule", "variant", "offerType", "productId", "offerIdentifier", "expiresDate", "v1",
        "v2", "code", "redemptionURL", "message",
    ]

    private static func answer(_ refusals: [Refusal]) -> JSON {
        .object(
            [.init("decision", .string(Grant.Decision.refused.rawValue))] + offerMembers.map { .init($0, .null) } + [
                .init("reasons", refusals.json)
            ])
    }
}
