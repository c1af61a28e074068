import AppStore
import CampaignCore
import Crypto
import Foundation
import TestSupport
import Testing

struct OfferSignerTests {
    static let bundleId = BundleID("com.example.tide")
    let bundleId = Self.bundleId

    /// The offer of field case S01; its UUIDs are given in capitals.
    static func offer(token: String? = "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E") throws -> PromotionalOffer {
        PromotionalOffer(
            productId: ProductID("tide.monthly"), offerIdentifier: OfferIdentifier("save50"),
            appAccountToken: try token.map { try #require(UUID(uuidString: $0)) },
            nonce: try #require(UUID(uuidString: "A1B2C3D4-E5F6-4711-8899-AABBCCDDEEFF")),
            timestamp: Instant(millisecondsSince1970: 1_789_041_600_000))
    }

    /// The signed text written out by hand, so that nothing of ours has put it together.
    static let text =
        "com.example.tide\u{2063}K3YTESTID1\u{2063}tide.monthly\u{2063}save50\u{2063}"
        + "0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e\u{2063}a1b2c3d4-e5f6-4711-8899-aabbccddeeff\u{2063}1789041600000"
    static let textWithoutToken =
        "com.example.tide\u{2063}K3YTESTID1\u{2063}tide.monthly\u{2063}save50\u{2063}\u{2063}"
        + "a1b2c3d4-e5f6-4711-8899-aabbccddeeff\u{2063}1789041600000"

    @Test func `S01 signs nonce and token in lower case and returns them so`() throws {
        #expect(SHA256.hex(Array(Self.text.utf8)) == "10d045c3ceb13dc61f97c7f31568941dcb813f36cd779b481d3095d02f84e8b9")
        let signature = try OfferSigner(TideKeys.signingKey()).v1(Self.offer(), bundleId: bundleId)
        let der = try #require(Data(base64Encoded: signature.signature))
        #expect(try TideKeys.verifies(Array(der), over: Array(Self.text.utf8), keyId: TideKeys.one))
        #expect(signature.keyIdentifier == "K3YTESTID1")
        #expect(signature.nonce == "a1b2c3d4-e5f6-4711-8899-aabbccddeeff")
        #expect(signature.appAccountToken == "0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e")
        #expect(signature.timestamp == 1_789_041_600_000)
    }

    @Test func `S02 keeps the empty field when there is no token`() throws {
        let text = Array(Self.textWithoutToken.utf8)
        #expect(text.count == 111)
        #expect(SHA256.hex(text) == "aed798ba96bfcbf96aee3a7df37916436c0ec587b1e86ca73115ba87ac6d9340")
        let signature = try OfferSigner(TideKeys.signingKey()).v1(Self.offer(token: nil), bundleId: bundleId)
        let der = try #require(Data(base64Encoded: signature.signature))
        #expect(try TideKeys.verifies(Array(der), over: text, keyId: TideKeys.one))
        #expect(signature.appAccountToken == nil)
    }

    @Test func `S03 the signature decodes once to DER`() throws {
        let signer = OfferSigner(try TideKeys.signingKey())
        for _ in 0..<50 {
            let text = try signer.v1(Self.offer(), bundleId: bundleId).signature
            let data = try #require(Data(base64Encoded: text))
            #expect(data.base64EncodedString() == text)
            #expect(data.first == 0x30)
            #expect((68...72).contains(data.count))
        }
    }

    @Test func `S04 signs DER for V1 and r and s for V2`() throws {
        let signer = OfferSigner(try TideKeys.signingKey())
        let v1 = try signer.v1(Self.offer(), bundleId: bundleId)
        let der = try #require(Base64.decode(v1.signature))
        #expect(try TideKeys.numbers(of: der).count == 2)
        let v2 = try signer.v2(Self.offer(), bundleId: bundleId, transactionId: nil)
        let parts = v2.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        #expect(parts[2].count == 86)
        #expect(Base64URL.decode(parts[2])?.count == 64)
        #expect(!v2.contains("="))
    }

    /// Apple's library builds the text itself; an object in place of its key catches what it would sign.
    @Test(arguments: ["0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E", nil])
    func `signs the bytes that Apple's library signs`(token: String?) throws {
        let offer = try Self.offer(token: token)
        let output = try applePython(
            """
            import json, sys, uuid
            from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
            given = json.load(sys.stdin)
            class Catcher:
                def sign(self, payload, algorithm):
                    self.payload = payload
                    return b""
            creator = PromotionalOfferSignatureCreator(open(given["key"], "rb").read(), "K3YTESTID1", "com.example.tide")
            arguments = ("tide.monthly", "save50", given["token"], uuid.UUID(given["nonce"]), 1789041600000)
            signature = creator.create_signature(*arguments)
            creator._signing_key = Catcher()
            creator.create_signature(*arguments)
            json.dump({"signature": signature, "payload": creator._signing_key.payload.hex()}, sys.stdout)
            """, ["key": try TideKeys.path(TideKeys.one), "token": token ?? "", "nonce": offer.nonce.uuidString])
        let hex = try #require(output["payload"] as? String)
        let payload = TideKeys.bytes(ofHex: hex)
        #expect(payload == Array((token == nil ? Self.textWithoutToken : Self.text).utf8))
        let ours = try OfferSigner(TideKeys.signingKey()).v1(offer, bundleId: bundleId)
        let der = try #require(Base64.decode(ours.signature))
        #expect(try TideKeys.verifies(der, over: payload, keyId: TideKeys.one))
        let signature = try #require(output["signature"] as? String)
        let theirs = try #require(Base64.decode(signature))
        #expect(try TideKeys.publicKey(TideKeys.one).isValid(derSignature: theirs, over: payload))
    }

    @Test func `S07 the JWS has the header and claims of Apple's library and PyJWT verifies it`() throws {
        let signer = OfferSigner(try TideKeys.signingKey())
        let transactionId = TransactionID("2000000000000001")
        let ours = [
            "v2": try signer.v2(Self.offer(), bundleId: bundleId, transactionId: transactionId),
            "v2 without transaction": try signer.v2(Self.offer(), bundleId: bundleId, transactionId: nil),
            "intro": try signer.introductoryOfferEligibility(
                productId: ProductID("tide.monthly"), allowIntroductoryOffer: false, transactionId: transactionId,
                bundleId: bundleId, nonce: Self.offer().nonce, issuedAt: Self.offer().timestamp),
        ]
        let output = try applePython(
            """
            import json, sys, jwt
            from cryptography.hazmat.primitives import serialization
            from appstoreserverlibrary.jws_signature_creator import *
            given = json.load(sys.stdin)
            key = open(given["key"], "rb").read()
            public = serialization.load_pem_private_key(key, password=None).public_key()
            names = (key, "K3YTESTID1", "11111111-2222-4333-8444-555555555555", "com.example.tide")
            offer = PromotionalOfferV2SignatureCreator(*names)
            theirs = {
                "v2": offer.create_signature("tide.monthly", "save50", "2000000000000001"),
                "v2 without transaction": offer.create_signature("tide.monthly", "save50", None),
                "intro": IntroductoryOfferEligibilitySignatureCreator(*names).create_signature(
                    "tide.monthly", False, "2000000000000001"),
            }
            def read(jws):
                options = {"verify_iat": False, "verify_aud": False}
                return {"header": jwt.get_unverified_header(jws),
                        "claims": jwt.decode(jws, public, algorithms=["ES256"], options=options)}
            json.dump({"ours": {name: read(jws) for name, jws in given["ours"].items()},
                       "theirs": {name: read(jws) for name, jws in theirs.items()}, "jws": theirs}, sys.stdout)
            """, ["key": try TideKeys.path(TideKeys.one), "ours": ours])
        let read = try #require(output["ours"] as? [String: [String: [String: Any]]])
        let apples = try #require(output["theirs"] as? [String: [String: [String: Any]]])
        for name in ours.keys {
            let our = try #require(read[name])
            let apple = try #require(apples[name])
            #expect(NSDictionary(dictionary: our["header"] ?? [:]) == NSDictionary(dictionary: apple["header"] ?? [:]))
            var claims = our["claims"] ?? [:]
            var appleClaims = apple["claims"] ?? [:]
            #expect(claims["iat"] as? Int == 1_789_041_600)
            #expect(claims["nonce"] as? String == "a1b2c3d4-e5f6-4711-8899-aabbccddeeff")
            #expect(appleClaims["iat"] is Int && appleClaims["nonce"] is String)
            for key in ["iat", "nonce"] {
                claims[key] = nil
                appleClaims[key] = nil
            }
            #expect(NSDictionary(dictionary: claims) == NSDictionary(dictionary: appleClaims), "\(name)")
            #expect(claims["exp"] == nil)
        }
        // What Apple's library made must be without fault to our diagnosis as well.
        let check = try SignatureCheck.tide(now: Instant(Date()))
        for (name, jws) in try #require(output["jws"] as? [String: String]) {
            #expect(check.faults(ofCompactJWS: jws) == [], "\(name)")
        }
    }

