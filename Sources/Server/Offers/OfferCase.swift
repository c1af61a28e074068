import CampaignCore
import FoundationEssentials
import Storage

/// A request for an offer whose values can be, with what the database knows of its customer.
struct OfferCase {
    let asked: OfferRequest
    let app: App
    let proof: CustomerProof
    let customer: KnownCustomer
    let keyName: String
    let now: Instant

    /// The token to sign: the request's own.
    var appAccountToken: UUID? { asked.customer.appAccountToken }
}

/// One subscription of the customer with what campaigns read of it.
struct OfferCandidate {
    let id: SubscriptionRowID
    var facts: CampaignFacts
}

/// What the campaigns decided for the subscriptions of a customer.
struct CandidateDecision {
    /// Whom `decision` is about; nil when no campaign gives anything.
    let candidate: OfferCandidate?
    let decision: CampaignDecision
    /// The arms that each subscription drew.
    let arms: [(subscription: SubscriptionRowID, arms: [CampaignArm])]

    /// Decides for each, and takes what the campaign that is asked first gives; `candidates` have the foremost first.
    ///
    /// When nothing is given the refusals are those of all, each once.
    init(
        _ candidates: [OfferCandidate], by set: CampaignSet, only: CampaignName?, of app: App, now: Instant
    ) {
        var best: (place: Int, candidate: OfferCandidate, decision: CampaignDecision)?
        var refusals: [Refusal] = []
        var arms: [(subscription: SubscriptionRowID, arms: [CampaignArm])] = []
        let context = app.campaignContext
        for candidate in candidates {
            let decision = set.decide(
                candidate.facts, via: OfferRequest.via, only: only, bundleId: app.bundleId, in: context, now: now)
            arms.append((candidate.id, decision.newArms))
            refusals += decision.refusals.filter { !refusals.contains($0) }
            guard let chosen = decision.chosen,
                let place = set.campaigns.firstIndex(where: { $0.name == chosen.campaign })
            else { continue }
            if best.map({ place < $0.place }) ?? true { best = (place, candidate, decision) }
        }
        candidate = best?.candidate
        decision = best?.decision ?? CampaignDecision(refusals: refusals)
        self.arms = arms
    }
}

/// What leaves with an offer, in the words of the answer.
struct GivenAnswer {
    /// Apple's word, or `message`.
    let offerType: String
    var appleType: OfferType?
    var productId: ProductID?
    var offerIdentifier: OfferIdentifier?
    var signed: SignedOffer?
    var claimed: ClaimedCode?

    /// Until when the signature or the code is good; nil for what needs neither.
    var expiresDate: Instant? { signed?.offer.expiresDate ?? claimed?.expiresDate }
}
