public import CampaignCore
public import Crypto

/// Diagnoses signatures that the App Store refuses, by trying what implementers get wrong.
///
/// It holds what is known for certain; what was received is compared with it. Nothing here signs or reads a clock.
public struct SignatureCheck: Sendable {
    /// A public key with the id that App Store Connect gave it.
    public struct KnownKey: Sendable {
        public let keyId: KeyID
        public let publicKey: P256PublicKey

        public init(keyId: KeyID, publicKey: P256PublicKey) {
            self.keyId = keyId
            self.publicKey = publicKey
        }
    }

    /// A key that may have made a signature although no key id is known for it.
    public struct Candidate: Sendable {
        /// What a sentence calls it, such as the path of its file.
        public let name: String
        public let publicKey: P256PublicKey

        public init(name: String, publicKey: P256PublicKey) {
            self.name = name
            self.publicKey = publicKey
        }
    }

    /// A product of the catalogue with the promotional offers on it.
    public struct KnownProduct: Sendable {
        public let productId: ProductID
        public let offerIdentifiers: [OfferIdentifier]

        public init(productId: ProductID, offerIdentifiers: [OfferIdentifier]) {
            self.productId = productId
            self.offerIdentifiers = offerIdentifiers
        }
    }

    public let keys: [KnownKey]
    /// A signature that one of these made is by the wrong key, whatever key id it names.
    public let candidates: [Candidate]
    public let bundleIds: [BundleID]
    public let issuerIds: [IssuerID]
    public let products: [KnownProduct]
    /// Tokens the customer is known by; one of them may have been signed without being passed.
    public let appAccountTokens: [String]
    public let now: Instant

    /// - Parameters:
    ///   - keys: every key whose id and public half are at hand, no two of one id unless either may be right.
    ///   - candidates: other keys at hand; without any key nothing can be proven.
    ///   - bundleIds: the apps; empty when they are not known, and then not judged. So are `issuerIds` and `products`.
    ///   - now: the instant at which validity is judged.
    public init(
        keys: [KnownKey], candidates: [Candidate] = [], bundleIds: [BundleID], issuerIds: [IssuerID],
        products: [KnownProduct],
        appAccountTokens: [String] = [], now: Instant
    ) {
        self.keys = keys
        self.candidates = candidates
        self.bundleIds = bundleIds
        self.issuerIds = issuerIds
        self.products = products
        self.appAccountTokens = appAccountTokens
        self.now = now
    }

    /// Everything that is wrong with a V1 signature; empty when StoreKit would accept it at `now`.
    ///
    /// Finds up to two mistakes in what was signed, beside any in the passed fields and in the signature's encoding.
    public func faults(of received: ReceivedSignature) -> [SignatureFault] {
        let reading = SignatureText.readDER(received.signature)
        let fields = fieldFaults(of: received).map(SignatureFault.field)
        guard !reading.candidates.isEmpty else { return reading.faults.map(SignatureFault.encoding) + fields }
        var search = SigningInputSearch(self, received, reading.candidates)
        guard let found = search.run() else {
            let reading = reading.candidates.count == 1 ? reading.candidates[0].faults : []
            let reason: SigningInputFault =
                keyNames.isEmpty ? .noKeys : .nothingVerifies(tried: search.tried, keys: keyNames)
            return reading.map(SignatureFault.encoding) + fields + [.signingInput(reason)]
        }
        return found.encoding.map(SignatureFault.encoding) + fields + found.input.map(SignatureFault.signingInput)
    }

    /// What every key that is tried is called.
    var keyNames: [String] { keys.map(\.keyId.rawValue) + candidates.map(\.name) }
}

/// A V1 signature as it reached StoreKit: every field is the text exactly as it was received.
public struct ReceivedSignature: Sendable {
    public let bundleId: String
    public let keyIdentifier: String
    public let productId: String
    public let offerIdentifier: String
    /// What the client passes as `appAccountToken`; nil or empty when it passes none.
    public let appAccountToken: String?
    public let nonce: String
    public let timestamp: String
    public let signature: String

    public init(
        bundleId: String, keyIdentifier: String, productId: String, offerIdentifier: String, appAccountToken: String?,
        nonce: String, timestamp: String, signature: String
    ) {
        self.bundleId = bundleId
        self.keyIdentifier = keyIdentifier
        self.productId = productId
        self.offerIdentifier = offerIdentifier
        self.appAccountToken = appAccountToken == "" ? nil : appAccountToken
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
    }
}
