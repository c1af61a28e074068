public import CampaignCore
public import Crypto

/// An In-App Purchase key of App Store Connect with the names that its signatures carry.
///
/// It prints as its `keyId`; the private key is for `OfferSigner` alone.
public struct SigningKey: Sendable {
    public let keyId: KeyID
    public let issuerId: IssuerID

    let privateKey: P256PrivateKey

    public init(keyId: KeyID, issuerId: IssuerID, privateKey: P256PrivateKey) {
        self.keyId = keyId
        self.issuerId = issuerId
        self.privateKey = privateKey
    }

    /// What checks this key's signatures.
    public var publicKey: P256PublicKey { privateKey.publicKey }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "SigningKey(keyId: \(keyId))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["keyId": keyId.rawValue]) }
}
