import Foundation
import TestSupport
import Testing

/// `verify` on what a server signs for StoreKit; the signatures are made by openssl, right and wrong.
@Suite struct VerifySignatureTests {
    static let at = "2026-09-05T12:00:00Z"

    /// What a server signs, and what it hands on; each mistake changes one of them.
    struct Signing {
        var bundleId = Installation.bundleId
        var keyId = Installation.keyId
        var product = "reader.monthly"
        var offer = "save50"
        var token: String? = "6f1e2a4c-0b7d-4c53-9a58-3d1f0a2b4c5d"
        var nonce = "20fba8a0-2b80-4a7d-a17f-85c1854727f8"
        var timestamp = "1788609600000"
        var separator = "\u{2063}"
        var leavesOutEmptyField = false

        var input: String {
            var fields = [bundleId, keyId, product, offer, token ?? "", nonce, timestamp]
            if leavesOutEmptyField, token == nil { fields.remove(at: 4) }
            return fields.joined(separator: separator)
        }
    }

    /// A mistake that servers make: what is signed differently from what is passed, or how the signature is written.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: String
        var signed: @Sendable (inout Signing) -> Void = { _ in }
        var passed: @Sendable (inout Signing) -> Void = { _ in }
        var encoding: @Sendable (Data) -> String = { $0.base64EncodedString() }
        var at = VerifySignatureTests.at
    }

    static let mistakes = [
        Mistake(
            testDescription: "S01 nonce in upper case", code: "nonceSignedInOtherCase",
            signed: { $0.nonce = $0.nonce.uppercased() }),
        Mistake(
            testDescription: "S01 token in upper case", code: "tokenSignedInOtherCase",
            signed: { $0.token = $0.token?.uppercased() }),
        Mistake(
            testDescription: "another separator", code: "wrongSeparator", signed: { $0.separator = "\n" }),
        Mistake(
            testDescription: "S02 the empty field left out", code: "emptyFieldMissing",
            signed: {
                $0.token = nil
                $0.leavesOutEmptyField = true
            }, passed: { $0.token = nil }),
        Mistake(
            testDescription: "token signed and not passed", code: "tokenPassedNotSigned", signed: { $0.token = nil }),
        Mistake(
            testDescription: "S08 seconds signed", code: "timestampSignedInSeconds",
            signed: { $0.timestamp = "1788609600" }),
        Mistake(
            testDescription: "S03 encoded twice", code: "signatureEncodedTwice",
            encoding: { Data($0.base64EncodedString().utf8).base64EncodedString() }),
        Mistake(
            testDescription: "S04 raw r and s", code: "rawSignature",
            encoding: { rawSignature($0).base64EncodedString() }),
        Mistake(
            testDescription: "another product", code: "otherProductSigned", signed: { $0.product = "reader.annual" }),
        Mistake(testDescription: "another key id passed", code: "unknownKeyId", passed: { $0.keyId = "ZZZ999ZZZ9" }),
        Mistake(
            testDescription: "S06 offer not on the product", code: "offerNotOnProduct", signed: { $0.offer = "x" },
            passed: { $0.offer = "x" }),
        Mistake(testDescription: "S08 stale", code: "timestampStale", at: "2026-09-06T12:00:00Z"),
    ]

    /// r and s of a DER signature, 32 bytes each.
    private static func rawSignature(_ der: Data) -> Data {
        let bytes = Array(der)
        func number(_ start: Int) -> (digits: [UInt8], end: Int) {
            let end = start + 2 + Int(bytes[start + 1])
            let digits = Array(bytes[(start + 2)..<end].drop { $0 == 0 })
            return (Array(repeating: 0, count: 32 - digits.count) + digits, end)
        }
        let first = number(2)
        return Data(first.digits + number(first.end).digits)
    }

    private func sign(_ input: String, _ installation: Installation, key: String = Installation.keyFile) throws -> Data
    {
        try openssl(["dgst", "-sha256", "-sign", installation.folder.path(key)], input: Data(input.utf8)).output
    }

    private func verify(_ installation: Installation, _ passed: Signing, _ signature: String, _ more: [String])
        throws -> ChildResult
    {
        var line = [
            "verify", "--signature", signature, "--key-id", passed.keyId, "--nonce", passed.nonce, "--timestamp",
            passed.timestamp, "--product", passed.product, "--offer", passed.offer,
        ]
        if let token = passed.token { line += ["--token", token] }
        return try run(
            Surroundings.holdfast, line + more, environment: ["HOLDFAST_CONFIG": ""], in: installation.folder.url)
    }

    @Test(arguments: [true, false])
    func `a right signature is valid with the configuration and with the public key alone`(hasToken: Bool) throws {
        let installation = try Installation()
        var signing = Signing()
        if !hasToken { signing.token = nil }
        let signature = try sign(signing.input, installation).base64EncodedString()
        let configured = try verify(installation, signing, signature, ["--at", Self.at])
        #expect(configured.text == "valid: v1\n")
        #expect(configured.exitCode == 0)

        let elsewhere = try TemporaryFolder()
        for key in [Installation.publicKeyFile, Installation.keyFile] {
            var line = ["verify", "--signature", signature, "--key-id", signing.keyId, "--nonce", signing.nonce]
            line += ["--timestamp", signing.timestamp, "--product", signing.product, "--offer", signing.offer]
            line += ["--bundle", signing.bundleId, "--key", installation.folder.path(key), "--at", Self.at]
            line += signing.token.map { ["--token", $0] } ?? []
            let alone = try run(Surroundings.holdfast, line, in: elsewhere.url)
            #expect(alone.text == "valid: v1\n")
            #expect(alone.exitCode == 0)
        }
    }

    @Test(arguments: mistakes)
    func `each mistake is named`(mistake: Mistake) throws {
        let installation = try Installation()
        var signed = Signing()
        var passed = Signing()
        mistake.signed(&signed)
        mistake.passed(&passed)
        let signature = mistake.encoding(try sign(signed.input, installation))
        let result = try verify(installation, passed, signature, ["--at", mistake.at])
        #expect(result.exitCode == 2)
        #expect(result.text.hasPrefix("not valid: "))
        #expect(result.text.contains("  v1: \(mistake.code): "), "\(result.text)")
        let json = try verify(installation, passed, signature, ["--at", mistake.at, "--format", "json"])
        let signatures = try #require(try object(json)["signatures"] as? [[String: Any]])
        let codes = (signatures.first?["faults"] as? [[String: String]])?.compactMap { $0["code"] }
        #expect(codes?.contains(mistake.code) == true)
    }

    @Test func `another key is named as such`() throws {
        let installation = try Installation()
        try openssl([
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
            installation.folder.path("other.pem"),
        ])
        let signature = try sign(Signing().input, installation, key: "other.pem").base64EncodedString()
        let result = try verify(installation, Signing(), signature, ["--at", Self.at])
        #expect(result.exitCode == 2)
        #expect(result.text.hasPrefix("not valid: 1 fault in v1\n  v1: nothingVerifies: "))
        #expect(result.text.contains("('ABC123DEFG')"))
        #expect(result.text.contains("'--key FILE'"))
    }

    /// The key of '--key' really signed, and another one is known under the passed id, in whatever case it is passed.
    @Test(arguments: ["other.pem", "SubscriptionKey_ABC123DEFG.p8"], ["ABC123DEFG", "abc123defg"])
    func `a key of the line does not replace the known key of the passed id`(file: String, keyId: String) throws {
        let installation = try Installation()
        let other = try Installation()
        var signing = Signing()
        signing.keyId = keyId
        let signature = try sign(signing.input, other).base64EncodedString()
        let given = file == "other.pem" ? Installation.publicKeyFile : Installation.keyFile
        let path = other.folder.path(given)
        let more = ["--at", Self.at, "--key", path]
        // The configuration knows the right key, or a file whose name tells its id does.
        let named = ["--bundle", signing.bundleId, "--key", installation.folder.path(Installation.keyFile)]
        for line in [more + ["--config", "holdfast.yaml"], named + more] {
            let result = try verify(installation, signing, signature, line)
            #expect(result.exitCode == 2)
            #expect(result.text.contains("  v1: signedByOtherKey: "), "\(result.text)")
            #expect(result.text.contains(path.suffix(20)), "\(result.text)")
        }
        // Where nothing else is known, it stands for the passed id.
        let alone = try verify(
            installation, signing, signature,
            ["--bundle", signing.bundleId, "--key", other.folder.path(Installation.publicKeyFile), "--at", Self.at])
        #expect(alone.text == "valid: v1\n")
    }

    @Test func `a configured key is not taken for another id`() throws {
        let installation = try Installation()
        var signing = Signing()
        signing.keyId = "ZZZ999ZZZ9"
        let signature = try sign(signing.input, installation).base64EncodedString()
        let result = try verify(
            installation, signing, signature,
            ["--at", Self.at, "--config", "holdfast.yaml", "--key", Installation.publicKeyFile])
        #expect(result.exitCode == 2)
        #expect(result.text.contains("  v1: unknownKeyId: "))
    }

    @Test func `a compact JWS and a reply by the wrong key are not valid with that key either`() throws {
        let installation = try Installation()
        let other = try Installation()
        let signed = try other.holdfast(
            "sign", "--product", "reader.monthly", "--offer", "save50", "--format", "json")
        try installation.folder.write(signed.output, to: "reply.json")
        let jws = try #require((try object(signed)["v2"] as? [String: Any])?["compactJWS"] as? String)
        let key = ["--config", "holdfast.yaml", "--key", other.folder.path(Installation.publicKeyFile)]
        for subject in [[jws], ["--reply", "reply.json"]] {
            let result = try run(Surroundings.holdfast, ["verify"] + subject + key, in: installation.folder.url)
            #expect(result.exitCode == 2)
            #expect(result.text.contains("  v2: jwsSignedByOtherKey: "), "\(result.text)")
        }
        let reply = try run(
            Surroundings.holdfast, ["verify", "--reply", "reply.json"] + key, in: installation.folder.url)
        #expect(reply.text.hasPrefix("not valid: 2 faults in v1 and v2\n  v1: signedByOtherKey: "))
    }

    @Test func `an old compact JWS is valid with a note`() throws {
        let installation = try Installation()
        let signed = try installation.holdfast(
            "sign", "--product", "reader.monthly", "--offer", "save50", "--formats", "v2", "--at", Self.at, "--format",
            "json")
        let jws = try #require((try object(signed)["v2"] as? [String: Any])?["compactJWS"] as? String)
        let fresh = try installation.holdfast("verify", jws, "--at", "2026-09-06T12:00:00Z")
        #expect(fresh.text == "valid: v2\n")
        let old = try installation.holdfast("verify", jws, "--at", "2026-09-06T12:00:01Z")
        #expect(old.exitCode == 0)
        #expect(old.text.hasPrefix("valid: v2\n  v2: note: the claim 'iat' is '2026-09-05T12:00:00Z', more than 24"))
    }

    @Test func `a reply of sign is valid and a spoiled one is not`() throws {
        let installation = try Installation()
        let signed = try installation.holdfast(
            "sign", "--product", "reader.monthly", "--offer", "save50", "--format", "json")
        try installation.folder.write(signed.output, to: "reply.json")
        let good = try installation.holdfast("verify", "--reply", "reply.json")
        #expect(good.exitCode == 0)
        #expect(good.text == "valid: v1 and v2\n")

        let spoiled = signed.text.replacingOccurrences(of: "save50", with: "save51")
        try installation.folder.write(spoiled, to: "spoiled.json")
        let bad = try installation.holdfast("verify", "--reply", "spoiled.json")
        #expect(bad.exitCode == 2)
        #expect(bad.text.contains("  v1: offerNotOnProduct: "))
        #expect(bad.text.contains("  v2: claimDiffers: "))
    }

    @Test func `an eligibility reply and its JWS are valid`() throws {
        let installation = try Installation()
        let signed = try installation.holdfast(
            "sign", "--introductory", "--product", "reader.monthly", "--transaction", "7", "--allow", "false",
            "--format", "json")
        try installation.folder.write(signed.output, to: "reply.json")
        let reply = try installation.holdfast("verify", "--reply", "reply.json")
        #expect(reply.text == "valid: introductoryOfferEligibility\n")
        let jws = try #require(try object(signed)["compactJWS"] as? String)
        #expect(try installation.holdfast("verify", jws).exitCode == 0)
        let other = try installation.holdfast("verify", jws, "--product", "reader.annual")
        #expect(other.exitCode == 2)
        #expect(other.text.contains("  v2: claimDiffers: "))
    }

    @Test(arguments: [
        ("[]", "is no JSON object"), ("{}", "has no 'v1', 'v2' or 'compactJWS'"), ("no json", "is no JSON object"),
        ("{\"decision\": \"refused\", \"reasons\": []}", "is a refusal"),
    ])
    func `a reply without a signature is refused`(reply: String, message: String) throws {
        let installation = try Installation()
        try installation.folder.write(reply, to: "reply.json")
        let result = try installation.holdfast("verify", "--reply", "reply.json")
        #expect(result.exitCode == 2)
        #expect(result.errorText.contains(message))
    }
}
