import Foundation
import TestSupport
import Testing

/// A folder as `holdfast init` writes it, with the two files that its configuration names.
struct Installation {
    let folder: TemporaryFolder

    static let keyId = "ABC123DEFG"
    static let keyFile = "SubscriptionKey_ABC123DEFG.p8"
    static let publicKeyFile = "public.pem"
    static let bundleId = "com.example.reader"

    init() throws {
        folder = try TemporaryFolder()
        try #require(try run(Surroundings.holdfast, ["init", "."], in: folder.url).exitCode == 0)
        try folder.write(CatalogCommandTests.reader, to: "Reader.storekit")
        try openssl([
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", folder.path(Self.keyFile),
        ])
        try openssl(["pkey", "-in", folder.path(Self.keyFile), "-pubout", "-out", folder.path(Self.publicKeyFile)])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(Self.keyFile))
    }

    /// Runs the program in the folder, where it finds `holdfast.yaml` by itself.
    func holdfast(_ arguments: String...) throws -> ChildResult {
        try run(Surroundings.holdfast, arguments, environment: ["HOLDFAST_CONFIG": ""], in: folder.url)
    }

    /// Makes another key and puts it before the one that signs until now.
    func addKey(_ keyId: String) throws {
        let file = "SubscriptionKey_\(keyId).p8"
        try openssl([
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", folder.path(file),
        ])
        try openssl(["pkey", "-in", folder.path(file), "-pubout", "-out", folder.path("\(keyId).pem")])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(file))
        let old = try String(contentsOfFile: folder.path("holdfast.yaml"), encoding: .utf8)
        let start = try #require(old.range(of: "signing:\n"))
        let end = try #require(old.range(of: "privateKeyFile: \(Self.keyFile)\n"))
        let issuer = "issuerId: 57246542-96fe-1a63-e053-0824d011072a"
        let list = """
            signing:
                  - { keyId: \(keyId), \(issuer), privateKeyFile: \(file) }
                  - { keyId: \(Self.keyId), \(issuer), privateKeyFile: \(Self.keyFile) }

            """
        try folder.write(
            old.replacingCharacters(in: start.lowerBound..<end.upperBound, with: list), to: "holdfast.yaml")
    }

    /// Puts `replacement` in the place of `text` in the configuration.
    func edit(_ text: String, _ replacement: String) throws {
        let old = try String(contentsOfFile: folder.path("holdfast.yaml"), encoding: .utf8)
        try #require(old.contains(text))
        try folder.write(old.replacingOccurrences(of: text, with: replacement), to: "holdfast.yaml")
    }
}

/// Runs openssl, which must succeed.
@discardableResult
func openssl(_ arguments: [String], input: Data? = nil) throws -> ChildResult {
    let result = try run("openssl", arguments, input: input)
    try #require(result.exitCode == 0, "\(result.errorText)")
    return result
}

/// The object that a command wrote as JSON.
func object(_ result: ChildResult) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result.errorText)")
}
