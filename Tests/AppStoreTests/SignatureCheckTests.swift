import AppStore
import CampaignCore
import Crypto
import Foundation
import TestSupport
import Testing

struct SignatureCheckTests {
    @Test(arguments: [
        SpoiledSignature("untouched", []) { _ in },
        SpoiledSignature("without a token", []) {
            $0.signed[4] = ""
            $0.passed[4] = ""
        },
        SpoiledSignature("a moment before it runs out", []) {
            $0.now = Instant(millisecondsSince1970: 1_789_041_600_123 + 86_400_000 - 1)
        },
        SpoiledSignature("another offer of the product", []) {
            $0.signed[3] = "welcome"
            $0.passed[3] = "welcome"
        },
    ])
    func `finds nothing wrong with a good signature`(good: SpoiledSignature) throws { try good.expectFaults() }

    @Test(arguments: [
        SpoiledSignature("nonce in capitals", ["nonceSignedInOtherCase"]) { $0.signed[5] = $0.signed[5].uppercased() },
        SpoiledSignature("token in capitals", ["tokenSignedInOtherCase"]) { $0.signed[4] = $0.signed[4].uppercased() },
        SpoiledSignature("both in capitals", ["nonceSignedInOtherCase", "tokenSignedInOtherCase"]) {
            $0.signed[4] = $0.signed[4].uppercased()
            $0.signed[5] = $0.signed[5].uppercased()
        },
        SpoiledSignature("nonce without hyphens", ["nonceSignedWithoutHyphens"]) {
            $0.signed[5] = $0.signed[5].replacingOccurrences(of: "-", with: "")
        },
        SpoiledSignature("field of the token left out", ["emptyFieldMissing"]) {
            $0.signed.remove(at: 4)
            $0.passed[4] = ""
        },
        SpoiledSignature("field left out and a token passed", ["emptyFieldMissing", "tokenPassedNotSigned"]) {
            $0.signed.remove(at: 4)
        },
        SpoiledSignature("token passed and not signed", ["tokenPassedNotSigned"]) { $0.signed[4] = "" },
        SpoiledSignature("token signed and not passed", ["tokenSignedNotPassed"]) {
            $0.signed[4] = "99999999-aaaa-4bbb-8ccc-dddddddddddd"
            $0.passed[4] = ""
        },
        SpoiledSignature("another token signed", ["otherTokenSigned"]) {
            $0.signed[4] = "99999999-aaaa-4bbb-8ccc-dddddddddddd"
        },
        SpoiledSignature("S05 the token's name signed", ["tokenPlaceholderSigned"]) {
            $0.signed[4] = "appAccountToken"
        },
        SpoiledSignature("S05 the token's name signed and passed", ["tokenIsNoUUID"]) {
            $0.signed[4] = "appaccounttoken"
            $0.passed[4] = "appAccountToken"
        },
        SpoiledSignature("the word null signed", ["tokenPlaceholderSigned"]) {
            $0.signed[4] = "null"
            $0.passed[4] = ""
        },
        SpoiledSignature("S08 timestamp signed in seconds", ["timestampSignedInSeconds"]) {
            $0.signed[6] = "1789041600"
        },
        SpoiledSignature("S08 timestamp passed in seconds", ["timestampPassedInSeconds"]) {
            $0.passed[6] = "1789041600"
        },
        SpoiledSignature("S08 timestamp in seconds on both sides", ["timestampPassedInSeconds"]) {
            $0.signed[6] = "1789041600"
            $0.passed[6] = "1789041600"
        },
        SpoiledSignature("timestamp passed with a fraction", ["timestampIsNoNumber", "nothingVerifies"]) {
            $0.passed[6] = "1789041600123.5"
        },
        SpoiledSignature("timestamp below zero", ["timestampIsNoNumber"]) {
            $0.signed[6] = "-1"
            $0.passed[6] = "-1"
        },
        SpoiledSignature("S08 a day old", ["timestampStale"]) {
            $0.now = Instant(millisecondsSince1970: 1_789_041_600_123 + 86_400_000)
        },
        SpoiledSignature("from the future", ["timestampInFuture"]) {
            $0.now = Instant(millisecondsSince1970: 1_789_041_600_123 - 3_600_000)
        },
        SpoiledSignature("another product of the catalogue signed", ["otherProductSigned"]) {
            $0.signed[2] = "tide.yearly"
        },
        SpoiledSignature("another offer signed", ["otherOfferSigned"]) { $0.signed[3] = "save30" },
        SpoiledSignature("another product and offer signed", ["otherProductSigned", "otherOfferSigned"]) {
            $0.signed[2] = "tide.kids.monthly"
            $0.signed[3] = "kids"
        },
        SpoiledSignature("S06 offer that is not on the product", ["offerNotOnProduct"]) {
            $0.signed[2] = "tide.plain"
            $0.passed[2] = "tide.plain"
        },
        SpoiledSignature("product unknown to the catalogue", ["unknownProduct"]) {
            $0.signed[2] = "tide.weekly"
            $0.passed[2] = "tide.weekly"
        },
        SpoiledSignature("bundle id in lower case signed and passed", ["bundleIdCase"]) {
            $0.signed[0] = "com.example.Tide"
            $0.passed[0] = "com.example.Tide"
        },
        SpoiledSignature("bundle id passed in another case", ["bundleIdCase"]) { $0.passed[0] = "com.Example.Tide" },
        SpoiledSignature("bundle id signed in another case", ["bundleIdSignedInOtherCase"]) {
            $0.signed[0] = "COM.EXAMPLE.TIDE"
        },
        SpoiledSignature("bundle id of another app signed", ["otherBundleIdSigned"]) {
            $0.signed[0] = "com.example.reader"
        },
        SpoiledSignature("key id signed in another case", ["keyIdSignedInOtherCase"]) { $0.signed[1] = "k3ytestid1" },
        SpoiledSignature("key id passed in another case", ["keyIdCase"]) { $0.passed[1] = "k3ytestid1" },
        SpoiledSignature("key id in another case on both sides", ["keyIdCase"]) {
            $0.signed[1] = "k3ytestid1"
            $0.passed[1] = "k3ytestid1"
        },
        SpoiledSignature("signed by another key under this key's id", ["signedByOtherKey"]) { $0.key = TideKeys.two },
        SpoiledSignature("signed by another key under its own id", ["otherKeyNamed"]) {
            $0.key = TideKeys.two
            $0.signed[1] = "K3YTESTID2"
        },
        SpoiledSignature("key id that nobody knows", ["unknownKeyId", "signedByOtherKey"]) {
            $0.signed[1] = "ZZZZZZZZZZ"
            $0.passed[1] = "ZZZZZZZZZZ"
        },
        SpoiledSignature("key id of nobody passed, the right one signed", ["unknownKeyId", "otherKeyNamed"]) {
            $0.passed[1] = "ZZZZZZZZZZ"
        },
        SpoiledSignature("product and offer in each other's place", ["fieldsInOtherOrder"]) { $0.signed.swapAt(2, 3) },
        SpoiledSignature("hashed twice", ["hashedTwice"]) {
            $0.message = { Array(Data(base64Encoded: sha256($0, "-binary"))!) }
        },
        SpoiledSignature("hexadecimal digest signed", ["hashedTwice"]) {
            $0.message = {
                Array(String(decoding: Data(base64Encoded: sha256($0, "-r"))!, as: UTF8.self).prefix(64).utf8)
            }
        },
        SpoiledSignature("line break at the end", ["textAroundFields"]) { $0.message = { Array(($0 + "\n").utf8) } },
        SpoiledSignature("separator at the end", ["textAroundFields"]) {
            $0.message = { Array(($0 + "\u{2063}").utf8) }
        },
        SpoiledSignature("UTF-16", ["signedAsUTF16"]) {
            $0.message = { Array($0.data(using: .utf16LittleEndian)!) }
        },
        SpoiledSignature("something else signed", ["nothingVerifies"]) { $0.signed[5] = "another nonce" },
    ])
    func `names what was signed or passed wrongly`(spoiled: SpoiledSignature) throws { try spoiled.expectFaults() }

