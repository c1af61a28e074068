import AppStore
import CampaignCore
import FoundationEssentials
import Storage
import YAML

/// A request for a signature whose values can be, with what the database knows of its customer.
struct SignatureCase<Wanted: Sendable> {
    let asked: SignatureRequest<Wanted>
    let app: App
    let proof: CustomerProof
    let customer: KnownCustomer
    let key: APIKey
    let now: Instant
}

/// What a route decided for one request: the answer that leaves, and what its grant remembers of it.
struct SignatureDecision {
    /// The body of the answer.
    let answer: JSON
    /// Why nothing was signed; empty when something was.
    let refusals: [Refusal]
    /// Of the signature, the first one when there are two; nil when nothing was signed.
    var nonce: UUID?
    var offerIdentifier: OfferIdentifier?
}

extension Service {
    /// The way of every route that signs: check, find an earlier answer, or else decide once and remember the answer.
    ///
    /// - Parameters:
    ///   - read: reads the route's own fields; nil when one of them is at fault.
    ///   - decide: the route's own decision, with its signature; it runs on the lane, at most once a request.
    func signOnce<Wanted>(
        _ route: Route, _ request: Request, key: APIKey, read: (inout RequestFields) -> Wanted?,
        decide: @escaping @Sendable (SignatureCase<Wanted>, LaneContext) throws(SigningFault) -> SignatureDecision
    ) throws(Problem) -> LaneWork {
        var fields = try RequestFields(request.body, of: route.name)
        try authorize(key, for: fields.peek("bundleId"))
        let asked = try SignatureRequest(&fields, read)
        try authorize(key, naming: asked.customer)
        let now = environment.now()
        try limitRate(of: key, from: request.clientAddress, requestId: asked.requestId, now: now)
        // Verified here, on the event loop; judged on the lane, because a used requestId is answered before it.
        let checked = check(asked, key: key, now: now)
        if case .success(let checked) = checked {
            try limitRate(of: key, checked.proof, requestId: asked.requestId, now: now)
        }

        return { [self] context throws(StorageError) in
            if let earlier = try earlierAnswer(
                to: asked.requestId, digest: asked.digest, on: route, now: now, context)
            {
                return earlier
            }
            switch checked {
            case .failure(let problem):
                return answer(problem, on: route.name, context)
            case .success(let checked):
                let customer = try knownCustomer(
                    asked.customer, checked.proof, of: checked.app, in: asked.environment, now: now, context.store)
                let signatureCase = SignatureCase(
                    asked: asked, app: checked.app, proof: checked.proof, customer: customer, key: key, now: now)
                do throws(SigningFault) {
                    return try remember(try decide(signatureCase, context), for: signatureCase, on: route, context)
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

    /// The answer that `requestId` got before, or that it was used with another body; nil when it has to be decided.
    ///
    /// - Parameter isTakenBack: whether what the grant gave is the customer's no more, so that it is decided anew.
    func earlierAnswer(
        to requestId: UUID, digest: [UInt8], on route: Route, now: Instant, _ context: LaneContext,
        unless isTakenBack: (Grant) throws(StorageError) -> Bool = { _ in false }
    ) throws(StorageError) -> Response? {
        guard let earlier = try context.store.newestGrant(requestId: requestId) else { return nil }
        guard earlier.bodyDigest == digest else {
            return answer(Self.requestIdReused(requestId), on: route.name, context)
        }
        guard now < earlier.expiresDate else { return nil }
        if try isTakenBack(earlier) { return nil }
        context.afterCommit { [counters] in counters.count("repeated", on: route.name) }
        return .json(earlier.answer)
    }

    static func requestIdReused(_ requestId: UUID) -> Problem {
        Problem(
            .requestIdReused, "send a new requestId with another body; this one was used before",
            fields: ["requestId"], requestId: requestId)
    }

    /// Writes the grant with the very answer that leaves.
    private func remember<Wanted>(
        _ decision: SignatureDecision, for signatureCase: SignatureCase<Wanted>, on route: Route,
        _ context: LaneContext
    ) throws(SigningFault) -> Response {
        let asked = signatureCase.asked
        let now = signatureCase.now
        let answer = decision.answer.bytes
        var grant = Grant(
            requestId: asked.requestId, kind: route.name, bodyDigest: asked.digest, keyName: signatureCase.key.name,
            bundleId: asked.bundleId, environment: asked.environment, productId: asked.productId,
            decision: decision.refusals.isEmpty ? .offered : .refused, issuedDate: now,
            expiresDate: now.adding(milliseconds: PromotionalOffer.validityMilliseconds), answer: answer)
        grant.offerIdentifier = decision.offerIdentifier
        grant.originalTransactionId = signatureCase.customer.newest?.originalTransactionId
        grant.appAccountToken = asked.customer.appAccountToken
        if let nonce = decision.nonce {
            grant.nonce = nonce
            grant.timestamp = now
            grant.keyId = signatureCase.app.signingKey.keyId
        }
        do throws(StorageError) {
            try context.store.insertGrant(grant)
        } catch {
            throw .storage(error)
        }
        let (outcome, refusals) = (grant.decision.rawValue, decision.refusals)
        context.afterCommit { [counters] in
            counters.count(outcome, on: route.name)
            if !refusals.isEmpty { counters.countRefusals(refusals.map(\.code)) }
        }
        return .json(answer)
    }

    /// A request whose values can be: its app, and what its customer proved.
    private struct Checked {
        let app: App
        let proof: CustomerProof
    }

    private func check<Wanted>(
        _ asked: SignatureRequest<Wanted>, key: APIKey, now: Instant
    ) -> Result<Checked, Problem> {
        do throws(Problem) {
            let app = try app(asked.bundleId, in: asked.environment)
            guard app.catalog.subscription(asked.productId) != nil else {
                throw Self.unknownProduct(asked.productId, of: app)
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
}

/// Why a decision could not be carried out: the database failed, or a value cannot be signed.
enum SigningFault: Error {
    case storage(StorageError)
    case signing(OfferSigningError)
}

extension [Refusal] {
    /// The `reasons` of an answer.
    var json: JSON { .array(map { ["code": .string($0.code), "detail": .string($0.detail)] }) }
}
