import AppStore
import CampaignCore
import Crypto
import Foundation
import TestSupport
import Testing

/// One compact JWS that Python makes with its own JSON, Base64 and `cryptography`, and what is wrong with it.
struct SpoiledRequest: Sendable, CustomTestStringConvertible {
    let name: String
    let codes: [String]
    /// Python that changes `header`, `claims`, `form` or `key` before signing, or `jws` after it.
    let before: String
    let after: String
    var testDescription: String { name }

    init(_ name: String, _ codes: [String], before: String = "pass", after: String = "pass") {
        self.name = name
        self.codes = codes
        self.before = before
        self.after = after
    }

    static let promotional = [
        SpoiledRequest("untouched", []),
        SpoiledRequest("untouched, nonce in capitals", [], before: "claims['nonce'] = claims['nonce'].upper()"),
        SpoiledRequest("untouched, without transaction", [], before: "del claims['transactionId']"),
        SpoiledRequest("alg none", ["jwsAlgorithm"], before: "header['alg'] = 'none'"),
        SpoiledRequest("alg HS256", ["jwsAlgorithm"], before: "header['alg'] = 'HS256'"),
        SpoiledRequest("no alg", ["jwsAlgorithm"], before: "del header['alg']"),
        SpoiledRequest("no typ", ["jwsType"], before: "del header['typ']"),
        SpoiledRequest("typ in lower case", ["jwsType"], before: "header['typ'] = 'jwt'"),
        SpoiledRequest("no kid", ["jwsKeyIdMissing", "jwsSignedByOtherKey"], before: "del header['kid']"),
        SpoiledRequest("kid in lower case", ["keyIdCase"], before: "header['kid'] = header['kid'].lower()"),
        SpoiledRequest(
            "kid of nobody", ["unknownKeyId", "jwsSignedByOtherKey"], before: "header['kid'] = 'ZZZZZZZZZZ'"),
        SpoiledRequest("signed by another key", ["jwsSignedByOtherKey"], before: "key = other"),
        SpoiledRequest("signed by a key of nobody", ["jwsNothingVerifies"], before: "key = stranger"),
        SpoiledRequest("signature in DER", ["derSignatureInJWS"], before: "form = 'der'"),
        SpoiledRequest("hashed twice", ["jwsHashedTwice"], before: "form = 'double'"),
        SpoiledRequest("signature cut off", ["notARawSignature"], after: "jws = jws[:-2]"),
        SpoiledRequest(
            "claims changed after signing", ["jwsNothingVerifies"],
            after: "parts = jws.split('.'); claims['nonce'] = claims['nonce'].replace('a', 'b'); "
                + "jws = parts[0] + '.' + url(claims) + '.' + parts[2]"),
        SpoiledRequest("padded", ["jwsPartPadded"], after: "jws = jws + '=='"),
        SpoiledRequest("in two lines", ["jwsSpaceInside"], after: "jws = jws[:50] + '\\n' + jws[50:]"),
        SpoiledRequest("two parts", ["jwsPartCount"], after: "jws = jws.rsplit('.', 1)[0]"),
        SpoiledRequest("no base64url", ["jwsPartUnreadable"], after: "jws = jws[:-3] + '***'"),
        SpoiledRequest(
            "standard Base64", ["jwsPartInStandardBase64"],
            before: "encode = lambda b: base64.b64encode(b).decode().rstrip('='); claims['bid'] = 'com.example.tide'; "
                + "header['note'] = '~~~~~~???'"),
        SpoiledRequest(
            "payload is text", ["jwsPartNotJSON"],
            after: "parts = jws.split('.'); jws = sign(parts[0] + '.' + encode(b'not JSON'))"),
        SpoiledRequest("V1's audience", ["audience"], before: "claims['aud'] = 'appstoreconnect-v1'"),
        SpoiledRequest("audience as list", ["claimOfWrongKind"], before: "claims['aud'] = [claims['aud']]"),
        SpoiledRequest("exp", ["expPresent"], before: "claims['exp'] = claims['iat'] + 300"),
        SpoiledRequest("iat in milliseconds", ["issuedAtInMilliseconds"], before: "claims['iat'] *= 1000"),
        SpoiledRequest("iat as text", ["claimOfWrongKind"], before: "claims['iat'] = str(claims['iat'])"),
        SpoiledRequest("iat with a fraction", ["claimOfWrongKind"], before: "claims['iat'] += 0.5"),
        SpoiledRequest("iat in the future", ["issuedAtInFuture"], before: "claims['iat'] += 3600"),
        SpoiledRequest("no iat", ["claimMissing"], before: "del claims['iat']"),
        SpoiledRequest("no iss", ["claimMissing"], before: "del claims['iss']"),
        SpoiledRequest(
            "another iss", ["unknownIssuer"], before: "claims['iss'] = '99999999-2222-4333-8444-555555555555'"),
        SpoiledRequest("no bid", ["claimMissing"], before: "del claims['bid']"),
        SpoiledRequest("another app", ["claimDiffers"], before: "claims['bid'] = 'com.example.reader'"),
        SpoiledRequest(
            "bid in capitals", ["bundleIdCase", "claimDiffers"], before: "claims['bid'] = claims['bid'].upper()"),
        SpoiledRequest("no nonce", ["claimMissing"], before: "del claims['nonce']"),
        SpoiledRequest("nonce is no UUID", ["nonceIsNoUUID"], before: "claims['nonce'] = 'once'"),
        SpoiledRequest("no product", ["claimMissing"], before: "del claims['productId']"),
        SpoiledRequest("empty product", ["claimEmpty"], before: "claims['productId'] = ''"),
        SpoiledRequest("another product", ["claimDiffers"], before: "claims['productId'] = 'tide.yearly'"),
        SpoiledRequest(
            "S06 product without the offer", ["claimDiffers", "offerNotOnProduct"],
            before: "claims['productId'] = 'tide.plain'"),
        SpoiledRequest(
            "unknown product", ["claimDiffers", "unknownProduct"], before: "claims['productId'] = 'tide.weekly'"),
        SpoiledRequest("no offer", ["claimMissing"], before: "del claims['offerIdentifier']"),
        SpoiledRequest("another offer", ["claimDiffers"], before: "claims['offerIdentifier'] = 'welcome'"),
        SpoiledRequest(
            "V1's name for the offer", ["claimMissing"], before: "claims['offerId'] = claims.pop('offerIdentifier')"),
        SpoiledRequest("transaction null", ["claimOfWrongKind"], before: "claims['transactionId'] = None"),
        SpoiledRequest(
            "transaction as number", ["claimOfWrongKind"], before: "claims['transactionId'] = 2000000000000001"),
        SpoiledRequest("another transaction", ["claimDiffers"], before: "claims['transactionId'] = '7'"),
        SpoiledRequest(
            "everything of a token for the App Store Connect API", ["audience", "expPresent", "derSignatureInJWS"],
            before: "claims['aud'] = 'appstoreconnect-v1'; claims['exp'] = claims['iat'] + 1200; form = 'der'"),
    ]