    @Test(arguments: [
        "\n", " ", "", "\u{2062}", "\u{2061}", "\u{2064}", "\u{200B}", "\\u2063", "\\u{2063}", "|", ",", "\t",
        "\u{E2}\u{81}\u{A3}", "&#8291;",
    ])
    func `names a wrong separator`(separator: String) throws {
        var story = SignedStory()
        story.separator = separator
        let faults = try SignatureCheck.tide().faults(of: story.received())
        #expect(faults.map(\.code) == ["wrongSeparator"])
        #expect(faults.first?.description.contains("U+2063 INVISIBLE SEPARATOR") == true)
    }

    @Test(arguments: [
        SpoiledSignature("capitals and line breaks between fields", ["nonceSignedInOtherCase", "wrongSeparator"]) {
            $0.signed[5] = $0.signed[5].uppercased()
            $0.separator = "\n"
        },
        SpoiledSignature(
            "all capitals and line breaks", ["nonceSignedInOtherCase", "tokenSignedInOtherCase", "wrongSeparator"]
        ) {
            $0.signed[4] = $0.signed[4].uppercased()
            $0.signed[5] = $0.signed[5].uppercased()
            $0.separator = "\n"
        },
        SpoiledSignature("seconds and no token field", ["timestampSignedInSeconds", "emptyFieldMissing"]) {
            $0.signed[6] = "1789041600"
            $0.signed.remove(at: 4)
            $0.passed[4] = ""
        },
        SpoiledSignature("other key and seconds", ["signedByOtherKey", "timestampSignedInSeconds"]) {
            $0.key = TideKeys.two
            $0.signed[6] = "1789041600"
        },
        SpoiledSignature("other offer and space", ["otherOfferSigned", "wrongSeparator"]) {
            $0.signed[3] = "kids"
            $0.separator = " "
        },
        SpoiledSignature("other product and capitals", ["otherProductSigned", "nonceSignedInOtherCase"]) {
            $0.signed[2] = "tide.plain"
            $0.signed[5] = $0.signed[5].uppercased()
        },
        SpoiledSignature("separator at both ends of spaces", ["wrongSeparator", "textAroundFields"]) {
            $0.separator = "|"
            $0.message = { Array(($0 + "|").utf8) }
        },
        SpoiledSignature(
            "two signed wrongly, twice encoded and stale",
            ["wrongSeparator", "tokenPassedNotSigned", "signatureEncodedTwice", "timestampStale"]
        ) {
            $0.separator = ","
            $0.signed[4] = ""
            $0.encode = { Data(Data($0).base64EncodedString().utf8).base64EncodedString() }
            $0.now = Instant(millisecondsSince1970: 1_790_000_000_000)
        },
    ])
    func `finds two mistakes in what was signed together`(spoiled: SpoiledSignature) throws {
        try spoiled.expectFaults()
    }

