import Foundation
import TestSupport
import Testing

/// How a command finds its configuration and its app.
@Suite struct ConfigurationOptionTests {
    private func holdfast(_ arguments: [String], variable: String = "") throws -> ChildResult {
        let elsewhere = try TemporaryFolder()
        return try run(
            Surroundings.holdfast, arguments, environment: ["HOLDFAST_CONFIG": variable], in: elsewhere.url)
    }

    @Test func `the configuration is found by option anywhere, by variable and in the current folder`() throws {
        let installation = try Installation()
        let path = installation.folder.path("holdfast.yaml")
        let here = try installation.holdfast("catalog", "show")
        #expect(here.exitCode == 0)
        #expect(here.text.hasPrefix("Reader (21400001)\n"))
        for line in [
            ["--config", path, "catalog", "show"], ["catalog", "--config=\(path)", "show"],
            ["catalog", "show", "--config", path],
        ] {
            #expect(try holdfast(line).output == here.output)
            // The option goes before the variable.
            #expect(try holdfast(line, variable: "/absent.yaml").output == here.output)
        }
        #expect(try holdfast(["catalog", "show"], variable: path).output == here.output)
    }

    @Test func `a configuration that is not there is a failure with what to do`() throws {
        let result = try holdfast(["key", "list"])
        #expect(result.exitCode == 1)
        #expect(
            result.errorText == """
                error: cannot read the configuration 'holdfast.yaml': no such file or directory; \
                name it with '--config PATH' or write one with 'holdfast init DIR'

                """)
    }

    @Test func `faults of the configuration are lines that begin with its path`() throws {
        let installation = try Installation()
        try installation.edit("environments: [Production, Sandbox]", "environments: [Produktion]")
        try installation.edit("listen: 127.0.0.1:8080", "lisen: 127.0.0.1:8080")
        let result = try installation.holdfast("key", "list")
        #expect(result.exitCode == 1)
        let lines = result.errorText.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.wholeMatch(of: #/holdfast\.yaml:\d+:\d+: error: .+/#) != nil })
    }

    @Test func `with several apps one must be named`() throws {
        let installation = try Installation()
        let second = """
            apps:
              - bundleId: com.example.second
                appAppleId: 6400000002
                environments: [Sandbox]
                catalog: Reader.storekit
                signing: { keyId: ABC123DEFG, issuerId: 57246542-96fe-1a63-e053-0824d011072a, privateKeyFile: \
            SubscriptionKey_ABC123DEFG.p8 }
            """
        try installation.edit("apps:", second)
        let unnamed = try installation.holdfast("catalog", "show")
        #expect(unnamed.exitCode == 64)
        #expect(
            unnamed.errorText.hasPrefix(
                "error: several apps are configured; name one of 'com.example.second', 'com.example.reader' with '--app'"
            ))
        #expect(try installation.holdfast("catalog", "show", "--app", "com.example.second").exitCode == 0)
        let unknown = try installation.holdfast("catalog", "show", "--app", "com.example.secnd")
        #expect(unknown.exitCode == 2)
        #expect(unknown.errorText.hasSuffix("; did you mean 'com.example.second'?\n"))
        let both = try installation.holdfast("catalog", "show", "Reader.storekit", "--app", "com.example.second")
        #expect(both.exitCode == 64)
    }
}
