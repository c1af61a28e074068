import CampaignCore
import Crypto

/// Signs simulated notifications, many a second.
///
/// It keeps the written header of each leaf and OpenSSL's contexts, so it belongs to one thread and is not `Sendable`.
/// Every payload has a signature of its own, the inner ones too: none can be used for another payload.
public final class NotificationSigner {
    private let appStore: PrivateAppStore
    private var leaf: SigningLeaf?

    public init(_ appStore: PrivateAppStore) {
        self.appStore = appStore
    }

    /// The `signedPayload` of `event`, with keys in Apple's order.
    ///
    /// Throws `noCertificate` for a date at which no leaf of the App Store was valid.
    public func signedPayload(_ event: SimulatedEvent) throws(PrivateAppStoreError) -> String {
        let leaf = try leaf(at: event.signedDate)
        let transaction = event.transaction.map { leaf.sign(JSON($0)) }
        let renewalInfo = event.renewalInfo.map { leaf.sign(JSON($0)) }
        return leaf.sign(JSON(event.notification, transaction: transaction, renewalInfo: renewalInfo))
    }

    private func leaf(at date: Instant) throws(PrivateAppStoreError) -> SigningLeaf {
        if let leaf, leaf.validity.contains(date.millisecondsSince1970) { return leaf }
        let identity = try appStore.identity(at: date)
        let header = try appStore.header(of: identity)
        let found = SigningLeaf(
            validity: identity.certificate.notBefore..<identity.certificate.notAfter,
            signer: P256Signer(identity.privateKey), header: Array((Base64URL.encode(header) + ".").utf8))
        leaf = found
        return found
    }
}

/// A leaf with the header that it writes before every payload.
private struct SigningLeaf {
    let validity: Range<Int64>
    let signer: P256Signer
    /// In Base64URL, with the point after it.
    let header: [UInt8]

    func sign(_ payload: JSON) -> String {
        var text = header
        text.append(contentsOf: Base64URL.encode(payload.bytes).utf8)
        let signature = signer.rawSignature(over: text)
        text.append(UInt8(ascii: "."))
        text.append(contentsOf: Base64URL.encode(signature).utf8)
        return String(decoding: text, as: UTF8.self)
    }
}
