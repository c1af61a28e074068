import Foundation
import TestSupport
import Testing

@Suite struct SignCommandTests {
    static let token = "6F1E2A4C-0B7D-4C53-9A58-3D1F0A2B4C5D"
    static let nonce = "20FBA8A0-2B80-4A7D-A17F-85C1854727F8"
    static let instant = "2026-09-05T12:00:00Z"
    /// The same in milliseconds, worked out with `date -u -d`.
    static let milliseconds = 1_788_609_600_000

    /// Whether openssl takes `signature` for the key's over `input`.
    private func isSigned(_ signature: Data, over input: String, by installation: Installation) throws -> Bool {
        let scratch = try TemporaryFolder()
        let file = try scratch.write(signature, to: "signature")
        return try run(
            "openssl",
            [
                "dgst", "-sha256", "-verify", installation.folder.path(Installation.publicKeyFile), "-signature",
                file.path,
            ], input: Data(input.utf8)
        ).exitCode == 0
    }

    @Test(arguments: [true, false])
    func `a V1 signature verifies with openssl over the seven fields`(hasToken: Bool) throws {
        let installation = try Installation()
        var line = ["sign", "--product", "reader.monthly", "--offer", "save50", "--format", "json"]
        line += ["--nonce", Self.nonce, "--at", Self.instant] + (hasToken ? ["--token", Self.token] : [])
        let result = try run(Surroundings.holdfast, line, in: installation.folder.url)
        #expect(result.exitCode == 0)
        let answer = try object(result)
        #expect(answer["decision"] as? String == "offered")
        #expect(answer["expiresDate"] as? Int == Self.milliseconds + 24 * 60 * 60 * 1000)
        let v1 = try #require(answer["v1"] as? [String: Any])
        #expect(v1["keyIdentifier"] as? String == Installation.keyId)
        #expect(v1["nonce"] as? String == Self.nonce.lowercased())
        #expect(v1["timestamp"] as? Int == Self.milliseconds)
        #expect(v1["appAccountToken"] as? String == (hasToken ? Self.token.lowercased() : nil))
        let signature = try #require(Data(base64Encoded: v1["signature"] as? String ?? ""))
        let input = [
            Installation.bundleId, Installation.keyId, "reader.monthly", "save50",
            hasToken ? Self.token.lowercased() : "", Self.nonce.lowercased(), "\(Self.milliseconds)",
        ].joined(separator: "\u{2063}")
        #expect(try isSigned(signature, over: input, by: installation))
        #expect(try !isSigned(signature, over: input + " ", by: installation))
    }

    /// PyJWT, which Apple's library stands on, is the judge of a compact JWS.
    private func decoded(_ jws: String, audience: String, _ installation: Installation) throws -> [String: Any] {
        let script = """
            import json, jwt, sys
            key = open(sys.argv[1]).read()
            claims = jwt.decode(sys.argv[2], key, algorithms=["ES256"], audience=sys.argv[3],
                                options={"verify_iat": False})
            print(json.dumps({"claims": claims, "header": jwt.get_unverified_header(sys.argv[2])}))
            """
        let key = installation.folder.path(Installation.publicKeyFile)
        return try object(try run(Surroundings.python, ["-c", script, key, jws, audience]))
    }

    @Test func `a V2 signature has the claims that Apple asks for`() throws {
        let installation = try Installation()
        let answer = try object(
            try installation.holdfast(
                "sign", "--product", "reader.monthly", "--offer", "save50", "--transaction", "2000000123456789",
                "--formats", "v2", "--nonce", Self.nonce, "--at", Self.instant, "--format", "json"))
        #expect(answer["v1"] is NSNull)
        let jws = try #require((answer["v2"] as? [String: String])?["compactJWS"])
        let parts = try decoded(jws, audience: "promotional-offer", installation)
        #expect(parts["header"] as? [String: String] == ["alg": "ES256", "kid": Installation.keyId, "typ": "JWT"])
        let expected: NSDictionary = [
            "iss": "57246542-96fe-1a63-e053-0824d011072a", "iat": Self.milliseconds / 1000,
            "aud": "promotional-offer", "bid": Installation.bundleId, "nonce": Self.nonce.lowercased(),
            "productId": "reader.monthly", "offerIdentifier": "save50", "transactionId": "2000000123456789",
        ]
        #expect(parts["claims"] as? NSDictionary == expected)
    }

