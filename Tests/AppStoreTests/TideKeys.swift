import AppStore
import CampaignCore
import Crypto
import Foundation
import TestSupport

/// Two keys that openssl made, and signatures of the openssl program with them.
enum TideKeys {
    static let one = KeyID("K3YTESTID1")
    static let two = KeyID("K3YTESTID2")
    static let issuerId = IssuerID("11111111-2222-4333-8444-555555555555")

    private static let folder: Result<TemporaryFolder, any Error> = Result {
        let folder = try TemporaryFolder()
        for keyId in [one, two] {
            try openssl(
                ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "\(keyId).p8"], folder)
            try openssl(["pkey", "-in", "\(keyId).p8", "-pubout", "-out", "\(keyId).pem"], folder)
        }
        return folder
    }

    struct Failure: Error {
        let text: String
    }

    @discardableResult
    private static func openssl(_ arguments: [String], _ folder: TemporaryFolder, input: [UInt8] = []) throws -> [UInt8]
    {
        let result = try run("openssl", arguments, input: Data(input), in: folder.url)
        guard result.exitCode == 0 else { throw Failure(text: result.errorText) }
        return [UInt8](result.output)
    }

    static func path(_ keyId: KeyID) throws -> String { try folder.get().path("\(keyId).p8") }

    static func publicKey(_ keyId: KeyID) throws -> P256PublicKey {
        try P256PublicKey(pem: String(contentsOfFile: folder.get().path("\(keyId).pem"), encoding: .utf8))
    }

    static func signingKey(_ keyId: KeyID = one) throws -> SigningKey {
        try SigningKeyFile.load(path: path(keyId), keyId: keyId, issuerId: issuerId)
    }

    /// What `openssl dgst -sign` makes of the message: DER.
    static func signature(over message: [UInt8], by keyId: KeyID) throws -> [UInt8] {
        try openssl(["dgst", "-sha256", "-sign", "\(keyId).p8"], folder.get(), input: message)
    }

    /// Whether `openssl dgst -verify` takes the signature, DER, for the message.
    static func verifies(_ signature: [UInt8], over message: [UInt8], keyId: KeyID) throws -> Bool {
        let scratch = try TemporaryFolder()
        let file = try scratch.write(Data(signature), to: "signature")
        let result = try run(
            "openssl", ["dgst", "-sha256", "-verify", "\(keyId).pem", "-signature", file.path], input: Data(message),
            in: folder.get().url)
        return result.exitCode == 0
    }

    /// r and s of a DER signature, as `openssl asn1parse` reads them, in hexadecimal of 64 digits each.
    static func numbers(of der: [UInt8]) throws -> [String] {
        let text = String(
            decoding: try openssl(["asn1parse", "-inform", "DER"], folder.get(), input: der), as: UTF8.self)
        return text.split(separator: "\n").filter { $0.contains("INTEGER") }.map { line in
            let digits = line.split(separator: ":").last ?? ""
            return String(repeating: "0", count: max(0, 64 - digits.count)) + digits
        }
    }

    static func bytes(ofHex hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}

/// Runs a script with Apple's Python library at hand; `input` goes in and comes out as JSON.
func applePython(_ script: String, _ input: [String: Any]) throws -> [String: Any] {
    let scratch = try TemporaryFolder()
    let file = try scratch.write(script, to: "script.py")
    let result = try run(
        Surroundings.python, [file.path], input: try JSONSerialization.data(withJSONObject: input))
    guard result.exitCode == 0 else { throw TideKeys.Failure(text: result.errorText) }
    guard let output = try JSONSerialization.jsonObject(with: result.output) as? [String: Any] else {
        throw TideKeys.Failure(text: result.text)
    }
    return output
}
