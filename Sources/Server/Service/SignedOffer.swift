import AppStore
import CampaignCore
import FoundationEssentials

/// A promotional offer with the signatures that were asked for.
struct SignedOffer {
    let offer: PromotionalOffer
    let v1: V1Signature?
    let v2: String?

    /// Signs on the lane, with the app's first key.
    ///
    /// - Parameters:
    ///   - appAccountToken: the request's own, because the client has to pass the same to StoreKit.
    ///   - transactionId: of the customer; it makes V2 fit one customer alone, as Apple recommends.
    init(
        _ offerIdentifier: OfferIdentifier, on productId: ProductID, of app: App, appAccountToken: UUID?,
        transactionId: TransactionID?, wantsV1: Bool = true, wantsV2: Bool = true, now: Instant,
        _ context: LaneContext
    ) throws(SigningFault) {
        let signer = context.signer(with: app.signingKey)
        // Each signature is good for one purchase attempt, so each form has a nonce of its own.
        func offer() -> PromotionalOffer {
            PromotionalOffer(
                productId: productId, offerIdentifier: offerIdentifier, appAccountToken: appAccountToken,
                nonce: context.environment.makeUUID(), timestamp: now)
        }
        let first = offer()
        do throws(OfferSigningError) {
            v1 = wantsV1 ? try signer.v1(first, bundleId: app.bundleId) : nil
            v2 =
                wantsV2
                ? try signer.v2(wantsV1 ? offer() : first, bundleId: app.bundleId, transactionId: transactionId) : nil
        } catch {
            throw .signing(error)
        }
        self.offer = first
    }

    /// As every route answers it.
    var v1JSON: JSON {
        guard let v1 else { return .null }
        return [
            "keyIdentifier": .string(v1.keyIdentifier),
            "nonce": .string(v1.nonce),
            "timestamp": .integer(v1.timestamp),
            "signature": .string(v1.signature),
            "appAccountToken": .text(v1.appAccountToken),
        ]
    }

    var v2JSON: JSON { v2.map { ["compactJWS": .string($0)] } ?? .null }
}