    @Test(arguments: ["true", "false"])
    func `introductory-offer eligibility says what was allowed`(allows: String) throws {
        let installation = try Installation()
        let answer = try object(
            try installation.holdfast(
                "sign", "--introductory", "--product", "reader.monthly", "--transaction", "7", "--allow", allows,
                "--nonce", Self.nonce, "--at", Self.instant, "--format", "json"))
        let jws = try #require(answer["compactJWS"] as? String)
        let parts = try decoded(jws, audience: "introductory-offer-eligibility", installation)
        let claims = try #require(parts["claims"] as? [String: Any])
        #expect(claims["allowIntroductoryOffer"] as? Bool == (allows == "true"))
        #expect(claims["transactionId"] as? String == "7")
    }

    @Test func `the text names what the client passes and says that nobody was checked`() throws {
        let installation = try Installation()
        let result = try installation.holdfast("sign", "--product", "reader.monthly", "--offer", "save50")
        #expect(result.exitCode == 0)
        for name in ["v1 keyIdentifier", "v1 nonce", "v1 timestamp", "v1 signature", "v2 compactJWS", "expiresDate"] {
            #expect(result.text.contains("\n\(name) "))
        }
        #expect(result.text.contains("v1 appAccountToken  none; pass none\n"))
        #expect(
            result.errorText == """
                signed for 'com.example.reader' with key 'ABC123DEFG'; the customer was not checked

                """)
    }

    @Test(arguments: [
        (["--product", "reader.monthly", "--offer", "save5"], "'save5'; did you mean 'save50'?"),
        (["--product", "reader.annual", "--offer", "save50"], "the products that have it: 'reader.monthly'"),
        (["--product", "nothing", "--offer", "nothing"], "no product 'nothing'"),
        (
            ["--introductory", "--product", "reader.annual", "--transaction", "7", "--allow", "true"],
            "no introductory offer on the product 'reader.annual'"
        ),
    ])
    func `S06 what the catalogue does not have is not signed`(line: [String], message: String) throws {
        let installation = try Installation()
        let text = try run(Surroundings.holdfast, ["sign"] + line, in: installation.folder.url)
        #expect(text.exitCode == 2)
        #expect(text.text == "")
        #expect(text.errorText.contains(message))
        let json = try run(Surroundings.holdfast, ["sign", "--format", "json"] + line, in: installation.folder.url)
        #expect(json.exitCode == 2)
        let answer = try object(json)
        #expect(answer["decision"] as? String == "refused")
        #expect((answer["reasons"] as? [[String: String]])?.first?["detail"]?.contains(message) == true)
    }

    @Test(arguments: [
        ["--product", "p"],
        ["--product", "p", "--offer", "o", "--allow", "true"],
        ["--product", "p", "--introductory", "--transaction", "7"],
        ["--product", "p", "--introductory", "--allow", "true"],
        ["--product", "p", "--introductory", "--allow", "true", "--transaction", "7", "--offer", "o"],
        ["--product", "p", "--introductory", "--allow", "true", "--transaction", "7", "--token", token],
        ["--product", "p", "--offer", "o", "--token", "not-a-uuid"],
    ])
    func `options that do not go together are wrong usage`(line: [String]) throws {
        let result = try run(Surroundings.holdfast, ["sign"] + line)
        #expect(result.exitCode == 64)
        #expect(result.errorText.hasPrefix("error: '"))
    }

    @Test func `a key that others can read does not sign and is not shown`() throws {
        let installation = try Installation()
        let file = installation.folder.path(Installation.keyFile)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let result = try installation.holdfast("sign", "--product", "reader.monthly", "--offer", "save50")
        #expect(result.exitCode == 1)
        #expect(result.text == "")
        #expect(result.errorText.contains("is open to others (mode '0644'); run chmod 600"))
        let secret = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")[1]
        #expect(!result.errorText.contains(secret))
    }
}
