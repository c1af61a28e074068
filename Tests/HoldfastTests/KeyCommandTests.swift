import Foundation
import TestSupport
import Testing

@Suite struct KeyCommandTests {
    @Test(arguments: ["client", "device", "marketer", "operator"])
    func `a created key is stored as the SHA-256 of its whole text and shown once`(role: String) throws {
        let installation = try Installation()
        let result = try installation.holdfast("key", "create", "--role", role, "--name", "a b", "--format", "json")
        #expect(result.exitCode == 0)
        let answer = try object(result)
        #expect(Set(answer.keys) == ["name", "role", "app", "key"])
        #expect(answer["name"] as? String == "a b")
        #expect(answer["role"] as? String == role)
        #expect(answer["app"] is NSNull)
        let key = try #require(answer["key"] as? String)
        #expect(key.wholeMatch(of: #/hf_[a-z]+_[A-Za-z0-9_-]{43}/#) != nil)
        #expect(key.hasPrefix("hf_\(role)_"))

        let digest = try openssl(["dgst", "-sha256", "-r"], input: Data(key.utf8)).text.prefix(64)
        let database = installation.folder.path("holdfast.sqlite")
        let stored = try run("sqlite3", [database, "SELECT lower(hex(key_digest)), role FROM api_key"])
        #expect(stored.text == "\(digest)|\(role)\n")
        for suffix in ["", "-wal"] {
            let bytes = (try? Data(contentsOf: URL(fileURLWithPath: database + suffix))) ?? Data()
            #expect(bytes.range(of: Data(key.dropFirst(3 + role.count + 1).utf8)) == nil)
        }
        #expect(try !installation.holdfast("key", "list").text.contains(key.suffix(20)))
    }

    @Test func `the key alone is on standard output and no two are the same`() throws {
        let installation = try Installation()
        let one = try installation.holdfast("key", "create", "--role", "client", "--name", "one")
        let two = try installation.holdfast("key", "create", "--role", "client", "--name", "two")
        #expect(one.text.wholeMatch(of: #/hf_client_[A-Za-z0-9_-]{43}\n/#) != nil)
        #expect(one.text != two.text)
        #expect(one.errorText == "this is the only time the key is shown; only its SHA-256 is stored\n")
    }

