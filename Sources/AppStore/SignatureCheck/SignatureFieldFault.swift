public import CampaignCore

/// A passed field, or a claim of a JWS, that is wrong whatever was signed.
public enum SignatureFieldFault: Hashable, Sendable {
    case unknownKeyId(received: String, known: [KeyID])
    case keyIdCase(received: String, known: KeyID)
    case unknownBundleId(received: String, known: [BundleID])
    case bundleIdCase(received: String, known: BundleID)
    case unknownProduct(String)
    /// `products` are those that have the offer.
    case offerNotOnProduct(offer: String, productId: String, products: [ProductID])
    case tokenIsNoUUID
    case nonceIsNoUUID(String)
    case timestampIsNoNumber(String)
    case timestampPassedInSeconds(String)
    case timestampStale(expiresDate: Instant)
    case timestampInFuture(Instant, now: Instant)

    public var code: String {
        switch self {
        case .unknownKeyId: "unknownKeyId"
        case .keyIdCase: "keyIdCase"
        case .unknownBundleId: "unknownBundleId"
        case .bundleIdCase: "bundleIdCase"
        case .unknownProduct: "unknownProduct"
        case .offerNotOnProduct: "offerNotOnProduct"
        case .tokenIsNoUUID: "tokenIsNoUUID"
        case .nonceIsNoUUID: "nonceIsNoUUID"
        case .timestampIsNoNumber: "timestampIsNoNumber"
        case .timestampPassedInSeconds: "timestampPassedInSeconds"
        case .timestampStale: "timestampStale"
        case .timestampInFuture: "timestampInFuture"
        }
    }
}

extension SignatureFieldFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownKeyId(let received, let known):
            "the key id is \(quoted(received)), and the keys here are \(list(known)); "
                + "pass the id of the key that signs, or configure that key"
        case .keyIdCase(let received, let known):
            "the key id is \(quoted(received)) where App Store Connect writes \(quoted(known.rawValue)); keep its case"
        case .unknownBundleId(let received, let known):
            "the bundle id is \(quoted(received)), and the apps here are \(list(known)); sign for the app that buys"
        case .bundleIdCase(let received, let known):
            "the bundle id is \(quoted(received)) where App Store Connect writes '\(known)'; keep its case"
        case .unknownProduct(let product):
            "the catalogue has no product \(quoted(product)); check the spelling, or export the catalogue again"
        case .offerNotOnProduct(let offer, let productId, let products):
            products.isEmpty
                ? "no product of the catalogue has a promotional offer \(quoted(offer)); check the spelling"
                : "the offer \(quoted(offer)) is not on product \(quoted(productId)) but on \(list(products)); "
                    + "use the product that has it"
        case .tokenIsNoUUID:
            "the appAccountToken is no UUID, which StoreKit 2 requires; pass the customer's UUID and not its name"
        case .nonceIsNoUUID(let nonce): "the nonce \(quoted(nonce)) is no UUID; pass the nonce that was signed"
        case .timestampIsNoNumber(let text):
            "the timestamp \(quoted(text)) is no whole number above zero; "
                + "pass the integer of milliseconds that was signed"
        case .timestampPassedInSeconds(let text):
            "the timestamp \(quoted(text)) is in seconds; pass the milliseconds that were signed"
        case .timestampStale(let expiresDate):
            "the signature ran out at '\(expiresDate)', 24 hours after its timestamp; ask for a new one per purchase"
        case .timestampInFuture(let timestamp, let now):
            "the timestamp is '\(timestamp)' and it is '\(now)'; set the signing server's clock, and use milliseconds"
        }
    }

    private func list<Tag>(_ names: [Tagged<Tag>]) -> String {
        listed(names.map(\.rawValue))
    }
}

/// The first of `names` in quotes, and how many more there are.
func listed(_ names: [String], _ shownInQuotes: (String) -> String = { quoted($0) }) -> String {
    let shown = names.prefix(SignatureCheckLimits.listedProducts).map(shownInQuotes)
    let more = names.count - shown.count
    guard !shown.isEmpty else { return "none" }
    return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
}
