import Foundation
import TestSupport
import Testing

/// The `openssl` program in a folder of its own: makes the keys and signatures that ours are compared with.
struct OpenSSLProgram {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs `openssl` and gives its output; a failure ends the test with what it said.
    @discardableResult
    func callAsFunction(_ arguments: String...) throws -> Data {
        let result = try run("openssl", arguments, in: folder.url)
        try #require(result.exitCode == 0, "openssl \(arguments.joined(separator: " ")): \(result.errorText)")
        return result.output
    }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.url.appendingPathComponent(name)))
    }

    func text(_ name: String) throws -> String {
        String(decoding: try bytes(name), as: UTF8.self)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try folder.write(Data(bytes), to: name)
    }

    /// A PKCS #8 key in `key.p8` and its public half in `public.pem`.
    func makeKey(curve: String = "P-256") throws {
        try self("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-out", "key.p8")
        try self("pkey", "-in", "key.p8", "-pubout", "-out", "public.pem")
    }

    /// Whether `openssl dgst` takes `signature` (DER) for the message.
    func verifies(_ signature: [UInt8], over message: [UInt8]) throws -> Bool {
        try write(signature, to: "signature")
        try write(message, to: "message")
        let result = try run(
            "openssl", ["dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "message"],
            in: folder.url)
        return result.exitCode == 0 && result.text.contains("Verified OK")
    }
}
