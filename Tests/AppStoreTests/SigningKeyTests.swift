import AppStore
import CampaignCore
import Crypto
import Foundation
import Glibc
import TestSupport
import Testing

struct SigningKeyTests {
    let keyId = TideKeys.one

    private func load(_ path: String) throws(SigningKeyError) -> SigningKey {
        try SigningKeyFile.load(path: path, keyId: keyId, issuerId: TideKeys.issuerId)
    }

    @Test func `loads a key file that only its owner can read`() throws {
        for mode in [0o600, 0o400] {
            let folder = try TemporaryFolder()
            let pem = try String(contentsOfFile: TideKeys.path(keyId), encoding: .utf8)
            let file = try folder.write(pem, to: "SubscriptionKey_\(keyId).p8", mode: mode)
            let key = try load(file.path)
            #expect(key.keyId == keyId)
            #expect(key.issuerId == TideKeys.issuerId)
            #expect(try key.publicKey == TideKeys.publicKey(keyId))
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o620, 0o601, 0o777])
    func `refuses a key file that is open to others and gives the command to close it`(mode: Int) throws {
        let folder = try TemporaryFolder()
        let pem = try String(contentsOfFile: TideKeys.path(keyId), encoding: .utf8)
        let file = try folder.write(pem, to: "owner's key.p8", mode: mode)
        let error = #expect(throws: SigningKeyError.readableByOthers(path: file.path, mode: UInt16(mode))) {
            try load(file.path)
        }
        // The command in the message must work as it is.
        let description = try #require(error?.description)
        let command = try #require(description.range(of: "run ")).upperBound
        #expect(try run("sh", ["-c", String(description[command...])]).exitCode == 0)
        #expect(try load(file.path).keyId == keyId)
    }

    @Test func `refuses what is no key file, naming its path`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path("missing.p8")
        #expect(throws: SigningKeyError.missing(path: missing)) { try load(missing) }
        #expect(throws: SigningKeyError.folder(path: folder.url.path)) { try load(folder.url.path) }
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: SigningKeyError.notAFile(path: pipe)) { try load(pipe) }
        let large = try folder.write(Data(repeating: 65, count: CryptoLimits.keyFileBytes + 1), to: "large.p8")
        let tooLarge = KeyFault.tooLarge(limit: CryptoLimits.keyFileBytes)
        #expect(throws: SigningKeyError.badKeyFile(path: large.path, tooLarge)) { try load(large.path) }
        #expect(tooLarge.description == "the key has more than '16384' bytes; give the key file itself")
        let empty = try folder.write("", to: "empty.p8")
        let error = #expect(throws: SigningKeyError.badKeyFile(path: empty.path, .empty)) { try load(empty.path) }
        #expect(error?.description.contains(empty.path) == true)
        let below = empty.path + "/key.p8"
        #expect(throws: SigningKeyError.unreadable(path: below, reason: "Not a directory")) { try load(below) }
    }

    @Test func `loads a key from an environment variable's value`() throws {
        let pem = try String(contentsOfFile: TideKeys.path(keyId), encoding: .utf8)
        func load(_ value: String?) throws(SigningKeyError) -> SigningKey {
            try SigningKeyFile.load(variable: "TIDE_KEY", value: value, keyId: keyId, issuerId: TideKeys.issuerId)
        }
        #expect(try load(pem).publicKey == TideKeys.publicKey(keyId))
        #expect(throws: SigningKeyError.variableMissing(name: "TIDE_KEY")) { try load(nil) }
        #expect(throws: SigningKeyError.badVariable(name: "TIDE_KEY", .empty)) { try load("") }
        #expect(throws: SigningKeyError.badVariable(name: "TIDE_KEY", .pem(.escapedLineBreaks))) {
            try load(pem.replacingOccurrences(of: "\n", with: "\\n"))
        }
    }

    @Test(arguments: [
        ("/keys/SubscriptionKey_K3YTESTID1.p8", nil),
        ("SubscriptionKey_K3YTESTID1.p8", nil),
        ("/keys/tide.p8", nil),
        ("/keys/SubscriptionKey_OTHERKEY00.pem", nil),
        (
            "/keys/SubscriptionKey_OTHERKEY00.p8",
            SigningKeyWarning.fileNamesOtherKey(
                fileName: "SubscriptionKey_OTHERKEY00.p8", named: KeyID("OTHERKEY00"), configured: KeyID("K3YTESTID1"))
        ),
        ("/keys/AuthKey_K3YTESTID1.p8", .appStoreConnectAPIKey(fileName: "AuthKey_K3YTESTID1.p8")),
    ])
    func `warns when the file's name speaks of another key`(path: String, warning: SigningKeyWarning?) {
        #expect(SigningKeyFile.warning(path: path, keyId: keyId) == warning)
    }

    @Test func `no printed form of a signing key shows a byte of it`() throws {
        let key = try TideKeys.signingKey()
        struct Holder { let keys: [SigningKey] }
        var dumped = ""
        dump(key, to: &dumped)
        dump(Holder(keys: [key]), to: &dumped)
        dump(OfferSigner(key), to: &dumped)
        let printed = "\(key) \(String(describing: key)) \(String(reflecting: key)) \(Holder(keys: [key])) \(dumped)"
        let pem = try String(contentsOfFile: TideKeys.path(keyId), encoding: .utf8)
        let secret = try #require(Base64.decode(pem.split(separator: "\n").dropFirst().dropLast().joined()))
        let number = Array(secret[36..<68])
        let hex = number.map { String(format: "%02x", $0) }.joined()
        #expect(!printed.lowercased().contains(hex.prefix(8)))
        #expect(!printed.contains("\(number[0]), \(number[1])"))
        for line in pem.split(separator: "\n").dropFirst().dropLast() {
            #expect(!printed.contains(line.dropFirst(4).prefix(16)))
        }
        #expect("\(key)" == "SigningKey(keyId: K3YTESTID1)")
    }
}
