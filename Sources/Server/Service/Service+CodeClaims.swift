import AppStore
import CampaignCore
import FoundationEssentials
import Storage
import YAML

extension Service {
    /// `POST /v1/codes/claims`: one code of an offer for one customer, the same one whenever they ask again.
    ///
    /// Code, ledger and the grant with the very answer are one commit on the lane, which many claims share.
    func claimCode(_ request: Request, key: APIKey) throws(Problem) -> LaneWork {
        let route = Route.claimCode
        var fields = try RequestFields(request.body, of: route.name)
        try authorize(key, for: fields.peek("bundleId"))
        let asked = try CodeClaimRequest(&fields, from: key.role)
        try authorize(key, claiming: asked)
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
            ) { grant throws(StorageError) in try Self.isTakenBack(grant, context.store) }
            if let earlier { return earlier }
            switch checked {
            case .failure(let problem):
                return answer(problem, on: route.name, context)
            case .success(let checked):
                return try claim(asked, checked, keyName: key.name, now: now, context)
            }
        }
    }

    /// Whether the code that the grant gave was released or made void since; it may be another customer's by now.
    static func isTakenBack(_ grant: Grant, _ store: Store) throws(StorageError) -> Bool {
        guard let text = JSON.read(grant.answer)?["code"]?.string,
            let code = OfferCode(rawValue: text)
        else { return false }
        return try !store.isClaimed(
            code, bundleId: grant.bundleId, environment: grant.environment, since: grant.issuedDate)
    }

    /// A claim whose values can be.
    private struct CheckedClaim {
        let app: App
        let proof: CustomerProof
    }

    private func check(
        _ asked: CodeClaimRequest, key: APIKey, now: Instant
    ) -> Result<CheckedClaim, Problem> {
        do throws(Problem) {
            let app = try app(asked.bundleId, in: asked.environment)
            let proof = try proof(of: asked.proof, for: app, in: asked.environment).get()
            try checkAge(of: proof, key: key, asked.proof, app: app, now: now)
            if asked.customer == nil, RateLimitedCustomer(proof) == nil {
                throw Problem(
                    .unverifiableProof, "'signedAppTransactionInfo' has no 'appTransactionId', so it names nobody",
                    fields: ["signedAppTransactionInfo"])
            }
            return .success(CheckedClaim(app: app, proof: proof))
        } catch {
            return .failure(Problem(error.code, error.detail, fields: error.fields, requestId: asked.requestId))
        }
    }

    /// Decides, takes the code and writes the grant.
    private func claim(
        _ asked: CodeClaimRequest, _ checked: CheckedClaim, keyName: String, now: Instant, _ context: LaneContext
    ) throws(StorageError) -> Response {
        let app = checked.app
        var refusals: [Refusal] = []
        if let missing = app.catalog.missingCodeOffer(asked.offer) { refusals.append(missing) }
        var subscription: OriginalTransactionID?
        var ids = [asked.customer].compactMap(\.self)
        if asked.hasProof {
            let customer = try knownCustomer(
                asked.proof, checked.proof, of: app, in: asked.environment, now: now, context.store)
            refusals += customer.refusals
            subscription = customer.newest?.originalTransactionId ?? customer.subscription
            if ids.isEmpty { ids = Self.codeCustomers(checked.proof, customer) }
        }
        var claimed: ClaimedCode?
        if refusals.isEmpty, let id = ids.first {
            var claim = CodeClaim(
                bundleId: app.bundleId, environment: asked.environment, offer: asked.offer, customer: id,
                expiryMarginMilliseconds: app.offerCodes.expiryMarginMilliseconds)
            claim.otherIds = Array(ids.dropFirst())
            claimed = try context.store.claimCode(claim, now: now)
            if claimed == nil {
                refusals.append(.codePoolExhausted(offer: asked.offer, environment: asked.environment))
            }
        }
        let body = Self.answer(asked, claimed, refusals, appAppleId: app.appAppleId).bytes
        var grant = Grant(
            requestId: asked.requestId, kind: Route.claimCode.name, bodyDigest: asked.digest, keyName: keyName,
            bundleId: app.bundleId, environment: asked.environment, productId: claimed?.productId,
            decision: claimed == nil ? .refused : .granted, issuedDate: now,
            expiresDate: now.adding(milliseconds: Limits.claimAnswerMilliseconds), answer: body)
        grant.offerIdentifier = asked.offer
        grant.originalTransactionId = subscription
        // Many callers use the account token as their own id; then an erasure finds the grant by it.
        grant.appAccountToken = asked.customer.flatMap { UUID(strict: $0) }
        try context.store.insertGrant(grant)
        let (outcome, codes) = (grant.decision.rawValue, refusals.map(\.code))
        context.afterCommit { [counters] in
            counters.count(outcome, on: Route.claimCode.name)
            counters.countRefusals(codes)
        }
        return .json(body)
    }

    /// The ids of a customer whom a proof names: of the proof itself first, then of what is known of them.
    static func codeCustomers(_ proof: CustomerProof, _ customer: KnownCustomer) -> [String] {
        var downloads = [proof.appTransaction?.appTransactionId, proof.transaction?.appTransactionId]
            .compactMap(\.self)
        var subscriptions = [proof.transaction?.originalTransactionId].compactMap(\.self)
        for fact in customer.transactions {
            if let download = fact.appTransactionId, !downloads.contains(download) { downloads.append(download) }
            if !subscriptions.contains(fact.originalTransactionId) {
                subscriptions.append(fact.originalTransactionId)
            }
        }
        return CodeCustomer.proven(downloads: downloads, subscriptions: subscriptions)
    }

    private static func answer(
        _ asked: CodeClaimRequest, _ claimed: ClaimedCode?, _ refusals: [Refusal], appAppleId: AppAppleID
    ) -> JSON {
        [
            "decision": .string(claimed == nil ? "refused" : "granted"),
            "offer": .string(asked.offer.rawValue),
            "productId": .text(claimed?.productId.rawValue),
            "code": .text(claimed?.code.rawValue),
            "redemptionURL": .text(claimed?.code.redemptionURL(appAppleId: appAppleId)),
            "expiresDate": .instant(claimed?.expiresDate),
            "reasons": refusals.json,
        ]
    }
}

extension Catalog {
    /// Why there are no codes of `offer`; nil when a subscription has a code offer of that name.
    func missingCodeOffer(_ offer: OfferIdentifier) -> Refusal? {
        let names = subscriptions.flatMap(\.codeOffers).compactMap(\.offerIdentifier)
        if names.contains(offer) { return nil }
        let nearest = closestMatch(to: offer.rawValue, among: names.map(\.rawValue)).map(OfferIdentifier.init(_:))
        return .noCodeOffer(offer: offer, nearest: nearest)
    }
}
