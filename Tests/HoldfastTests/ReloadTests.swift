import Foundation
import TestSupport
import Testing

/// `kill -HUP` against the built program.
@Suite(.serialized) struct `A reload by SIGHUP` {
    private static func codes(_ answer: [String: Any]) -> [String] {
        (answer["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
    }

    /// Whether openssl verifies the V1 signature of `answer` with the public key in the file `key`.
    private static func verifies(_ answer: [String: Any], _ key: String, _ installation: Installation) throws -> Bool {
        let v1 = try #require(answer["v1"] as? [String: Any])
        let signature = try #require((v1["signature"] as? String).flatMap { Data(base64Encoded: $0) })
        let parts = [
            Installation.bundleId, try #require(v1["keyIdentifier"] as? String), "reader.monthly",
            try #require(answer["offerIdentifier"] as? String), "", try #require(v1["nonce"] as? String),
            "\(try #require(v1["timestamp"] as? Int))",
        ]
        let folder = installation.folder
        try folder.write(signature, to: "signature")
        let result = try run(
            "openssl",
            ["dgst", "-sha256", "-verify", folder.path(key), "-signature", folder.path("signature")],
            input: Data(parts.joined(separator: "\u{2063}").utf8))
        return result.exitCode == 0
    }

    @Test func `signs a new offer of the catalogue, and keeps everything while a file is spoiled`() throws {
        let installation = try Installation()
        let service = try RunningService(installation)
        #expect(try service.offer()["decision"] as? String == "offered")
        #expect(Self.codes(try service.offer("summer")) == ["offerNotOnProduct"])
        #expect(try service.metric("holdfast_reload_ok") == 1)

        let summer = CatalogCommandTests.reader.replacing("\"offerID\" : \"save50\"", with: "\"offerID\" : \"summer\"")
        try installation.folder.write(summer, to: "Reader.storekit")
        #expect(Self.codes(try service.offer("summer")) == ["offerNotOnProduct"])
        let lines = try service.reload()
        #expect(lines.map { $0["event"] as? String } == ["reloaded"])
        #expect(try service.offer("summer")["decision"] as? String == "offered")
        #expect(Self.codes(try service.offer("save50")) == ["offerNotOnProduct"])

        // The catalogue is spoiled and the configuration sound: still nothing of either is taken over.
        try installation.edit("appAppleId: 6400000001", "appAppleId: 6400000002")
        try installation.folder.write(CatalogCommandTests.broken, to: "Reader.storekit")
        let loaded = try service.metric("holdfast_reload_timestamp_seconds")
        let refused = try service.reload()
        #expect(refused.last?["event"] as? String == "reloadRefused")
        let faults = refused.dropLast()
        #expect(!faults.isEmpty)
        for fault in faults {
            #expect(fault["event"] as? String == "configurationFault" && fault["level"] as? String == "error")
            #expect((fault["detail"] as? String)?.hasPrefix("holdfast.yaml:") == true, "\(fault)")
            #expect((fault["detail"] as? String)?.contains("\n") == false)
        }
        #expect(try service.offer("summer")["decision"] as? String == "offered")
        #expect(try service.metric("holdfast_reload_ok") == 0)
        #expect(try service.metric("holdfast_reloads_total{outcome=\"refused\"}") == 1)
        #expect(try service.metric("holdfast_reload_timestamp_seconds") == loaded)

        try installation.folder.write(CatalogCommandTests.reader, to: "Reader.storekit")
        #expect(try service.reload().last?["event"] as? String == "reloaded")
        #expect(try service.metric("holdfast_reload_ok") == 1)
        #expect(try service.offer()["decision"] as? String == "offered")
    }

    @Test func `takes over a rotated key, which signs while the old one stays known`() throws {
        let installation = try Installation()
        let service = try RunningService(installation)
        let before = try service.offer()
        #expect((before["v1"] as? [String: Any])?["keyIdentifier"] as? String == Installation.keyId)
        #expect(try Self.verifies(before, Installation.publicKeyFile, installation))

        try installation.addKey("NEWKEY0001")
        let lines = try service.reload()
        #expect(lines.last?["signingKeys"] as? [String] == ["NEWKEY0001"])
        let after = try service.offer()
        #expect((after["v1"] as? [String: Any])?["keyIdentifier"] as? String == "NEWKEY0001")
        #expect(try Self.verifies(after, "NEWKEY0001.pem", installation))
        #expect(try !Self.verifies(after, Installation.publicKeyFile, installation))

        for answer in [before, after] {
            try installation.folder.write(JSONSerialization.data(withJSONObject: answer), to: "reply.json")
            let verified = try installation.holdfast("verify", "--reply", "reply.json")
            #expect(verified.exitCode == 0, "\(verified.text)\(verified.errorText)")
        }

        // A key that others can read is refused, and with it the whole set.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: installation.folder.path(Installation.keyFile))
        #expect(try service.reload().last?["event"] as? String == "reloadRefused")
        #expect((try service.offer()["v1"] as? [String: Any])?["keyIdentifier"] as? String == "NEWKEY0001")
    }

    @Test func `says what takes a restart, and loses no request under load`() throws {
        let installation = try Installation()
        let service = try RunningService(installation)
        let script = """
            import http.client, sys
            connection, answers = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20), []
            for _ in range(3000):
                connection.request("GET", "/health/live")
                answer = connection.getresponse()
                answer.read()
                answers.append(answer.status)
            print(answers.count(200))
            """
        let load = Process()
        load.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        load.arguments = ["python3", "-c", script, service.port]
        let counted = Pipe()
        load.standardOutput = counted
        try load.run()
        try installation.edit("listen: 127.0.0.1:0", "listen: 127.0.0.1:1")
        try installation.edit("database: sqlite:holdfast.sqlite", "database: sqlite:other.sqlite")
        var lines = try service.reload()
        #expect(
            lines.filter { $0["event"] as? String == "needsRestart" }.map { $0["key"] as? String } == [
                "listen", "database",
            ])
        #expect(lines.last?["event"] as? String == "reloaded")
        for _ in 0..<5 { lines = try service.reload() }
        load.waitUntilExit()
        #expect(String(decoding: counted.fileHandleForReading.availableData, as: UTF8.self) == "3000\n")
        #expect(!FileManager.default.fileExists(atPath: installation.folder.path("other.sqlite")))
    }

    @Test func `believes other proxies, with the rest of the configuration or not at all`() throws {
        let installation = try Installation()
        let service = try RunningService(installation)
        let made = try installation.holdfast("key", "create", "--role", "device", "--name", "ios")
        let key = made.text.trimmingCharacters(in: .newlines)
        /// How many of 800 requests with a forged proof, forwarded for one address, came too soon.
        func tooSoon(_ address: String) throws -> Int {
            let body = """
                { "requestId": "\(UUID().uuidString)", "bundleId": "com.example.reader", "environment": "Production",
                  "productId": "reader.monthly", "offerIdentifier": "save50", "signedTransactionInfo": "a.b.c" }
                """
            let result = try run(
                "curl",
                [
                    "-s", "-o", "/dev/null", "-w", "%{http_code}\n", "-H", "Authorization: Bearer \(key)",
                    "-H", "X-Forwarded-For: \(address)", "-d", body,
                    "http://127.0.0.1:\(service.port)/v1/signatures/promotional-offer?[1-800]",
                ])
            let statuses = result.text.split(separator: "\n")
            try #require(statuses.count == 800 && statuses.allSatisfy { ["422", "429"].contains($0) })
            return statuses.count { $0 == "429" }
        }
        #expect(try tooSoon("203.0.113.1") == 0, "nobody tells addresses apart behind a proxy that is not ours")
        try installation.edit("# trustedProxies: []", "trustedProxies: [127.0.0.1/32]")
        try installation.edit("appAppleId: 6400000001", "appAppleID: 6400000001")
        #expect(try service.reload().last?["event"] as? String == "reloadRefused")
        #expect(try tooSoon("203.0.113.1") == 0)
        try installation.edit("appAppleID: 6400000001", "appAppleId: 6400000001")
        #expect(try service.reload().map { $0["event"] as? String } == ["reloaded"])
        #expect(try tooSoon("203.0.113.1") > 0)
        try installation.edit("trustedProxies: [127.0.0.1/32]", "trustedProxies: []")
        #expect(try service.reload().map { $0["event"] as? String } == ["reloaded"])
        #expect(try tooSoon("203.0.113.1") == 0)
    }

    @Test func `is refused when it would put a shifted clock into Production`() throws {
        let installation = try Installation()
        try installation.edit("environments: [Production, Sandbox]", "environments: [Sandbox]")
        let service = try RunningService(installation, "--clock-start", "2027-01-01T00:00:00Z")
        try installation.edit("environments: [Sandbox]", "environments: [Production, Sandbox]")
        let lines = try service.reload()
        #expect(lines.map { $0["event"] as? String } == ["configurationFault", "reloadRefused"])
    }

    @Test func `at the level error nothing less is logged`() throws {
        let installation = try Installation()
        let service = try RunningService(installation, "--log-level", "error")
        try installation.edit("appAppleId: 6400000001", "appAppleID: 6400000001")
        let lines = try service.reload()
        #expect(!lines.isEmpty && lines.allSatisfy { $0["level"] as? String == "error" })
        try installation.edit("appAppleID: 6400000001", "appAppleId: 6400000001")
        service.hangUp()
        let loaded = "holdfast_reloads_total{outcome=\"loaded\"}"
        for _ in 0..<3000 where try service.metric(loaded) != 1 { Thread.sleep(forTimeInterval: 0.02) }
        #expect(try service.metric(loaded) == 1)
        #expect(service.log.allSatisfy { $0["level"] as? String == "error" })
    }
}
