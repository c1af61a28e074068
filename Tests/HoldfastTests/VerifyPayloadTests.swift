import Foundation
import TestSupport
import Testing

/// `verify` on what the App Store signs.
@Suite struct VerifyPayloadTests {
    static let transaction = """
        {"transactionId": "7", "originalTransactionId": "7", "bundleId": "com.example.reader",
         "productId": "reader.monthly", "purchaseDate": 1788609600000, "originalPurchaseDate": 1788609600000,
         "expiresDate": 1791201600000, "quantity": 1, "type": "Auto-Renewable Subscription",
         "inAppOwnershipType": "PURCHASED", "signedDate": 1788609600000, "environment": "Sandbox"}
        """

    /// Runs `verify` in an empty folder, where no configuration is found.
    private func verify(_ arguments: String..., input: String? = nil) throws -> ChildResult {
        let folder = try TemporaryFolder()
        return try run(
            Surroundings.holdfast, ["verify"] + arguments, input: input.map { Data($0.utf8) },
            environment: ["HOLDFAST_CONFIG": ""], in: folder.url)
    }

    @Test func `a transaction of a private App Store is valid with its root`() throws {
        let chain = try PrivateChain()
        let jws = try chain.sign(Self.transaction)
        let result = try verify(jws, "--root", chain.root)
        #expect(result.exitCode == 0)
        #expect(
            result.text.hasPrefix(
                """
                valid: the App Store signed this transaction at 2026-09-05T12:00:00Z
                environment: Sandbox
                bundleId: com.example.reader (not compared: no configuration)
                payload:

                """))
        #expect(result.text.contains("\n  expiresDate: 1791201600000 (2026-10-05T12:00:00Z)\n"))
        #expect(result.text.contains("\n  productId: reader.monthly\n"))
    }

    @Test func `a file, standard input and the App Store's own body are the same`() throws {
        let chain = try PrivateChain()
        let jws = try chain.sign(Self.transaction)
        let folder = try TemporaryFolder()
        let file = try folder.write(jws + "\n", to: "payload.jws").path
        let direct = try verify(jws, "--root", chain.root, "--format", "json")
        #expect(try object(direct)["valid"] as? Bool == true)
        #expect(try object(direct)["kind"] as? String == "transaction")
        #expect(try object(direct)["signedDate"] as? Int == 1_788_609_600_000)
        #expect(try verify("--jws", file, "--root", chain.root, "--format", "json").output == direct.output)
        for input in [jws + "\n", "{\"signedPayload\": \"\(jws)\"}"] {
            let piped = try verify("--jws", "-", "--root", chain.root, "--format", "json", input: input)
            #expect(piped.output == direct.output)
        }
    }

    @Test func `a foreign root is named as the fault`() throws {
        let jws = try PrivateChain().sign(Self.transaction)
        let other = try PrivateChain()
        for arguments in [[], ["--root", other.root]] {
            let result = try run(Surroundings.holdfast, ["verify", jws] + arguments)
            #expect(result.exitCode == 2)
            #expect(result.text.hasPrefix("not valid: untrustedRoot: "))
            #expect(result.text.contains("\npayload, not to be believed:\n"))
        }
    }

    @Test func `a changed payload is not valid`() throws {
        let chain = try PrivateChain()
        let jws = try chain.sign(Self.transaction).split(separator: ".")
        let other = try chain.sign(Self.transaction.replacingOccurrences(of: "\"7\"", with: "\"8\"")).split(
            separator: ".")
        let result = try verify("\(jws[0]).\(other[1]).\(jws[2])", "--root", chain.root, "--format", "json")
        #expect(result.exitCode == 2)
        let answer = try object(result)
        #expect(answer["valid"] as? Bool == false)
        #expect((answer["faults"] as? [[String: String]])?.map { $0["code"] } == ["invalidSignature"])
    }

    @Test(arguments: ["", "a.b", "a.b.c.d", "junk", "e30.e30.", "....", "\u{1b}[31m.x.y"])
    func `junk is not valid and never a crash`(text: String) throws {
        let result = try verify("--jws", "-", input: text)
        #expect(result.exitCode == 2)
        #expect(result.text.hasPrefix("not valid: "))
        #expect(!result.text.contains("\u{1b}"))
    }

    @Test func `control characters of a payload do not reach the terminal`() throws {
        let chain = try PrivateChain()
        let payload = Self.transaction.replacingOccurrences(of: "reader.monthly", with: "\\u001b[31mred\\nline")
        let result = try verify(try chain.sign(payload), "--root", chain.root)
        #expect(result.exitCode == 0)
        #expect(result.text.contains("\n  productId: ?[31mred?line\n"))
    }

    @Test func `with a configuration the app and the environment are compared`() throws {
        let chain = try PrivateChain()
        let installation = try Installation()
        try installation.edit("# trust: { rootCertificates: [] }", "trust: { rootCertificates: [\(chain.root)] }")
        let good = try installation.holdfast("verify", try chain.sign(Self.transaction))
        #expect(good.exitCode == 0)
        #expect(good.text.contains("\nbundleId: com.example.reader\n"))
        let foreign = Self.transaction.replacingOccurrences(of: "com.example.reader", with: "com.example.other")
        let wrong = try installation.holdfast("verify", try chain.sign(foreign))
        #expect(wrong.exitCode == 2)
        #expect(wrong.text.hasPrefix("not valid: wrongBundleId: "))
    }

    @Test(.enabled(if: Surroundings.hasShared, "needs the shared folder beside the project"))
    func `Apple's own notifications are valid with nothing but the pinned root`() throws {
        let files = try Surroundings.realNotifications()
        #expect(files.count == 4)
        for file in files {
            let result = try verify("--jws", file.path, "--format", "json")
            #expect(result.exitCode == 0)
            let answer = try object(result)
            #expect(answer["kind"] as? String == "notification")
            let payload = try #require(answer["payload"] as? [String: Any])
            #expect(payload["notificationUUID"] is String)
            let data = try #require(payload["data"] as? [String: Any])
            #expect((data["signedTransactionInfo"] as? [String: Any])?["originalTransactionId"] is String)
        }
    }

    @Test(arguments: [
        [], ["a.b.c", "--jws", "x"], ["--reply", "x", "--signature", "y"],
        ["--signature", "MEQ=", "--key-id", "ABC123DEFG"],
    ])
    func `one thing is verified at a time`(arguments: [String]) throws {
        #expect(try run(Surroundings.holdfast, ["verify"] + arguments).exitCode == 64)
    }
}
