import AppStore
import CampaignCore
import FoundationEssentials
import Storage
import YAML

extension Service {
    /// `POST /v1/offers`: what the campaigns give one customer now, or why nothing.
    ///
    /// Arms, code, signature, the campaign's grant and the very answer are one commit on the lane.
    func giveOffer(_ request: Request, key: APIKey) throws(Problem) -> LaneWork {
        let route = Route.giveOffer
        var fields = try RequestFields(request.body, of: route.name)
        try authorize(key, for: fields.peek("bundleId"))
        let asked = try OfferRequest(&fields)
        try authorize(key, naming: asked.customer)
        let now = environment.now()
        try limitRate(of: key, from: request.clientAddress, requestId: asked.requestId, now: now)
        // Verified here, on the event loop; judged on the lane, because a used requestId is answered before it.
        let checked = check(asked, key: key, now: now)
        if case .success(let checked) = checked {
            try limitRate(of: key, checked.proof, requestId: asked.requestId, now: now)
        }

        return { [self] context throws(StorageError) in
            let earlier = try earlierAnswer(
                to: asked.requestId, digest: asked.digest, on: route, now: now, context
            ) { grant throws(StorageError) in
                guard try Self.isTakenBack(grant, context.store) else { return false }
                let grantId = JSON.read(grant.answer)?["grantId"]?.string.flatMap { UUID(strict: $0) }
                if let grantId { try context.store.recordTakenBack(grantId, now: now) }
                return true
            }
            if let earlier { return earlier }
            switch checked {
            case .failure(let problem):
                return answer(problem, on: route.name, context)
            case .success(let checked):
                let customer = try knownCustomer(
                    asked.customer, checked.proof, of: checked.app, in: asked.environment, now: now, context.store)
                let asking = OfferCase(
                    asked: asked, app: checked.app, proof: checked.proof, customer: customer, keyName: key.name,
                    now: now)
                do throws(SigningFault) {
                    return try decide(asking, context)
                } catch {
                    switch error {
                    case .storage(let error): throw error
                    case .signing(let error):
                        return answer(
                            Problem(.invalidValue, "\(error)", requestId: asked.requestId), on: route.name, context)
                    }
                }
            }
        }
    }

    /// An offer's request whose values can be.
    private struct CheckedOffer {
        let app: App
        let proof: CustomerProof
    }

    private func check(_ asked: OfferRequest, key: APIKey, now: Instant) -> Result<CheckedOffer, Problem> {
        do throws(Problem) {
            let app = try app(asked.bundleId, in: asked.environment)
            if let campaign = asked.campaign { try check(campaign, of: app, in: asked.environment) }
            let proof = try proof(of: asked.customer, for: app, in: asked.environment).get()
            try checkAge(of: proof, key: key, asked.customer, app: app, now: now)
            return .success(CheckedOffer(app: app, proof: proof))
        } catch {
            return .failure(Problem(error.code, error.detail, fields: error.fields, requestId: asked.requestId))
        }
    }

    /// Refuses a campaign that nobody has configured for the app and environment.
    private func check(
        _ campaign: CampaignName, of app: App, in environment: AppStoreEnvironment
    ) throws(Problem) {
        let all = campaigns.set.campaigns.filter {
            $0.audience.bundleId == app.bundleId && $0.audience.environment == environment
        }
        guard !all.contains(where: { $0.name == campaign }) else { return }
        let near = closestMatch(to: campaign.rawValue, among: all.map(\.name.rawValue))
        throw Problem(
            .unknownCampaign,
            "\(quoted(campaign.rawValue, limit: Limits.quotedValue)) is no campaign of '\(app.bundleId)' in "
                + "'\(environment)'; " + (near.map { "did you mean '\($0)'?" } ?? "'holdfast campaign list' lists all"),
            fields: ["campaign"])
    }

