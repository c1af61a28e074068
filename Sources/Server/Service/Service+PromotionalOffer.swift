import AppStore
import CampaignCore
import FoundationEssentials
import Storage

/// What `POST /v1/signatures/promotional-offer` asks for beside the product and the customer.
struct PromotionalOfferWanted: Sendable {
    let offerIdentifier: OfferIdentifier
    let wantsV1: Bool
    let wantsV2: Bool

    /// Reads its fields; nil when one of them is at fault.
    init?(_ fields: inout RequestFields) {
        let offerIdentifier = fields.identifier("offerIdentifier")
        let formats = fields.optionalWords("formats", outOf: Self.formats)
        guard let offerIdentifier else { return nil }
        self.offerIdentifier = OfferIdentifier(offerIdentifier)
        wantsV1 = formats?.contains("v1") ?? true
        wantsV2 = formats?.contains("v2") ?? true
    }

    /// Every word of `formats`.
    static let formats = ["v1", "v2"]
}

extension Service {
    /// What the lane does for `POST /v1/signatures/promotional-offer`.
    func promotionalOffer(_ request: Request, key: APIKey) throws(Problem) -> LaneWork {
        try signOnce(.signPromotionalOffer, request, key: key, read: { PromotionalOfferWanted(&$0) }) {
            (asking, context) throws(SigningFault) in
            let asked = asking.asked
            let refusals =
                asking.customer.refusals
                + asking.app.catalog.promotionalOfferRefusals(
                    of: asked.wanted.offerIdentifier, on: asked.productId,
                    appAccountToken: asked.customer.appAccountToken, subscription: asking.customer.subscription,
                    transactions: asking.customer.transactions)
            var signed: SignedOffer?
            if refusals.isEmpty { signed = try Self.sign(asking, context) }
            return SignatureDecision(
                answer: Self.answer(asked, signed, refusals), refusals: refusals, nonce: signed?.offer.nonce,
                offerIdentifier: asked.wanted.offerIdentifier)
        }
    }

    /// An offer with the signatures that were asked for.
    private struct SignedOffer {
        let offer: PromotionalOffer
        var v1: V1Signature?
        var v2: String?
    }

    private static func sign(
        _ asking: SignatureCase<PromotionalOfferWanted>, _ context: LaneContext
    ) throws(SigningFault) -> SignedOffer {
        let asked = asking.asked
        let wanted = asked.wanted
        let bundleId = asking.app.bundleId
        let signer = context.signer(with: asking.app.signingKey)
        // Each signature is good for one purchase attempt, so each form has a nonce of its own.
        func offer() -> PromotionalOffer {
            PromotionalOffer(
                productId: asked.productId, offerIdentifier: wanted.offerIdentifier,
                appAccountToken: asked.customer.appAccountToken, nonce: context.environment.makeUUID(),
                timestamp: asking.now)
        }
        let first = offer()
        do throws(OfferSigningError) {
            return SignedOffer(
                offer: first, v1: wanted.wantsV1 ? try signer.v1(first, bundleId: bundleId) : nil,
                v2: wanted.wantsV2
                    ? try signer.v2(
                        wanted.wantsV1 ? offer() : first, bundleId: bundleId,
                        transactionId: asking.customer.newest?.transactionId) : nil)
        } catch {
            throw .signing(error)
        }
    }

    private static func answer(
        _ asked: SignatureRequest<PromotionalOfferWanted>, _ signed: SignedOffer?, _ refusals: [Refusal]
    ) -> JSON {
        [
            "decision": .string(signed == nil ? "refused" : "offered"),
            "productId": .string(asked.productId.rawValue),
            "offerIdentifier": .string(asked.wanted.offerIdentifier.rawValue),
            "expiresDate": .instant(signed?.offer.expiresDate),
            "v1": signed?.v1.map(json) ?? .null,
            "v2": signed?.v2.map { ["compactJWS": .string($0)] } ?? .null,
            "reasons": refusals.json,
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
