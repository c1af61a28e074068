import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `JWS claims` {
    private static let nonce = UUID(uuidString: "A1B2C3D4-E5F6-4711-8899-AABBCCDDEEFF") ?? UUID()
    private static let issuedAt = Instant(millisecondsSince1970: 1_789_041_600_999)
    private static let hostile = "a\"b\\c\u{0}\u{1F}\n\t/é\u{2028}\u{7F}👩‍👧 ]}"

    private static func promotional(_ transactionId: TransactionID?, product: ProductID = "tide.monthly") -> String {
        OfferClaims.promotionalOffer(
            bundleId: "com.example.tide", issuerId: "11111111-2222-4333-8444-555555555555", productId: product,
            offerIdentifier: "save50", transactionId: transactionId, nonce: nonce, issuedAt: issuedAt)
    }

    private static func introductory(_ isAllowed: Bool) -> String {
        OfferClaims.introductoryOfferEligibility(
            bundleId: "com.example.tide", issuerId: "11111111-2222-4333-8444-555555555555", productId: "tide.monthly",
            allowIntroductoryOffer: isAllowed, transactionId: "2000000000000001", nonce: nonce, issuedAt: issuedAt)
    }

    @Test func `S07 header and claims are these very bytes`() {
        #expect(OfferClaims.header(keyId: "K3YTESTID1") == #"{"alg":"ES256","kid":"K3YTESTID1","typ":"JWT"}"#)
        let common = { (audience: String) in
            #"{"iss":"11111111-2222-4333-8444-555555555555","iat":1789041600,"aud":"\#(audience)","#
                + #""bid":"com.example.tide","nonce":"a1b2c3d4-e5f6-4711-8899-aabbccddeeff","#
                + #""productId":"tide.monthly","#
        }
        #expect(Self.promotional(nil) == common("promotional-offer") + #""offerIdentifier":"save50"}"#)
        #expect(
            Self.promotional("2000000000000001")
                == common("promotional-offer") + #""offerIdentifier":"save50","transactionId":"2000000000000001"}"#)
        #expect(
            Self.introductory(false)
                == common("introductory-offer-eligibility")
                + #""allowIntroductoryOffer":false,"transactionId":"2000000000000001"}"#)
    }

    @Test func `Python reads the texts to the values that went in, however hostile`() throws {
        let script = """
            import json, sys
            common = {"iss": "11111111-2222-4333-8444-555555555555", "iat": 1789041600, "bid": "com.example.tide",
                "nonce": "a1b2c3d4-e5f6-4711-8899-aabbccddeeff"}
            hostile = 'a"b\\\\c\\0\\x1f\\n\\t/\\u00e9\\u2028\\x7f\\U0001f469\\u200d\\U0001f467 ]}'
            promotional = dict(common, aud="promotional-offer", productId=hostile, offerIdentifier="save50")
            introductory = dict(common, aud="introductory-offer-eligibility", productId="tide.monthly",
                transactionId="2000000000000001")
            expected = [{"alg": "ES256", "kid": hostile, "typ": "JWT"},
                dict(promotional, transactionId=hostile), promotional,
                dict(introductory, allowIntroductoryOffer=True), dict(introductory, allowIntroductoryOffer=False)]
            texts = sys.stdin.buffer.read().decode("utf-8").split("\\n")
            for text, value in zip(texts, expected, strict=True):
                read = json.loads(text)
                assert read == value and type(read.get("iat", 0)) is int, (read, value)
            print("same")
            """
        let texts = [
            OfferClaims.header(keyId: KeyID(Self.hostile)),
            Self.promotional(TransactionID(Self.hostile), product: ProductID(Self.hostile)),
            Self.promotional(nil, product: ProductID(Self.hostile)), Self.introductory(true), Self.introductory(false),
        ]
        let python = try run("python3", ["-c", script], input: Data(texts.joined(separator: "\n").utf8))
        #expect(python.text == "same\n", "\(python.errorText)")
    }
}