    @Test func `says when no known key can have signed`() throws {
        let received = try SignedStory().received()
        #expect(
            try SignatureCheck.tide(keys: [TideKeys.two]).faults(of: received).map(\.code) == [
                "unknownKeyId", "nothingVerifies",
            ])
        #expect(try SignatureCheck.tide(keys: []).faults(of: received).map(\.code) == ["noKeys"])
        let alone = try SignatureCheck.tide(keys: [TideKeys.one])
        var story = SignedStory()
        story.key = TideKeys.two
        #expect(try alone.faults(of: story.received()).map(\.code) == ["nothingVerifies"])
    }

    @Test func `a key without an id proves only that the wrong key signed`() throws {
        let stranger = SignatureCheck.Candidate(name: "o2.pem", publicKey: try TideKeys.publicKey(TideKeys.two))
        let known = try SignatureCheck.tide(keys: [TideKeys.one])
        let check = SignatureCheck(
            keys: known.keys, candidates: [stranger], bundleIds: known.bundleIds, issuerIds: known.issuerIds,
            products: known.products, now: known.now)
        var story = SignedStory()
        #expect(try check.faults(of: story.received()) == [])
        story.key = TideKeys.two
        let other = SignatureFault.signingInput(.signedByOtherKey(.candidate(name: "o2.pem")))
        #expect(try check.faults(of: story.received()) == [other])
        #expect(other.description.contains("'o2.pem'"))
        story.separator = "|"
        #expect(try Set(check.faults(of: story.received()).map(\.code)) == ["signedByOtherKey", "wrongSeparator"])
    }

    @Test func `says which keys and how many mistakes were tried`() throws {
        var story = SignedStory()
        story.signed[5] = story.signed[5].uppercased()
        story.separator = "|"
        story.signed.remove(at: 4)
        story.passed[4] = ""
        let faults = try SignatureCheck.tide().faults(of: story.received())
        #expect(faults.map(\.code) == ["nothingVerifies"])
        let text = try #require(faults.first?.description)
        #expect(text.contains("('K3YTESTID1', 'K3YTESTID2')"))
        #expect(text.contains("with up to 2 known mistakes"))
        #expect(text.contains("'--key FILE'"))
    }

    /// Whatever arrives, a diagnosis ends with at least one fault.
    @Test func `survives any text in any field`() throws {
        let seed = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let good = try SignedStory().received()
        let pieces = [
            "", "\u{2063}", "é", "\0", "-9223372036854775808", "9223372036854775807", "99999999999", "%", "%4", "=",
            "A", "AA==", "....", "\"", "\\n", " ", good.signature, good.nonce, "{\"iat\":-9223372036854775808}",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        // Without keys nothing is searched, so many texts can be tried.
        let check = try SignatureCheck.tide(keys: [])
        for _ in 0..<2000 {
            let received = ReceivedSignature(
                bundleId: text(), keyIdentifier: text(), productId: text(), offerIdentifier: text(),
                appAccountToken: text(), nonce: text(), timestamp: text(), signature: text())
            #expect(!check.faults(of: received).isEmpty, "HOLDFAST_SEED=\(seed)")
            let parts = (0..<3).map { _ in Data(text().utf8).base64EncodedString() }
            #expect(!check.faults(ofCompactJWS: parts.joined(separator: ".")).isEmpty, "HOLDFAST_SEED=\(seed)")
        }
        let withKeys = try SignatureCheck.tide(keys: [TideKeys.one])
        for timestamp in ["-9223372036854775808", "9223372036854775807"] {
            let received = ReceivedSignature(
                bundleId: "", keyIdentifier: "", productId: "", offerIdentifier: "", appAccountToken: nil, nonce: "",
                timestamp: timestamp, signature: good.signature)
            #expect(withKeys.faults(of: received).contains { $0.code == "nothingVerifies" })
        }
    }

    @Test func `stays within its limit with a large catalogue`() throws {
        let products = (0..<500).map { SignatureCheck.KnownProduct(productId: "p\($0)", offers: "o\($0)", "x\($0)") }
        let check = SignatureCheck(
            keys: [.init(keyId: TideKeys.one, publicKey: try TideKeys.publicKey(TideKeys.one))], bundleIds: [],
            issuerIds: [], products: products, now: SignedStory().now)
        var story = SignedStory()
        story.signed[2] = "p499"
        #expect(try check.faults(of: story.received()).map(\.code).contains("otherProductSigned"))
        story.signed[2] = "nowhere"
        let faults = try check.faults(of: story.received())
        guard case .signingInput(.nothingVerifies(let tried, _))? = faults.last else {
            Issue.record("\(faults)")
            return
        }
        #expect(tried == SignatureCheckLimits.verifications)
    }
}

/// The digest as the openssl program prints it, in Base64.
private func sha256(_ text: String, _ form: String) -> String {
    let result = try? run("openssl", ["dgst", "-sha256", form], input: Data(text.utf8))
    return result?.output.base64EncodedString() ?? ""
}
