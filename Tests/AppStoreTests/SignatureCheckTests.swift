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
}

struct SignatureCheckTests {
    static func check(
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

    private func expect(_ spoiled: SpoiledSignature) throws {
        var story = SignedStory()
        spoiled.spoil(&story)
        let faults = try Self.check(now: story.now).faults(of: story.received())
        #expect(Set(faults.map(\.code)) == Set(spoiled.codes), "\(faults)")
        #expect(faults.count == spoiled.codes.count)
        for fault in faults {
            let text = fault.description
            #expect(!text.contains("\n") && !text.hasSuffix(".") && text.contains(where: { ";,".contains($0) }))
            // Neither the token nor the signature belongs in a message.
            #expect(!text.lowercased().contains("0f1e2d3c"))
        }
    }

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
    func `finds nothing wrong with a good signature`(good: SpoiledSignature) throws { try expect(good) }

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
    func `names what was signed or passed wrongly`(spoiled: SpoiledSignature) throws { try expect(spoiled) }

    @Test(arguments: [
        "\n", " ", "", "\u{2062}", "\u{2061}", "\u{2064}", "\u{200B}", "\\u2063", "\\u{2063}", "|", ",", "\t",
        "\u{E2}\u{81}\u{A3}", "&#8291;",
    ])
    func `names a wrong separator`(separator: String) throws {
        var story = SignedStory()
        story.separator = separator
        let faults = try Self.check().faults(of: story.received())
        #expect(faults.map(\.code) == ["wrongSeparator"])
        #expect(faults.first?.description.contains("U+2063 INVISIBLE SEPARATOR") == true)
    }

    @Test(arguments: [
        SpoiledSignature("encoded twice", ["signatureEncodedTwice"]) {
            $0.encode = { Data(Data($0).base64EncodedString().utf8).base64EncodedString() }
        },
        SpoiledSignature("encoded three times", ["signatureEncodedTwice", "signatureEncodedTwice"]) {
            $0.encode = { der in
                (0..<3).reduce(Data(der)) { data, _ in Data(data.base64EncodedString().utf8) }.text
            }
        },
        SpoiledSignature("r and s", ["rawSignature"]) { $0.encode = { Data(try rAndS($0)).base64EncodedString() } },
        SpoiledSignature("hexadecimal", ["hexadecimalSignature"]) {
            $0.encode = { $0.map { String(format: "%02x", $0) }.joined() }
        },
        SpoiledSignature("hexadecimal of r and s", ["hexadecimalSignature", "rawSignature"]) {
            $0.encode = { try rAndS($0).map { String(format: "%02X", $0) }.joined() }
        },
        SpoiledSignature("line breaks", ["lineBreaksInSignature"]) {
            $0.encode = {
                Data($0).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
            }
        },
        SpoiledSignature("line break at the end", ["lineBreaksInSignature"]) {
            $0.encode = { Data($0).base64EncodedString() + "\n" }
        },
        SpoiledSignature("escaped line breaks", ["lineBreaksInSignature"]) {
            $0.encode = { Data($0).base64EncodedString() + "\\n" }
        },
        SpoiledSignature("quotes", ["quotesAroundSignature"]) {
            $0.encode = { "\"" + Data($0).base64EncodedString() + "\"" }
        },
        SpoiledSignature("missing", ["signatureMissing"]) { $0.encode = { _ in "" } },
        SpoiledSignature("unreadable", ["signatureUnreadable"]) { $0.encode = { _ in "§§ no signature §§" } },
        SpoiledSignature("too long", ["signatureTooLong"]) {
            $0.encode = { _ in String(repeating: "QUFB", count: 5000) }
        },
        SpoiledSignature("cut off", ["notASignature"]) {
            $0.encode = { Data($0.dropLast(8)).base64EncodedString() }
        },
    ])
    func `names how the signature is written wrongly`(spoiled: SpoiledSignature) throws { try expect(spoiled) }

    /// These depend on which characters a signature happens to have, so one is made until it has them.
    @Test func `names base64url, lost padding, spaces in place of plus signs and percent-encoding`() throws {
        var codes: Set<String> = []
        for _ in 0..<60 where codes.count < 4 {
            let story = SignedStory()
            let received = try story.received()
            let text = received.signature
            func diagnose(_ signature: String) throws -> [String] {
                try Self.check().faults(of: received.with(signature: signature)).map(\.code)
            }
            if text.hasSuffix("=") {
                #expect(try diagnose(text.replacingOccurrences(of: "=", with: "")) == ["paddingMissing"])
                codes.insert("padding")
            }
            if text.contains("+") || text.contains("/") {
                let url = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                #expect(try diagnose(url.replacingOccurrences(of: "=", with: "")) == ["base64URLSignature"])
                #expect(try diagnose(url) == ["base64URLSignature"])
                codes.insert("url")
            }
            if text.contains("+") {
                #expect(try diagnose(text.replacingOccurrences(of: "+", with: " ")) == ["plusBecameSpace"])
                codes.insert("plus")
            }
            if text.hasSuffix("=") || text.contains("+") || text.contains("/") {
                let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                #expect(try diagnose(encoded) == ["percentEncodedSignature"])
                codes.insert("percent")
            }
        }
        #expect(codes.count == 4)
    }

    @Test func `names DER with a zero byte too many or one too few`() throws {
        let story = SignedStory()
        var shapes: Set<String> = []
        for _ in 0..<40 where shapes.count < 2 {
            let received = try story.received()
            let made = try #require(Base64.decode(received.signature))
            let numbers = try TideKeys.numbers(of: made)
            let isHigh = numbers.map { "89ABCDEF".contains($0.first ?? "0") }
            guard isHigh.contains(true) || shapes.contains("few") else { continue }
            for prefix in isHigh.contains(true) ? ["", "00"] : ["00"] {
                let integers = numbers.map { prefix + $0 }
                let body = integers.map { "02" + String(format: "%02x", $0.count / 2) + $0 }.joined()
                let der = "30" + String(format: "%02x", body.count / 2) + body
                let text = Data(TideKeys.bytes(ofHex: der)).base64EncodedString()
                guard text != received.signature else { continue }
                #expect(try Self.check().faults(of: received.with(signature: text)).map(\.code) == ["notStrictDER"])
                shapes.insert(prefix == "" ? "few" : "many")
            }
        }
        #expect(shapes == ["few", "many"])
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
    func `finds two mistakes in what was signed together`(spoiled: SpoiledSignature) throws { try expect(spoiled) }

    @Test func `says when no known key can have signed`() throws {
        let received = try SignedStory().received()
        #expect(
            try Self.check(keys: [TideKeys.two]).faults(of: received).map(\.code) == [
                "unknownKeyId", "nothingVerifies",
            ])
        #expect(try Self.check(keys: []).faults(of: received).map(\.code) == ["noKeys"])
        let alone = try Self.check(keys: [TideKeys.one])
        var story = SignedStory()
        story.key = TideKeys.two
        #expect(try alone.faults(of: story.received()).map(\.code) == ["nothingVerifies"])
    }

    @Test func `stays within its limit with a large catalogue`() throws {
        let products = (0..<600).map { SignatureCheck.KnownProduct(productId: "p\($0)", offers: "o\($0)", "x\($0)") }
        let check = SignatureCheck(
            keys: [.init(keyId: TideKeys.one, publicKey: try TideKeys.publicKey(TideKeys.one))], bundleIds: [],
            issuerIds: [], products: products, now: SignedStory().now)
        var story = SignedStory()
        story.signed[2] = "p599"
        #expect(try check.faults(of: story.received()).map(\.code).contains("otherProductSigned"))
        story.signed[2] = "nowhere"
        let faults = try check.faults(of: story.received())
        guard case .signingInput(.nothingVerifies(let tried))? = faults.last else {
            Issue.record("\(faults)")
            return
        }
        #expect(tried == SignatureCheckLimits.verifications)
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

extension Data {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

/// The digest as the openssl program prints it, in Base64.
private func sha256(_ text: String, _ form: String) -> String {
    let result = try? run("openssl", ["dgst", "-sha256", form], input: Data(text.utf8))
    return result?.output.base64EncodedString() ?? ""
}

private func rAndS(_ der: [UInt8]) throws -> [UInt8] {
    TideKeys.bytes(ofHex: try TideKeys.numbers(of: der).joined())
}