    /// Decides, signs or takes a code, and writes everything that came of it.
    private func decide(_ asking: OfferCase, _ context: LaneContext) throws(SigningFault) -> Response {
        var candidates = try candidates(asking, context)
        guard asking.customer.refusals.isEmpty, let foremost = candidates.first?.facts.subscription else {
            let refusals = asking.customer.refusals
            return try refuse(asking, refusals.isEmpty ? [.neverSubscribed] : refusals, nil, context)
        }
        while true {
            let found = CandidateDecision(
                candidates, by: campaigns.set, only: asking.asked.campaign, of: asking.app, now: asking.now)
            try storing { () throws(StorageError) in
                for drawn in found.arms {
                    try context.store.assignCampaignArms(drawn.arms, to: drawn.subscription, now: asking.now)
                }
            }
            guard let chosen = found.decision.chosen, let candidate = found.candidate else {
                return try refuse(
                    asking, found.decision.refusals, foremost.originalTransactionId, context)
            }
            if let given = try give(chosen, to: candidate, asking, context) {
                return try remember(given, chosen, found.decision, candidate, asking, context)
            }
            // Its pool is empty: the same is decided again, knowing that. Each offer is found empty once.
            guard case .offerCode(let offer, _) = chosen.content,
                candidates.contains(where: { !$0.facts.exhaustedCodes.contains(offer) })
            else {
                return try refuse(asking, found.decision.refusals, foremost.originalTransactionId, context)
            }
            for index in candidates.indices { candidates[index].facts.exhaustedCodes.insert(offer) }
        }
    }

    /// The customer's subscriptions that the request leads to, the foremost first; keeps the time zone that it names.
    private func candidates(
        _ asking: OfferCase, _ context: LaneContext
    ) throws(SigningFault) -> [OfferCandidate] {
        let (asked, app, store) = (asking.asked, asking.app, context.store)
        return try storing { () throws(StorageError) in
            let known = try store.subscriptions(of: asking.customer.transactions, app.bundleId, asked.environment)
            var candidates: [OfferCandidate] = []
            for one in known {
                if let timeZone = asked.timeZone { try store.setTimeZone(timeZone, of: one.id) }
                let history = try SubscriberHistory(
                    of: one.originalTransactionId, app: app.bundleId, environment: asked.environment, store)
                let facts = try history?.campaignFacts(
                    for: campaigns.set, appAccountToken: asking.appAccountToken, zone: context.zone, store)
                if let facts { candidates.append(OfferCandidate(id: one.id, facts: facts)) }
            }
            return candidates.sorted {
                $0.facts.subscription.isForemost(before: $1.facts.subscription, now: asking.now)
            }
        }
    }

    /// Signs the offer or takes its code; nil when the code's pool is empty.
    private func give(
        _ chosen: ChosenOffer, to candidate: OfferCandidate, _ asking: OfferCase, _ context: LaneContext
    ) throws(SigningFault) -> GivenAnswer? {
        switch chosen.content {
        case .promotionalOffer(let offer, let productId):
            var given = GivenAnswer(offerType: "promotionalOffer", appleType: .promotionalOffer)
            given.productId = productId
            given.offerIdentifier = offer
            given.signed = try SignedOffer(
                offer, on: productId, of: asking.app, appAccountToken: asking.appAccountToken,
                transactionId: candidate.facts.subscription.transactionId, now: asking.now, context)
            return given
        case .winBackOffer(let offer, let productId):
            var given = GivenAnswer(offerType: "winBackOffer", appleType: .winBackOffer)
            given.productId = productId
            given.offerIdentifier = offer
            return given
        case .offerCode(let offer, _):
            let ids = Self.codeCustomers(asking.proof, asking.customer)
            guard let id = ids.first else { return nil }
            var claim = CodeClaim(
                bundleId: asking.app.bundleId, environment: asking.asked.environment, offer: offer, customer: id,
                expiryMarginMilliseconds: asking.app.offerCodes.expiryMarginMilliseconds)
            claim.otherIds = Array(ids.dropFirst())
            let claimed = try storing { () throws(StorageError) in
                try context.store.claimCode(claim, now: asking.now)
            }
            guard let claimed else { return nil }
            var given = GivenAnswer(offerType: "offerCode", appleType: .offerCode)
            given.productId = claimed.productId
            given.offerIdentifier = offer
            given.claimed = claimed
            return given
        case .alternateProduct, .message:
            // Another product is given through the door of the App Store alone.
            return GivenAnswer(offerType: "message")
        }
    }
}

/// Runs what touches the database where signatures may fail, too.
func storing<Value>(_ body: () throws(StorageError) -> Value) throws(SigningFault) -> Value {
    do throws(StorageError) {
        return try body()
    } catch {
        throw .storage(error)
    }
}
