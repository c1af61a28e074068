import AppStore
import CampaignCore
import FoundationEssentials
import Storage

/// What `POST /v1/signatures/introductory-offer-eligibility` asks for beside the product and the customer.
struct IntroductoryOfferWanted: Sendable {
    /// Any transaction of the customer, or the text of their `appTransactionId`.
    let transactionId: TransactionID
    /// Nil leaves the judgement to our own eligibility.
    let allowIntroductoryOffer: Bool?

    /// Reads its fields; nil when one of them is at fault.
    init?(_ fields: inout RequestFields) {
        let transactionId = fields.transactionId("transactionId")
        allowIntroductoryOffer = fields.optionalBool("allowIntroductoryOffer")
        guard let transactionId else { return nil }
        self.transactionId = TransactionID(transactionId)
    }
}

// The signed claim overrules Apple's own judgement in both directions, so what is signed is what somebody meant: the
// caller's explicit true or false, else a true that our own eligibility stands for. When it does not, nothing is
// signed: the answer is a refusal with its reasons, and a client that does without the claim leaves the judgement to
// Apple, who may know of purchases that we do not.
extension Service {
    /// What the lane does for `POST /v1/signatures/introductory-offer-eligibility`.
    func introductoryOfferEligibility(_ request: Request, key: APIKey) throws(Problem) -> LaneWork {
        try signOnce(.signIntroductoryOfferEligibility, request, key: key, read: { IntroductoryOfferWanted(&$0) }) {
            (asking, context) throws(SigningFault) in
            let refusals = try Self.introductoryOfferRefusals(asking, context.store)
            var compactJWS: String?
            var nonce: UUID?
            let allowed = refusals.isEmpty && asking.asked.wanted.allowIntroductoryOffer ?? true
            if refusals.isEmpty {
                let made = context.environment.makeUUID()
                compactJWS = try Self.sign(asking, allowed: allowed, nonce: made, context)
                nonce = made
            }
            return SignatureDecision(
                answer: [
                    "decision": .string(refusals.isEmpty ? "offered" : "refused"),
                    "allowIntroductoryOffer": .bool(allowed),
                    "compactJWS": .text(compactJWS),
                    "reasons": refusals.json,
                ], refusals: refusals, nonce: nonce)
        }
    }

    private static func introductoryOfferRefusals(
        _ asking: SignatureCase<IntroductoryOfferWanted>, _ store: Store
    ) throws(SigningFault) -> [Refusal] {
        let asked = asking.asked
        let history: IntroductoryOfferHistory
        do throws(StorageError) {
            history = try IntroductoryOfferHistory(asking, store)
        } catch {
            throw .storage(error)
        }
        let ofCustomer =
            asking.customer.refusals + history.refusals
            + asking.customer.transactions.refusals(
                of: asked.customer.appAccountToken, for: asking.customer.subscription)
        let judged = asking.app.catalog.introductoryOfferRefusals(
            on: asked.productId, transactions: history.transactions, subscriptions: history.subscriptions,
            environment: asked.environment, now: asking.now)
        // A device key is public: its word may take the offer away, never give it to someone who is not eligible.
        let isSaid = asked.wanted.allowIntroductoryOffer.map { !$0 || asking.key.role != .device } ?? false
        // Where there is no offer there is nothing to allow or to deny, whatever the caller says.
        let ofProduct = judged.filter { if case .noIntroductoryOffer = $0 { true } else { !isSaid } }
        return ofProduct + ofCustomer
    }

    private static func sign(
        _ asking: SignatureCase<IntroductoryOfferWanted>, allowed: Bool, nonce: UUID, _ context: LaneContext
    ) throws(SigningFault) -> String {
        do throws(OfferSigningError) {
            return try context.signer(with: asking.app.signingKey).introductoryOfferEligibility(
                productId: asking.asked.productId, allowIntroductoryOffer: allowed,
                transactionId: asking.asked.wanted.transactionId, bundleId: asking.app.bundleId, nonce: nonce,
                issuedAt: asking.now)
        } catch {
            throw .signing(error)
        }
    }
}
