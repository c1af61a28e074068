import CampaignCore
import Crypto
import FoundationEssentials
import Storage
import YAML

/// The path and body of `POST /v1/offers/{grantId}/outcome`.
struct OfferOutcomeRequest: Sendable {
    let grantId: UUID
    let requestId: UUID
    let outcome: GivenOffer.Outcome
    /// The app's own word about a purchase that failed.
    let error: String?
    /// SHA-256 that tells one request from another, the path included.
    let digest: [UInt8]

    init(_ fields: inout RequestFields, grantId argument: String) throws(Problem) {
        let requestId = fields.uuid("requestId")
        let word = fields.text("outcome")
        let outcome = word.flatMap { GivenOffer.Outcome(rawValue: $0) }
        if let word, outcome == nil {
            let all = GivenOffer.Outcome.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            fields.refuse(
                "outcome", "'outcome' is \(quoted(word, limit: Limits.quotedValue)); it is one of \(all)")
        }
        error = fields.optionalText("error")
        if let error, error.utf8.count > Limits.outcomeErrorBytes {
            fields.refuse("error", "'error' has more than \(Limits.outcomeErrorBytes) bytes; send its code alone")
        }
        let grantId = UUID(strict: argument)
        if grantId == nil {
            fields.refuse(
                "grantId",
                "'grantId' is \(quoted(argument, limit: Limits.quotedValue)); send the UUID that came with the offer")
        }
        if let problem = fields.shapeProblem(requestId: requestId) ?? fields.valueProblem(requestId: requestId) {
            throw problem
        }
        guard let requestId, let outcome, let grantId else {
            throw Problem(.internalFault, "a field was neither read nor refused; please report this request")
        }
        self.requestId = requestId
        self.outcome = outcome
        self.grantId = grantId
        digest = SHA256.digest(fields.digested + Array(grantId.lowercaseString.utf8))
    }
}

extension Service {
    /// `POST /v1/offers/{grantId}/outcome`: what became of an offer, by the app that it was given to.
    ///
    /// The id is random, so whoever knows it was given the offer, and a device needs no other proof.
    func recordOutcome(_ request: Request, _ match: Route.Match, key: APIKey) throws(Problem) -> LaneWork {
        let route = Route.recordOutcome
        var fields = try RequestFields(request.body, of: route.name)
        let asked = try OfferOutcomeRequest(&fields, grantId: match.argument)
        let now = environment.now()
        try limitRate(of: key, from: request.clientAddress, requestId: asked.requestId, now: now)
        return { [self] context throws(StorageError) in
            let earlier = try earlierAnswer(
                to: asked.requestId, digest: asked.digest, on: route, now: now, context)
            if let earlier { return earlier }
            // A key of another app is told nothing.
            guard let given = try context.store.campaignGrant(asked.grantId),
                key.bundleId.map({ $0 == given.bundleId }) ?? true,
                let outcome = try context.store.recordCampaignOutcome(
                    asked.outcome, error: asked.error, of: asked.grantId, now: now)
            else {
                return answer(
                    Problem(
                        .notFound, "no offer was given under this id; send the 'grantId' of the answer that gave it",
                        fields: ["grantId"], requestId: asked.requestId), on: route.name, context)
            }
            let body =
                ([
                    "grantId": .string(asked.grantId.lowercaseString), "outcome": .string(outcome.rawValue),
                ] as JSON).bytes
            try context.store.insertGrant(
                Grant(
                    requestId: asked.requestId, kind: route.name, bodyDigest: asked.digest, keyName: key.name,
                    bundleId: given.bundleId, environment: given.environment, productId: nil, decision: .recorded,
                    issuedDate: now, expiresDate: now.adding(milliseconds: Limits.offerAnswerMilliseconds),
                    answer: body))
            context.afterCommit { [counters] in counters.count(asked.outcome.rawValue, on: route.name) }
            return .json(body)
        }
    }
}
