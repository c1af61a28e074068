import Crypto
import Foundation
import TestSupport
import Testing

struct P256SignatureTests {
    let message = Array("com.example.reader\u{2063}ABC123DEFG".utf8)

    @Test func `openssl accepts our DER signatures`() throws {
        let openssl = try OpenSSLProgram()
        try openssl.makeKey()
        let signer = P256Signer(try P256PrivateKey(pkcs8: try openssl.bytes("key.p8")))
        for _ in 0..<5 {
            let signature = signer.derSignature(over: message)
            #expect(try openssl.verifies(signature, over: message))
            #expect(try !openssl.verifies(signature, over: message + [0]))
        }
        let raw = signer.rawSignature(over: message)
        #expect(raw.count == 64)
        #expect(try openssl.verifies(try #require(ECDSASignature.der(fromRaw: raw)), over: message))
    }

    @Test func `we accept signatures that openssl made and no changed ones`() throws {
        let openssl = try OpenSSLProgram()
        try openssl.makeKey()
        try openssl.write(message, to: "message")
        try openssl("dgst", "-sha256", "-sign", "key.p8", "-out", "signature", "message")
        let signature = try openssl.bytes("signature")
        let key = try P256PublicKey(pem: try openssl.text("public.pem"))
        #expect(key.isValid(derSignature: signature, over: message))
        #expect(!key.isValid(derSignature: signature, over: message.dropLast()))
        #expect(!key.isValid(derSignature: signature + [0], over: message))
        #expect(!key.isValid(derSignature: [], over: message))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.isValid(derSignature: changed, over: message), "bit of byte \(index)")
        }
        let raw = try #require(ECDSASignature.raw(fromDER: signature))
        #expect(key.isValid(rawSignature: raw, over: message))
        #expect(!key.isValid(rawSignature: raw + [0], over: message))
        #expect(!key.isValid(rawSignature: Array(raw.dropLast()), over: message))
        #expect(!key.isValid(rawSignature: [UInt8](repeating: 0, count: 64), over: message))
        #expect(!key.isValid(derSignature: raw, over: message))
        #expect(!P256PrivateKey.generate().publicKey.isValid(derSignature: signature, over: message))
    }

    /// `openssl asn1parse -genconf` writes the DER, so long and short numbers can be chosen.
    @Test(arguments: [
        (String(repeating: "ff", count: 32), "01"),
        ("7f" + String(repeating: "00", count: 31), "80"),
        ("0100", String(repeating: "80", count: 32)),
        (String(repeating: "12", count: 31), String(repeating: "7f", count: 32)),
    ])
    func `converts between r, s and DER as openssl writes it`(r: String, s: String) throws {
        let openssl = try OpenSSLProgram()
        try openssl.write(
            Array("asn1=SEQUENCE:pair\n[pair]\nr=INTEGER:0x\(r)\ns=INTEGER:0x\(s)\n".utf8), to: "pair.cnf")
        try openssl("asn1parse", "-genconf", "pair.cnf", "-noout", "-out", "pair.der")
        let der = try openssl.bytes("pair.der")
        let raw = Self.padded(r) + Self.padded(s)
        #expect(ECDSASignature.der(fromRaw: raw) == der)
        #expect(ECDSASignature.raw(fromDER: der) == raw)
    }

    @Test(arguments: [
        "", "3006020101020101ff", "30060201010201", "300602010102", "31060201010201 01", "3006020181020101",
        "30070202000102 0101", "3006020100020101", "3005020002 0101", "30060201010301 01", "308106020101020101",
        "3080020101020101 0000", "3026022101" + String(repeating: "00", count: 32) + "020101",
        "3006020101020101 3006020101020101",
    ])
    func `refuses DER that is no signature or not the shortest form`(hex: String) throws {
        let der = try Self.bytes(hex)
        #expect(ECDSASignature.raw(fromDER: der) == nil)
    }

    @Test func `the two forms of every signature stand for each other`() throws {
        let signer = P256Signer(.generate())
        for _ in 0..<300 {
            let der = signer.derSignature(over: message)
            let raw = try #require(ECDSASignature.raw(fromDER: der))
            #expect(ECDSASignature.der(fromRaw: raw) == der)
        }
        for count in [0, 63, 65, 72] { #expect(ECDSASignature.der(fromRaw: Array(repeating: 1, count: count)) == nil) }
    }

    @Test func `one public key verifies from several threads`() async {
        let key = P256PrivateKey.generate()
        let publicKey = key.publicKey
        let message = message
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let signer = P256Signer(key)
                    return (0..<50).allSatisfy { _ in
                        publicKey.isValid(rawSignature: signer.rawSignature(over: message), over: message)
                    }
                }
            }
            for await isValid in group { #expect(isValid) }
        }
    }

    private static func bytes(_ hex: String) throws -> [UInt8] {
        let digits = Array(hex.filter { $0 != " " })
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0..<$0 + 2]), radix: 16))
        }
    }

    private static func padded(_ hex: String) -> [UInt8] {
        let digits = (try? bytes(hex)) ?? []
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}
