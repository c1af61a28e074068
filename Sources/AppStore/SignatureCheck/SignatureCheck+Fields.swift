import CampaignCore
import FoundationEssentials

extension SignatureCheck {
    /// What is wrong with the fields themselves.
    func fieldFaults(of received: ReceivedSignature) -> [SignatureFieldFault] {
        var faults = keyFaults(received.keyIdentifier) + bundleFaults(received.bundleId)
        faults += offerFaults(productId: received.productId, offerIdentifier: received.offerIdentifier)
        if let token = received.appAccountToken, UUID(strict: token) == nil { faults.append(.tokenIsNoUUID) }
        if UUID(strict: received.nonce) == nil { faults.append(.nonceIsNoUUID(received.nonce)) }
        return faults + timestampFaults(received.timestamp)
    }

    func keyFaults(_ received: String) -> [SignatureFieldFault] {
        guard !keys.isEmpty, !keys.contains(where: { $0.keyId.rawValue == received }) else { return [] }
        if let known = keys.first(where: { isSameButForCase($0.keyId.rawValue, received) }) {
            return [.keyIdCase(received: received, known: known.keyId)]
        }
        return [.unknownKeyId(received: received, known: keys.map(\.keyId))]
    }

    func bundleFaults(_ received: String) -> [SignatureFieldFault] {
        guard !bundleIds.isEmpty, !bundleIds.contains(where: { $0.rawValue == received }) else { return [] }
        if let known = bundleIds.first(where: { isSameButForCase($0.rawValue, received) }) {
            return [.bundleIdCase(received: received, known: known)]
        }
        return [.unknownBundleId(received: received, known: bundleIds)]
    }

    /// `offerIdentifier` is nil for a JWS that names no offer.
    func offerFaults(productId: String, offerIdentifier: String?) -> [SignatureFieldFault] {
        guard !products.isEmpty else { return [] }
        let product = products.first { $0.productId.rawValue == productId }
        var faults: [SignatureFieldFault] = product == nil ? [.unknownProduct(productId)] : []
        guard let offerIdentifier else { return faults }
        let offer = OfferIdentifier(offerIdentifier)
        if product?.offerIdentifiers.contains(offer) != true {
            let others = products.filter { $0.offerIdentifiers.contains(offer) }.map(\.productId)
            // An unknown product alone says nothing about an offer that exists.
            if product != nil || others.isEmpty {
                faults.append(.offerNotOnProduct(offer: offerIdentifier, productId: productId, products: others))
            }
        }
        return faults
    }

    private func timestampFaults(_ text: String) -> [SignatureFieldFault] {
        guard let number = Int64(text), String(number) == text, number > 0 else { return [.timestampIsNoNumber(text)] }
        var faults: [SignatureFieldFault] = []
        var timestamp = Instant(millisecondsSince1970: number)
        if SignatureClock.isInSeconds(number) {
            faults.append(.timestampPassedInSeconds(text))
            timestamp = Instant(millisecondsSince1970: number * 1000)
        }
        let expiresDate = timestamp.adding(milliseconds: PromotionalOffer.validityMilliseconds)
        if expiresDate <= now { faults.append(.timestampStale(expiresDate: expiresDate)) }
        if timestamp > now.adding(milliseconds: SignatureCheckLimits.clockSkewMilliseconds) {
            faults.append(.timestampInFuture(timestamp, now: now))
        }
        return faults
    }
}

/// Whether the two differ, and only in the case of their letters.
func isSameButForCase(_ one: String, _ other: String) -> Bool {
    one != other && one.lowercased() == other.lowercased()
}