    @Test(arguments: ["productId", "offerIdentifier", "bundleId", "transactionId"])
    func `S07 signs nothing for an empty field`(field: String) throws {
        let signer = OfferSigner(try TideKeys.signingKey())
        let offer = PromotionalOffer(
            productId: ProductID(field == "productId" ? "" : "tide.monthly"),
            offerIdentifier: OfferIdentifier(field == "offerIdentifier" ? "" : "save50"), appAccountToken: nil,
            nonce: UUID(), timestamp: try Self.offer().timestamp)
        let bundleId = BundleID(field == "bundleId" ? "" : "com.example.tide")
        let transactionId = TransactionID(field == "transactionId" ? "" : "2000000000000001")
        #expect(throws: OfferSigningError.emptyField(field)) {
            try signer.v2(offer, bundleId: bundleId, transactionId: transactionId)
        }
        if field != "transactionId" {
            #expect(throws: OfferSigningError.emptyField(field)) { try signer.v1(offer, bundleId: bundleId) }
        }
    }

    @Test func `signs nothing for a field that holds the separator`() throws {
        let signer = OfferSigner(try TideKeys.signingKey())
        let offer = PromotionalOffer(
            productId: ProductID("tide.monthly\u{2063}save50"), offerIdentifier: OfferIdentifier("x"),
            appAccountToken: nil, nonce: UUID(), timestamp: try Self.offer().timestamp)
        #expect(throws: OfferSigningError.separatorInField("productId")) { try signer.v1(offer, bundleId: bundleId) }
    }

    @Test func `S08 signs no timestamp in seconds`() throws {
        let signer = OfferSigner(try TideKeys.signingKey())
        let seconds = Instant(millisecondsSince1970: 1_789_041_600)
        let offer = PromotionalOffer(
            productId: ProductID("tide.monthly"), offerIdentifier: OfferIdentifier("save50"), appAccountToken: nil,
            nonce: UUID(), timestamp: seconds)
        let expected = OfferSigningError.timestampInSeconds(1_789_041_600)
        #expect(throws: expected) { try signer.v1(offer, bundleId: bundleId) }
        #expect(throws: expected) { try signer.v2(offer, bundleId: bundleId, transactionId: nil) }
    }
}
