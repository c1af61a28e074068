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
            if refusals.isEmpty {
                signed = try SignedOffer(
                    asked.wanted.offerIdentifier, on: asked.productId, of: asking.app,
                    appAccountToken: asked.customer.appAccountToken,
                    transactionId: asking.customer.newest?.transactionId, wantsV1: asked.wanted.wantsV1,
                    wantsV2: asked.wanted.wantsV2, now: asking.now, context)
            }
            return SignatureDecision(
                answer: Self.answer(asked, signed, refusals), refusals: refusals, nonce: signed?.offer.nonce,
                offerIdentifier: asked.wanted.offerIdentifier)
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
            "v1": signed?.v1JSON ?? .null,
            "v2": signed?.v2JSON ?? .null,
            "reasons": refusals.json,
        ]
    }
}