    static let introductory = [
        SpoiledRequest("untouched", []),
        SpoiledRequest("allowed", [], before: "claims['allowIntroductoryOffer'] = True"),
        SpoiledRequest("text for a boolean", ["claimOfWrongKind"], before: "claims['allowIntroductoryOffer'] = 'true'"),
        SpoiledRequest("number for a boolean", ["claimOfWrongKind"], before: "claims['allowIntroductoryOffer'] = 1"),
        SpoiledRequest("no allowance", ["claimMissing"], before: "del claims['allowIntroductoryOffer']"),
        SpoiledRequest("no transaction", ["claimMissing"], before: "del claims['transactionId']"),
    ]

    /// Every JWS of both lists, made by one run of Python.
    static let made: Result<[String: String], any Error> = Result {
        let cases =
            promotional.map { ["kind": "promotional", "name": $0.name, "before": $0.before, "after": $0.after] }
            + introductory.map { ["kind": "introductory", "name": $0.name, "before": $0.before, "after": $0.after] }
        let output = try applePython(
            script, ["cases": cases, "key": try TideKeys.path(TideKeys.one), "other": try TideKeys.path(TideKeys.two)])
        return output.compactMapValues { $0 as? String }
    }

    private static let script = """
        import base64, hashlib, json, sys
        from cryptography.hazmat.primitives import serialization, hashes
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        given = json.load(sys.stdin)
        def load(path): return serialization.load_pem_private_key(open(path, "rb").read(), password=None)
        made = {}
        for case in given["cases"]:
            space = dict(
                base64=base64, other=load(given["other"]), stranger=ec.generate_private_key(ec.SECP256R1()),
                key=load(given["key"]), form="raw", header={"alg": "ES256", "kid": "K3YTESTID1", "typ": "JWT"},
                encode=lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="))
            space["claims"] = {
                "iss": "11111111-2222-4333-8444-555555555555", "iat": 1789041600, "bid": "com.example.tide",
                "nonce": "a1b2c3d4-e5f6-4711-8899-aabbccddeeff", "productId": "tide.monthly",
                "transactionId": "2000000000000001"}
            if case["kind"] == "promotional":
                space["claims"].update(aud="promotional-offer", offerIdentifier="save50")
            else:
                space["claims"].update(aud="introductory-offer-eligibility", allowIntroductoryOffer=False)
            exec(case["before"], space)
            def sign(text):
                message = text.encode()
                if space["form"] == "double": message = hashlib.sha256(message).digest()
                der = space["key"].sign(message, ec.ECDSA(hashes.SHA256()))
                r, s = utils.decode_dss_signature(der)
                signature = der if space["form"] == "der" else r.to_bytes(32, "big") + s.to_bytes(32, "big")
                return text + "." + base64.urlsafe_b64encode(signature).decode().rstrip("=")
            space["sign"] = sign
            space["url"] = lambda value: space["encode"](json.dumps(value).encode())
            space["jws"] = sign(space["url"](space["header"]) + "." + space["url"](space["claims"]))
            exec(case["after"], space)
            made[case["kind"] + " " + case["name"]] = space["jws"]
        json.dump(made, sys.stdout)
        """
}

