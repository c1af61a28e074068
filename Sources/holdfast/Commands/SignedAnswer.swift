import AppStore
import CampaignCore

/// What `sign` made, in the shape of the service's answers.
enum SignedAnswer {
    case promotional(PromotionalOffer, v1: V1Signature?, v2: String?)
    case introductory(productId: ProductID, allows: Bool, compactJWS: String)

    /// What the client passes to StoreKit, under Apple's names.
    var text: String {
        switch self {
        case .promotional(let offer, let v1, let v2):
            var rows = [["productId", offer.productId.rawValue], ["offerIdentifier", offer.offerIdentifier.rawValue]]
            if let v1 {
                rows += [
                    ["v1 keyIdentifier", v1.keyIdentifier], ["v1 nonce", v1.nonce],
                    ["v1 timestamp", String(v1.timestamp)], ["v1 signature", v1.signature],
                    ["v1 appAccountToken", v1.appAccountToken ?? "none; pass none"],
                ]
            }
            if let v2 { rows.append(["v2 compactJWS", v2]) }
            rows.append(["expiresDate", offer.expiresDate.description])
            return lines(rows)
        case .introductory(let productId, let allows, let compactJWS):
            return lines([
                ["productId", productId.rawValue], ["allowIntroductoryOffer", String(allows)],
                ["compactJWS", compactJWS],
            ])
        }
    }

    var json: JSON {
        switch self {
        case .promotional(let offer, let v1, let v2):
            [
                "decision": "offered", "productId": .string(offer.productId.rawValue),
                "offerIdentifier": .string(offer.offerIdentifier.rawValue),
                "expiresDate": .instant(offer.expiresDate),
                "v1": v1.map(Self.json) ?? .null,
                "v2": v2.map { ["compactJWS": .string($0)] } ?? .null,
            ]
        case .introductory(let productId, let allows, let compactJWS):
            [
                "decision": "offered", "productId": .string(productId.rawValue),
                "allowIntroductoryOffer": .bool(allows), "compactJWS": .string(compactJWS),
            ]
        }
    }

    private static func json(_ signature: V1Signature) -> JSON {
        [
            "keyIdentifier": .string(signature.keyIdentifier), "nonce": .string(signature.nonce),
            "timestamp": .integer(signature.timestamp), "signature": .string(signature.signature),
            "appAccountToken": .text(signature.appAccountToken),
        ]
    }

    private func lines(_ rows: [[String]]) -> String { columns(rows).map { $0 + "\n" }.joined() }
}
