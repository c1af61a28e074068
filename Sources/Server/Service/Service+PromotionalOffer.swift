import AppStore
import CampaignCore
import FoundationEssentials
import Storage
import YAML

extension Service {
    /// What the lane does for `POST /v1/signatures/promotional-offer`: reads, decides, signs, and records the answer.
    func promotionalOffer(_ request: Request, key: APIKey) throws(Problem) -> LaneWork {
        let route = Route.signPromotionalOffer
        var fields = try RequestFields(request.body, of: route.name)
        try authorize(key, for: fields.peek("bundleId"))
        let asked = try PromotionalOfferRequest(&fields)
        try authorize(key, naming: asked.customer)
        let now = environment.now()
        // Verified here, on the event loop; judged on the lane, because a used requestId is answered before it.
        let checked = check(asked, key: key, now: now)

        return { [self] context throws(StorageError) in
            if let earlier = try context.store.newestGrant(requestId: asked.requestId) {
                guard earlier.bodyDigest == asked.digest else {
                    return answer(
                        Problem(
                            .requestIdReused, "send a new requestId with another body; this one was used before",
                            fields: ["requestId"], requestId: asked.requestId),
                        on: route.name, context)
                }
                if now < earlier.expiresDate {
                    context.afterCommit { [counters] in counters.count("repeated", on: route.name) }
                    return .json(earlier.answer)
                }
            }
            switch checked {
            case .failure(let problem):
                return answer(problem, on: route.name, context)
            case .success(let checked):
                return try offer(asked, checked, key: key, now: now, context)
            }
        }
    }

    /// A request whose values can be: its app, and what its customer proved.
    private struct Checked {
        let app: App
        let proof: CustomerProof
    }

    private func check(_ asked: PromotionalOfferRequest, key: APIKey, now: Instant) -> Result<Checked, Problem> {
        do throws(Problem) {
            let app = try app(asked.bundleId, in: asked.environment)
            guard app.catalog.subscription(asked.productId) != nil else {
                throw Problem(
                    .unknownProduct,
                    "\(quoted(asked.productId.rawValue, limit: Limits.quotedValue)) is no subscription in the catalogue of '\(app.bundleId)'; "
                        + "'holdfast catalog show' lists them", fields: ["productId"])
            }
            let proof = try proof(of: asked.customer, for: app, in: asked.environment).get()
            try checkAge(of: proof, key: key, asked.customer, app: app, now: now)
            return .success(Checked(app: app, proof: proof))
        } catch {
            return .failure(
                Problem(error.code, error.detail, fields: error.fields, requestId: asked.requestId))
        }
    }

    /// The configured app, when it serves `environment`.
    func app(_ bundleId: BundleID, in environment: AppStoreEnvironment) throws(Problem) -> App {
        guard let app = apps[bundleId] else {
            throw Problem(
                .unknownApp,
                "\(quoted(bundleId.rawValue, limit: Limits.quotedValue)) is no configured app; add it under 'apps'",
                fields: ["bundleId"])
        }
        guard app.environments.contains(environment) else {
            let served = app.environments.map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .unknownEnvironment,
                "\(quoted(environment.rawValue, limit: Limits.quotedValue)) is not served for '\(bundleId)'; it is one of \(served)",
                fields: ["environment"])
        }
        return app
    }

    /// Decides, signs when there is no reason against it, and writes the grant with the very answer that leaves.
    private func offer(
        _ asked: PromotionalOfferRequest, _ checked: Checked, key: APIKey, now: Instant, _ context: LaneContext
    ) throws(StorageError) -> Response {
        let app = checked.app
        let route = Route.signPromotionalOffer.name
        let customer = try knownCustomer(asked.customer, checked.proof, of: app, in: asked.environment, context.store)
        let refusals =
            customer.refusals
            + app.catalog.promotionalOfferRefusals(
                of: asked.offerIdentifier, on: asked.productId, appAccountToken: asked.customer.appAccountToken,
                subscription: customer.subscription, transactions: customer.transactions)
        let signed: SignedOffer?
        do throws(OfferSigningError) {
            signed = refusals.isEmpty ? try sign(asked, for: customer, of: app, now: now, context) : nil
        } catch {
            return answer(Problem(.invalidValue, "\(error)", requestId: asked.requestId), on: route, context)
        }

        let answer = Self.answer(asked, signed, refusals).bytes
        var grant = Grant(
            requestId: asked.requestId, kind: route, bodyDigest: asked.digest, keyName: key.name,
            bundleId: asked.bundleId, environment: asked.environment, productId: asked.productId,
            decision: signed == nil ? .refused : .offered, issuedDate: now,
            expiresDate: now.adding(milliseconds: PromotionalOffer.validityMilliseconds), answer: answer)
        grant.offerIdentifier = asked.offerIdentifier
        grant.originalTransactionId = customer.newest?.originalTransactionId
        grant.appAccountToken = asked.customer.appAccountToken
        if let signed {
            grant.nonce = signed.offer.nonce
            grant.timestamp = signed.offer.timestamp
            grant.keyId = app.signingKey.keyId
        }
        try context.store.insertGrant(grant)
        let decision = grant.decision.rawValue
        context.afterCommit { [counters] in
            counters.count(decision, on: route)
            if !refusals.isEmpty { counters.countRefusals(refusals.map(\.code)) }
        }
        return .json(answer)
    }

    /// An offer with the signatures that were asked for.
    private struct SignedOffer {
        let offer: PromotionalOffer
        var v1: V1Signature?
        var v2: String?
    }

    private func sign(
        _ asked: PromotionalOfferRequest, for customer: KnownCustomer, of app: App, now: Instant, _ context: LaneContext
    ) throws(OfferSigningError) -> SignedOffer {
        let signer = context.signer(with: app.signingKey)
        // Each signature is good for one purchase attempt, so each form has a nonce of its own.
        func offer() -> PromotionalOffer {
            PromotionalOffer(
                productId: asked.productId, offerIdentifier: asked.offerIdentifier,
                appAccountToken: asked.customer.appAccountToken, nonce: context.environment.makeUUID(), timestamp: now)
        }
        let first = offer()
        return SignedOffer(
            offer: first, v1: asked.wantsV1 ? try signer.v1(first, bundleId: app.bundleId) : nil,
            v2: asked.wantsV2
                ? try signer.v2(
                    asked.wantsV1 ? offer() : first, bundleId: app.bundleId,
                    transactionId: customer.newest?.transactionId) : nil)
    }

    private static func answer(_ asked: PromotionalOfferRequest, _ signed: SignedOffer?, _ refusals: [Refusal]) -> JSON
    {
        [
            "decision": .string(signed == nil ? "refused" : "offered"),
            "productId": .string(asked.productId.rawValue),
            "offerIdentifier": .string(asked.offerIdentifier.rawValue),
            "expiresDate": .instant(signed?.offer.expiresDate),
            "v1": signed?.v1.map(json) ?? .null,
            "v2": signed?.v2.map { ["compactJWS": .string($0)] } ?? .null,
            "reasons": .array(refusals.map { ["code": .string($0.code), "detail": .string($0.detail)] }),
        ]
    }

    private static func json(_ signature: V1Signature) -> JSON {
        [
            "keyIdentifier": .string(signature.keyIdentifier),
            "nonce": .string(signature.nonce),
            "timestamp": .integer(signature.timestamp),
            "signature": .string(signature.signature),
            "appAccountToken": .text(signature.appAccountToken),
        ]
    }
}
