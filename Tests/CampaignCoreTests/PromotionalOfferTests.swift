import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `V1 signing input` {
    private static func input(token: String?, nonce: String = "A1B2C3D4-E5F6-4711-8899-AABBCCDDEEFF") throws -> String {
        let offer = PromotionalOffer(
            productId: "tide.monthly", offerIdentifier: "save50",
            appAccountToken: try token.map { try #require(UUID(uuidString: $0)) },
            nonce: try #require(UUID(uuidString: nonce)), timestamp: Instant(millisecondsSince1970: 1_789_041_600_000))
        return offer.signingInput(bundleId: "com.example.tide", keyId: "K3YTESTID1")
    }

    /// SHA-256 by the OpenSSL command line.
    private static func digest(_ text: String) throws -> String {
        let openssl = try run("openssl", ["dgst", "-sha256", "-r"], input: Data(text.utf8))
        return String(openssl.text.prefix(64))
    }

    @Test(arguments: ["0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E", "0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e"])
    func `S01 token and nonce are signed in lower case, whatever case they come in`(token: String) throws {
        for nonce in ["A1B2C3D4-E5F6-4711-8899-AABBCCDDEEFF", "a1b2c3d4-e5f6-4711-8899-aabbccddeeff"] {
            let input = try Self.input(token: token, nonce: nonce)
            #expect(input.utf8.count == 147)
            #expect(try Self.digest(input) == "10d045c3ceb13dc61f97c7f31568941dcb813f36cd779b481d3095d02f84e8b9")
        }
    }

    @Test func `S02 without a token its field is empty and both separators stay`() throws {
        let input = try Self.input(token: nil)
        #expect(input.utf8.count == 111)
        #expect(try Self.digest(input) == "aed798ba96bfcbf96aee3a7df37916436c0ec587b1e86ca73115ba87ac6d9340")
    }

    @Test func `the vector of Apple's library comes out, its token aside, which is no UUID`() throws {
        let offer = PromotionalOffer(
            productId: "productId", offerIdentifier: "offerId", appAccountToken: nil,
            nonce: try #require(UUID(uuidString: "20fba8a0-2b80-4a7d-a17f-85c1854727f8")),
            timestamp: Instant(millisecondsSince1970: 1_698_148_900_000))
        let fields = [
            "bundleId", "keyId", "productId", "offerId", "", "20fba8a0-2b80-4a7d-a17f-85c1854727f8", "1698148900000",
        ]
        let expected = Data(fields.map { Data($0.utf8) }.joined(separator: [0xE2, 0x81, 0xA3]))
        #expect(Data(offer.signingInput(bundleId: "bundleId", keyId: "keyId").utf8) == expected)
    }

    @Test(arguments: [nil, "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E"])
    func `what Apple's Python library signs is what we would sign`(token: String?) throws {
        let folder = try TemporaryFolder()
        _ = try run(
            "openssl",
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", folder.path("key.p8")])
        _ = try run("openssl", ["pkey", "-in", folder.path("key.p8"), "-pubout", "-out", folder.path("public.pem")])
        let script = """
            import base64, sys, uuid
            from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
            folder, token = sys.argv[1:]
            key = open(folder + "/key.p8", "rb").read()
            creator = PromotionalOfferSignatureCreator(key, "K3YTESTID1", "com.example.tide")
            signature = creator.create_signature("tide.monthly", "save50", token,
                uuid.UUID("A1B2C3D4-E5F6-4711-8899-AABBCCDDEEFF"), 1789041600000)
            open(folder + "/signature", "wb").write(base64.b64decode(signature))
            """
        let python = try run(Surroundings.python, ["-c", script, folder.url.path, token ?? ""])
        #expect(python.exitCode == 0, "\(python.errorText)")
        try folder.write(try Self.input(token: token), to: "input")
        let verified = try run(
            "openssl",
            [
                "dgst", "-sha256", "-verify", folder.path("public.pem"), "-signature", folder.path("signature"),
                folder.path("input"),
            ])
        #expect(verified.text == "Verified OK\n", "\(verified.errorText)")
    }

    @Test func `S08 the signature is good for 24 hours from its timestamp in milliseconds`() throws {
        let offer = PromotionalOffer(
            productId: "p", offerIdentifier: "o", appAccountToken: nil, nonce: UUID(),
            timestamp: Instant(millisecondsSince1970: 1_789_041_600_000))
        #expect(offer.expiresDate == Instant(millisecondsSince1970: 1_789_128_000_000))
        #expect(offer.signingInput(bundleId: "b", keyId: "k").hasSuffix("\u{2063}1789041600000"))
    }
}