struct SignedRequestCheckTests {
    private func expect(_ spoiled: SpoiledRequest, _ kind: String) throws {
        let jws = try #require(try SpoiledRequest.made.get()["\(kind) \(spoiled.name)"])
        let expected = SignatureCheck.ExpectedRequest(
            bundleId: BundleID("com.example.tide"), productId: ProductID("tide.monthly"),
            offerIdentifier: OfferIdentifier("save50"), transactionId: TransactionID("2000000000000001"))
        let faults = try SignatureCheck.tide().faults(ofCompactJWS: jws, expected: expected)
        #expect(Set(faults.map(\.code)) == Set(spoiled.codes), "\(faults)")
        #expect(faults.count == spoiled.codes.count)
        for fault in faults {
            let text = fault.description
            #expect(!text.contains("\n") && !text.hasSuffix(".") && text.contains(where: { ";,".contains($0) }))
        }
    }

    @Test(arguments: SpoiledRequest.promotional)
    func `names what is wrong with a V2 offer`(spoiled: SpoiledRequest) throws { try expect(spoiled, "promotional") }

    @Test(arguments: SpoiledRequest.introductory)
    func `names what is wrong with an introductory-offer eligibility`(spoiled: SpoiledRequest) throws {
        try expect(spoiled, "introductory")
    }

    @Test func `a key without an id proves only that the wrong key signed`() throws {
        let stranger = SignatureCheck.Candidate(name: "o2.pem", publicKey: try TideKeys.publicKey(TideKeys.two))
        let check = SignatureCheck(
            keys: try SignatureCheck.tide(keys: [TideKeys.one]).keys, candidates: [stranger], bundleIds: [],
            issuerIds: [], products: [], now: SignedStory().now)
        func faults(_ name: String) throws -> [SignatureFault] {
            let jws = try #require(try SpoiledRequest.made.get()["promotional \(name)"])
            return check.faults(ofCompactJWS: jws)
        }
        #expect(try faults("untouched") == [])
        #expect(try faults("signed by another key") == [.jws(.signedByOtherKey(.candidate(name: "o2.pem")))])
        #expect(
            try faults("signed by a key of nobody") == [.jws(.nothingVerifies(keys: ["K3YTESTID1", "o2.pem"]))])
    }

    @Test func `an old request is noted and no fault`() throws {
        let jws = try #require(try SpoiledRequest.made.get()["promotional untouched"])
        for (hours, codes) in [(24, []), (25, ["issuedLongAgo"])] {
            let now = Instant(millisecondsSince1970: 1_789_041_600_000 + Int64(hours) * 3_600_000)
            let check = try SignatureCheck.tide(now: now)
            #expect(check.faults(ofCompactJWS: jws) == [])
            #expect(check.notes(onCompactJWS: jws).map(\.code) == codes)
        }
    }

    @Test func `our own requests are without fault`() throws {
        let signer = OfferSigner(try TideKeys.signingKey())
        let check = try SignatureCheck.tide()
        let offer = try OfferSignerTests.offer()
        let jws = try signer.v2(offer, bundleId: OfferSignerTests.bundleId, transactionId: nil)
        #expect(check.faults(ofCompactJWS: jws) == [])
        let long = jws + String(repeating: "A", count: 1 << 17)
        #expect(check.faults(ofCompactJWS: long).map(\.code) == ["jwsTooLarge"])
        #expect(try SignatureCheck.tide(keys: []).faults(ofCompactJWS: jws).map(\.code) == ["jwsNoKeys"])
    }
}
