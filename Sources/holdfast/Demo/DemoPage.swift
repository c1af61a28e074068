import CampaignCore
import FoundationEssentials
import Server

/// What a running demo prints: where everything is, and lines to paste.
struct DemoPage {
    let demo: Demo

    private static let offered = UUID(
        uuid: (0x5f, 0x0c, 0x7f, 0x0e, 0x8c, 0x1e, 0x4a, 0x34, 0x9a, 0x55, 0, 0, 0, 0, 0, 1))
    private static let refused = UUID(
        uuid: (0x5f, 0x0c, 0x7f, 0x0e, 0x8c, 0x1e, 0x4a, 0x34, 0x9a, 0x55, 0, 0, 0, 0, 0, 2))

    var text: String {
        """
        Holdfast serves \(demo.folder.subscribers.count) subscribers of a private App Store on http://127.0.0.1:\(demo.port)
        Files: \(demo.folder.path)\(demo.folder.isTemporary ? " (removed when the demo stops)" : "")

        1. An offer, signed. Paste it twice: the same requestId gets the same answer.

        \(curl(demo.request(Self.offered, customer: demo.namedCustomer))) | tee \(demo.folder.path)/reply.json

        2. Refused, with every reason: an offer of another product, a customer nobody knows.

        \(curl(demo.request(
            Self.refused, product: "reader.annual",
            customer: [.init("originalTransactionId", "2000001999999999")])))

        3. The signature of 1, checked by OpenSSL alone.

        \(opensslLines)

        Stop with Ctrl-C.

        """
    }

    private func curl(_ body: JSON) -> String {
        """
        curl -s http://127.0.0.1:\(demo.port)/v1/signatures/promotional-offer \\
          -H 'Authorization: Bearer \(demo.clientKey)' \\
          -d '\(String(decoding: body.bytes, as: UTF8.self))'
        """
    }

    /// The seven fields joined by U+2063, the signature decoded once, and OpenSSL's verdict.
    private var opensslLines: String {
        """
        jq -j '["\(DemoFolder.bundleId)", .v1.keyIdentifier, .productId, .offerIdentifier, .v1.appAccountToken // "",
          .v1.nonce, (.v1.timestamp | tostring)] | join("\\u2063")' \(demo.folder.path)/reply.json > \(demo.folder.path)/signed.bin
        jq -r .v1.signature \(demo.folder.path)/reply.json | base64 -d > \(demo.folder.path)/signature.der
        openssl dgst -sha256 -verify \(demo.folder.publicKeyPath) \\
          -signature \(demo.folder.path)/signature.der \(demo.folder.path)/signed.bin
        """
    }
}
