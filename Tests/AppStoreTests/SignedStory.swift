import AppStore
import CampaignCore
import Crypto
import Foundation
import TestSupport
import Testing

/// What an implementer signed and passed: right at first, then one case spoils it.
struct SignedStory: Sendable {
    var signed = [
        "com.example.tide", "K3YTESTID1", "tide.monthly", "save50", "0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e",
        "a1b2c3d4-e5f6-4711-8899-aabbccddeeff", "1789041600123",
    ]
    var passed = [
        "com.example.tide", "K3YTESTID1", "tide.monthly", "save50", "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E",
        "A1B2C3D4-E5F6-4711-8899-AABBCCDDEEFF", "1789041600123",
    ]
    var separator = "\u{2063}"
    var key = TideKeys.one
    var now = Instant(millisecondsSince1970: 1_789_041_660_000)
    /// From the joined text to the bytes that are signed.
    var message: @Sendable (String) -> [UInt8] = { Array($0.utf8) }
    /// From DER to the text that is passed.
    var encode: @Sendable ([UInt8]) throws -> String = { Data($0).base64EncodedString() }

    func received() throws -> ReceivedSignature {
        let signature = try TideKeys.signature(over: message(signed.joined(separator: separator)), by: key)
        return ReceivedSignature(
            bundleId: passed[0], keyIdentifier: passed[1], productId: passed[2], offerIdentifier: passed[3],
            appAccountToken: passed[4], nonce: passed[5], timestamp: passed[6], signature: try encode(signature))
    }
}

struct SpoiledSignature: Sendable, CustomTestStringConvertible {
    let name: String
    let codes: [String]
    let spoil: @Sendable (inout SignedStory) -> Void
    var testDescription: String { name }

    init(_ name: String, _ codes: [String], _ spoil: @escaping @Sendable (inout SignedStory) -> Void) {
        self.name = name
        self.codes = codes
        self.spoil = spoil
    }

    /// The diagnosis of the spoiled story must give these codes and no others.
    func expectFaults() throws {
        var story = SignedStory()
        spoil(&story)
        let faults = try SignatureCheck.tide(now: story.now).faults(of: story.received())
        #expect(Set(faults.map(\.code)) == Set(codes), "\(faults)")
        #expect(faults.count == codes.count)
        for fault in faults {
            let text = fault.description
            #expect(!text.contains("\n") && !text.hasSuffix(".") && text.contains(where: { ";,".contains($0) }))
            // Neither the token nor the signature belongs in a message.
            #expect(!text.lowercased().contains("0f1e2d3c"))
        }
    }
}

extension SignatureCheck {
    /// The app of the field cases, with two keys.
    static func tide(
        keys: [KeyID] = [TideKeys.one, TideKeys.two], now: Instant = SignedStory().now
    ) throws -> SignatureCheck {
        SignatureCheck(
            keys: try keys.map { .init(keyId: $0, publicKey: try TideKeys.publicKey($0)) },
            bundleIds: [BundleID("com.example.tide"), BundleID("com.example.reader")], issuerIds: [TideKeys.issuerId],
            products: [
                .init(productId: "tide.monthly", offers: "save50", "save30", "welcome"),
                .init(productId: "tide.yearly", offers: "save50", "yearly_half"),
                .init(productId: "tide.plain"),
                .init(productId: "tide.kids.monthly", offers: "kids"),
            ],
            appAccountTokens: ["99999999-AAAA-4BBB-8CCC-DDDDDDDDDDDD"], now: now)
    }
}

extension ReceivedSignature {
    func with(signature: String) -> ReceivedSignature {
        ReceivedSignature(
            bundleId: bundleId, keyIdentifier: keyIdentifier, productId: productId, offerIdentifier: offerIdentifier,
            appAccountToken: appAccountToken, nonce: nonce, timestamp: timestamp, signature: signature)
    }
}

extension SignatureCheck.KnownProduct {
    init(productId: String, offers: String...) {
        self.init(productId: ProductID(productId), offerIdentifiers: offers.map { OfferIdentifier($0) })
    }
}
