public import CampaignCore
import Crypto
import FoundationEssentials

extension SignatureCheck {
    /// What a compact JWS is meant for; nil values are not compared.
    public struct ExpectedRequest: Sendable {
        public var bundleId: BundleID?
        public var productId: ProductID?
        public var offerIdentifier: OfferIdentifier?
        public var transactionId: TransactionID?

        public init(
            bundleId: BundleID? = nil, productId: ProductID? = nil, offerIdentifier: OfferIdentifier? = nil,
            transactionId: TransactionID? = nil
        ) {
            self.bundleId = bundleId
            self.productId = productId
            self.offerIdentifier = offerIdentifier
            self.transactionId = transactionId
        }
    }

    /// Everything that is wrong with a compact JWS that we sign for StoreKit, a V2 offer or an introductory-offer
    /// eligibility; empty when it is as Apple asks.
    ///
    /// Its age is no fault, because Apple does not publish how long one is good; `notes(onCompactJWS:)` tells it.
    public func faults(
        ofCompactJWS text: String, expected: ExpectedRequest = ExpectedRequest()
    ) -> [SignatureFault] {
        let reader = SignedRequestReader(text)
        var faults = reader.faults
        if let header = reader.header { faults += headerFaults(header) }
        if let signature = reader.signature {
            let keyId = reader.header?["kid"]?.string
            faults += signatureFaults(signature, over: reader.signingInput, keyId: keyId)
        }
        if let claims = reader.claims { faults += claimFaults(claims, expected) }
        return faults
    }

    private func headerFaults(_ header: JSON) -> [SignatureFault] {
        var faults: [SignatureFault] = []
        if header["alg"]?.string != "ES256" { faults.append(.jws(.algorithm(header["alg"]?.string))) }
        if header["typ"]?.string != "JWT" { faults.append(.jws(.type(header["typ"]?.string))) }
        guard let keyId = header["kid"]?.string, !keyId.isEmpty else { return faults + [.jws(.keyIdMissing)] }
        return faults + keyFaults(keyId).map(SignatureFault.field)
    }

    private func signatureFaults(_ signature: [UInt8], over input: [UInt8], keyId: String?) -> [SignatureFault] {
        var faults: [SignatureFault] = []
        var raw = signature
        if let converted = ECDSASignature.raw(fromDER: signature) {
            faults.append(.encoding(.derSignatureInJWS))
            raw = converted
        } else if signature.count != ECDSASignature.rawByteCount {
            return [.encoding(.notARawSignature)]
        }
        guard !keyNames.isEmpty else { return faults + [.jws(.noKeys)] }
        let named = keys.filter { $0.keyId.rawValue == keyId || isSameButForCase($0.keyId.rawValue, keyId ?? "") }
        let others = keys.filter { key in !named.contains { $0.keyId == key.keyId } }
        for (text, fault) in [(input, nil), (SHA256.digest(input), SignedRequestFault.hashedTwice)] {
            let hashing = fault.map { [SignatureFault.jws($0)] } ?? []
            if named.contains(where: { $0.publicKey.isValid(rawSignature: raw, over: text) }) {
                return faults + hashing
            }
            if let other = others.first(where: { $0.publicKey.isValid(rawSignature: raw, over: text) }) {
                return faults + hashing + [.jws(.signedByOtherKey(.known(other.keyId)))]
            }
            if let other = candidates.first(where: { $0.publicKey.isValid(rawSignature: raw, over: text) }) {
                // Where no key is named, that fault is told already and no key can be the wrong one.
                let isNamed = keyId?.isEmpty == false
                return faults + hashing + (isNamed ? [.jws(.signedByOtherKey(.candidate(name: other.name)))] : [])
            }
        }
        return faults + [.jws(.nothingVerifies(keys: keyNames))]
    }

    private func claimFaults(_ claims: JSON, _ expected: ExpectedRequest) -> [SignatureFault] {
        var reader = ClaimReader(claims)
        var faults: [SignatureFault] = []
        if let issuer = reader.text("iss"), !issuerIds.isEmpty,
            !issuerIds.contains(where: { $0.rawValue.lowercased() == issuer.lowercased() })
        {
            faults.append(.jws(.unknownIssuer(issuer, known: issuerIds)))
        }
        faults += issuedAtFaults(&reader)
        if let bundleId = reader.text("bid") {
            faults += bundleFaults(bundleId).map(SignatureFault.field)
            reader.compare("bid", bundleId, with: expected.bundleId?.rawValue)
        }
        if let nonce = reader.text("nonce"), UUID(strict: nonce) == nil {
            faults.append(.field(.nonceIsNoUUID(nonce)))
        }
        let product = reader.text("productId")
        reader.compare("productId", product, with: expected.productId?.rawValue)
        let audience = reader.text("aud")
        var offer: String?
        switch audience {
        case "promotional-offer":
            offer = reader.text("offerIdentifier")
            reader.compare("offerIdentifier", offer, with: expected.offerIdentifier?.rawValue)
            let transactionId = claims["transactionId"] == nil ? nil : reader.text("transactionId")
            reader.compare("transactionId", transactionId, with: expected.transactionId?.rawValue)
        case "introductory-offer-eligibility":
            reader.requireBoolean("allowIntroductoryOffer")
            reader.compare("transactionId", reader.text("transactionId"), with: expected.transactionId?.rawValue)
        case .some(let other): faults.append(.jws(.audience(other)))
        case nil: break
        }
        if let product { faults += offerFaults(productId: product, offerIdentifier: offer).map(SignatureFault.field) }
        if claims["exp"] != nil { faults.append(.jws(.expPresent)) }
        return reader.faults.map(SignatureFault.jws) + faults
    }

    private func issuedAtFaults(_ reader: inout ClaimReader) -> [SignatureFault] {
        guard let number = reader.integer("iat") else { return [] }
        guard SignatureClock.isInSeconds(number) else { return [.jws(.issuedAtInMilliseconds(number))] }
        let issuedAt = Instant(millisecondsSince1970: number * 1000)
        let latest = now.adding(milliseconds: SignatureCheckLimits.clockSkewMilliseconds)
        return issuedAt > latest ? [.jws(.issuedAtInFuture(issuedAt, now: now))] : []
    }
}

/// Reads claims one by one and collects what is wrong with them.
private struct ClaimReader {
    private(set) var faults: [SignedRequestFault] = []
    private let claims: JSON

    init(_ claims: JSON) {
        self.claims = claims
    }

    mutating func text(_ name: String) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else {
            faults.append(.claimOfWrongKind(name: name, expected: "a string", found: value.kind))
            return nil
        }
        guard !text.isEmpty else {
            faults.append(.claimEmpty(name))
            return nil
        }
        return text
    }

    mutating func integer(_ name: String) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.integer else {
            faults.append(.claimOfWrongKind(name: name, expected: "a whole number", found: value.kind))
            return nil
        }
        return number
    }

    mutating func requireBoolean(_ name: String) {
        guard let value = value(name) else { return }
        if case .bool = value { return }
        faults.append(.claimOfWrongKind(name: name, expected: "true or false without quotes", found: value.kind))
    }

    mutating func compare(_ name: String, _ signed: String?, with expected: String?) {
        guard let signed, let expected, signed != expected else { return }
        faults.append(.claimDiffers(name: name, signed: signed, expected: expected))
    }

    private mutating func value(_ name: String) -> JSON? {
        if let value = claims[name] { return value }
        faults.append(.claimMissing(name))
        return nil
    }
}

extension JSON {
    /// The text of a string; nil for every other kind.
    fileprivate var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}
