public import Crypto

/// A leaf certificate with its private key.
public struct SigningIdentity: Sendable {
    public let certificate: Certificate
    let privateKey: P256PrivateKey

    public init(certificate: Certificate, privateKey: P256PrivateKey) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