    @Test func `keys are listed with their app and their end`() throws {
        let installation = try Installation()
        _ = try installation.holdfast(
            "key", "create", "--role", "device", "--name", "ios", "--app", Installation.bundleId)
        _ = try installation.holdfast("key", "create", "--role", "operator", "--name", "ops")
        #expect(try installation.holdfast("key", "revoke", "ios").text == "revoked 'ios'\n")
        let keys = try #require(
            try object(try installation.holdfast("key", "list", "--format", "json"))["keys"] as? [[String: Any]])
        #expect(keys.map { $0["name"] as? String } == ["ios", "ops"])
        #expect(keys.map { $0["app"] as? String } == [Installation.bundleId, nil])
        #expect(keys.map { $0["revokedDate"] is NSNull } == [false, true])
        let csv = try installation.holdfast("key", "list", "--format", "csv").text
        #expect(csv.hasPrefix("name,role,app,createdDate,revokedDate\nios,device,com.example.reader,20"))
        #expect(try installation.holdfast("key", "list").text.contains("ops   operator  every "))
    }

    @Test func `a name that a terminal would show as another is shown with its escapes, and raw to programs`() throws {
        let installation = try Installation()
        let name = "shop\u{202E}\u{200B}ten\u{AD}"
        let shown = #"shop\u{202e}\u{200b}ten\u{ad}"#
        #expect(try installation.holdfast("key", "create", "--role", "client", "--name", name).exitCode == 0)
        #expect(try installation.holdfast("key", "list").text.contains("\n\(shown)  client  every "))
        let csv = try installation.holdfast("key", "list", "--format", "csv").text
        #expect(csv.contains("\n\(name),client,"))
        let keys = try #require(
            try object(try installation.holdfast("key", "list", "--format", "json"))["keys"] as? [[String: Any]])
        #expect(keys.map { $0["name"] as? String } == [name])
        let taken = try installation.holdfast("key", "create", "--role", "client", "--name", name)
        #expect(taken.errorText.hasPrefix("error: an API key named '\(shown)' exists"), "\(taken.errorText)")
        let unknown = try installation.holdfast("key", "revoke", name + "\u{2063}")
        #expect(unknown.errorText.hasPrefix("error: no key is named '\(shown)\\u{2063}'"), "\(unknown.errorText)")
        #expect(unknown.errorText.hasSuffix("did you mean '\(shown)'?\n"), "\(unknown.errorText)")
        #expect(try installation.holdfast("key", "revoke", name).text == "revoked '\(shown)'\n")
        #expect(try installation.holdfast("key", "revoke", name).text.hasPrefix("'\(shown)' is revoked since "))
    }

    @Test func `revoking twice changes nothing and an unknown name is refused`() throws {
        let installation = try Installation()
        _ = try installation.holdfast("key", "create", "--role", "client", "--name", "backend")
        #expect(try installation.holdfast("key", "revoke", "backend").exitCode == 0)
        let list = try installation.holdfast("key", "list").text
        let again = try installation.holdfast("key", "revoke", "backend")
        #expect(again.exitCode == 0)
        #expect(again.text.hasPrefix("'backend' is revoked since 20"))
        #expect(try installation.holdfast("key", "list").text == list)
        let unknown = try installation.holdfast("key", "revoke", "backnd")
        #expect(unknown.exitCode == 2)
        #expect(
            unknown.errorText == """
                error: no key is named 'backnd'; 'holdfast key list' shows all; did you mean 'backend'?

                """)
    }

    @Test func `a name is used once, also after its key was revoked`() throws {
        let installation = try Installation()
        _ = try installation.holdfast("key", "create", "--role", "client", "--name", "backend")
        _ = try installation.holdfast("key", "revoke", "backend")
        let again = try installation.holdfast("key", "create", "--role", "client", "--name", "backend")
        #expect(again.exitCode == 2)
        #expect(again.text == "")
        #expect(again.errorText.hasPrefix("error: an API key named 'backend' exists or existed"))
    }

    @Test(arguments: ["> /dev/full", ">&-"], ["text", "json"])
    func `a key that cannot be shown is not made`(output: String, format: String) throws {
        let installation = try Installation()
        let line = "'\(Surroundings.holdfast)' key create --role client --name shop --config holdfast.yaml"
        let failed = try run("sh", ["-c", "\(line) --format \(format) \(output)"], in: installation.folder.url)
        #expect(failed.exitCode == 1)
        #expect(failed.errorText.contains("error: cannot write the key to standard output, so none was made; "))
        let again = try installation.holdfast("key", "create", "--role", "client", "--name", "shop")
        #expect(again.exitCode == 0)
    }

    @Test func `keys need no catalogue and no signing key`() throws {
        let folder = try TemporaryFolder()
        for line in [
            ["init", "."], ["key", "create", "--role", "client", "--name", "shop"], ["key", "list"],
            ["key", "revoke", "shop"],
        ] {
            let result = try run(
                Surroundings.holdfast, line, environment: ["HOLDFAST_CONFIG": ""], in: folder.url)
            #expect(result.exitCode == 0, "\(line): \(result.errorText)")
        }
    }

    @Test func `only a configured app can be bound`() throws {
        let installation = try Installation()
        let result = try installation.holdfast(
            "key", "create", "--role", "client", "--name", "x", "--app", "com.example.raeder")
        #expect(result.exitCode == 2)
        #expect(
            result.errorText == """
                error: no app 'com.example.raeder' in 'holdfast.yaml'; did you mean 'com.example.reader'?

                """)
        #expect(!FileManager.default.fileExists(atPath: installation.folder.path("holdfast.sqlite")))
    }
}
