import Crypto
import Foundation
import TestSupport
import Testing

struct P256KeyTests {
    @Test func `reads the key openssl made, as PEM and as DER`() throws {
        let openssl = try OpenSSLProgram()
        try openssl.makeKey()
        try openssl("pkcs8", "-topk8", "-nocrypt", "-in", "key.p8", "-outform", "DER", "-out", "key.der")
        try openssl("pkey", "-pubin", "-in", "public.pem", "-outform", "DER", "-out", "public.der")
        let info = try openssl.bytes("public.der")
        let pem = try openssl.text("key.p8")
        let unix = Array(pem.utf8)
        let windows = Array(pem.replacingOccurrences(of: "\n", with: "\r\n").utf8)
        let forms = [
            unix, windows, Array("\n\n \n\(pem)\n\n".utf8), [0xEF, 0xBB, 0xBF] + unix, Array(unix.dropLast()),
            try openssl.bytes("key.der"),
        ]
        for form in forms {
            #expect(try P256PrivateKey(pkcs8: form).publicKey.subjectPublicKeyInfo == info)
        }
        #expect(try P256PublicKey(pem: try openssl.text("public.pem")).subjectPublicKeyInfo == info)
        #expect(try P256PublicKey(subjectPublicKeyInfo: info).pem == openssl.text("public.pem"))
    }

    @Test func `openssl reads the key we made`() throws {
        let openssl = try OpenSSLProgram()
        let key = P256PrivateKey.generate()
        try openssl.write(Array(key.exportSecretPEM().utf8), to: "ours.p8")
        let check = try openssl("pkey", "-in", "ours.p8", "-check", "-pubout")
        let text = String(decoding: check, as: UTF8.self)
        #expect(text.contains("Key is valid"))
        #expect(text.contains(key.publicKey.pem))
        #expect(P256PrivateKey.generate().publicKey != key.publicKey)
    }

    /// Each file is made by openssl; the fault must be named and its cure said.
    @Test(arguments: [
        ("genrsa -out key 2048", KeyFault.otherAlgorithm("RSA"), "In-App Purchase key"),
        ("genrsa -traditional -out key 2048", .otherAlgorithm("RSA"), "In-App Purchase key"),
        (
            "genrsa -traditional -out raw 2048; rsa -in raw -traditional -outform DER -out key", .otherAlgorithm("RSA"),
            "In-App Purchase key"
        ),
        ("genpkey -algorithm ED25519 -out key", .otherAlgorithm("ED25519"), "In-App Purchase key"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out key", .otherCurve("secp384r1"), "P-256"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1 -out key", .otherCurve("secp256k1"), "P-256"),
        ("ecparam -name prime256v1 -genkey -noout -out key", .sec1, "openssl pkcs8 -topk8 -nocrypt"),
        ("ecparam -name prime256v1 -genkey -out key", .sec1, "openssl pkcs8 -topk8 -nocrypt"),
        ("ecparam -name prime256v1 -genkey -noout -outform DER -out key", .sec1, "openssl pkcs8 -topk8 -nocrypt"),
        ("ecparam -name prime256v1 -out key", .parametersOnly, "openssl genpkey"),
        ("ecparam -name prime256v1 -genkey -out raw; pkey -in raw -pubout -out key", .publicKey, ".p8 file"),
        (
            "ecparam -name prime256v1 -genkey -out raw; pkey -in raw -pubout -outform DER -out key", .publicKey,
            ".p8 file"
        ),
        (
            "ecparam -name prime256v1 -genkey -out raw; pkcs8 -topk8 -in raw -passout pass:x -out key", .encrypted,
            "openssl pkcs8"
        ),
        (
            "ecparam -name prime256v1 -genkey -out raw; pkcs8 -topk8 -in raw -passout pass:x -outform DER -out key",
            .encrypted, "openssl pkcs8"
        ),
        (
            "ecparam -name prime256v1 -genkey -out raw; ec -in raw -aes128 -passout pass:x -out key", .encrypted,
            "openssl pkcs8"
        ),
        (
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout raw -subj /CN=x -out key",
            .certificate,
            "give the key file"
        ),
        (
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout raw -subj /CN=x -outform DER -out key",
            .certificate, "give the key file"
        ),
        (
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout raw -subj /CN=x -out key",
            .otherContent(label: "CERTIFICATE REQUEST"), "give the key file"
        ),
    ])
    func `says what a file holds instead of a private key`(commands: String, fault: KeyFault, cure: String) throws {
        let openssl = try OpenSSLProgram()
        for command in commands.split(separator: ";") {
            let result = try run("openssl", command.split(separator: " ").map(String.init), in: openssl.folder.url)
            try #require(result.exitCode == 0, "\(result.errorText)")
        }
        let bytes = try openssl.bytes("key")
        #expect(throws: fault) { try P256PrivateKey(pkcs8: bytes) }
        #expect(fault.description.contains(cure))
    }

    /// Damage done to a good PEM file, with the fault that must be named.
    @Test(arguments: [
        ("escaped", KeyFault.pem(.escapedLineBreaks)),
        ("escaped inside", .pem(.escapedLineBreaks)),
        ("spaces", .pem(.lineBreaksLost)),
        ("joined", .pem(.lineBreaksLost)),
        ("quoted", .pem(.textBesideArmour(line: 1))),
        ("body alone", .pem(.noBlock(isBase64: true))),
        ("end missing", .pem(.endMissing(label: "PRIVATE KEY"))),
        ("end of another", .pem(.endDiffers(begin: "PRIVATE KEY", end: "PUBLIC KEY"))),
        ("letter lost", .pem(.badBase64(label: "PRIVATE KEY"))),
        ("letter changed", .pem(.badBase64(label: "PRIVATE KEY"))),
        ("nothing inside", .pem(.emptyBody(label: "PRIVATE KEY"))),
        ("twice", .severalBlocks(2)),
        ("words", .notDER),
        ("blank", .empty),
        ("empty", .empty),
    ])
    func `says how a PEM file was mangled`(damage: String, fault: KeyFault) {
        let pem = P256PrivateKey.generate().exportSecretPEM()
        let lines = pem.split(separator: "\n").map(String.init)
        let body = lines.dropFirst().dropLast().joined(separator: "\n")
        let mangled =
            switch damage {
            case "escaped": lines.joined(separator: "\\n")
            case "escaped inside": lines[0] + "\n" + lines.dropFirst().joined(separator: "\\n")
            case "spaces": lines.joined(separator: " ")
            case "joined": lines.joined()
            case "quoted": "\"" + pem + "\""
            case "body alone": body
            case "end missing": lines.dropLast().joined(separator: "\n")
            case "end of another": pem.replacingOccurrences(of: "END PRIVATE", with: "END PUBLIC")
            case "letter lost": lines[0] + "\n" + body.dropFirst() + "\n" + lines[lines.count - 1]
            case "letter changed": lines[0] + "\n*" + body.dropFirst() + "\n" + lines[lines.count - 1]
            case "nothing inside": lines[0] + "\n\n" + lines[lines.count - 1]
            case "twice": pem + pem
            case "words": "not a key at all"
            case "blank": " \n\r\n\t"
            default: ""
            }
        #expect(throws: fault) { try P256PrivateKey(pkcs8: Array(mangled.utf8)) }
        #expect(!fault.description.contains("\n") && !fault.description.hasSuffix("."))
    }

    @Test func `refuses trailing bytes, cut keys and numbers that do not belong together`() throws {
        let openssl = try OpenSSLProgram()
        try openssl.makeKey()
        try openssl("pkcs8", "-topk8", "-nocrypt", "-in", "key.p8", "-outform", "DER", "-out", "key.der")
        let der = try openssl.bytes("key.der")
        #expect(throws: KeyFault.trailingBytes(3)) { try P256PrivateKey(pkcs8: der + [0, 0, 0]) }
        #expect(throws: KeyFault.notDER) { try P256PrivateKey(pkcs8: der.dropLast()) }
        // The last byte belongs to the public point: off the curve when changed.
        var offCurve = der
        offCurve[der.count - 1] ^= 1
        #expect(throws: KeyFault.inconsistent) { try P256PrivateKey(pkcs8: offCurve) }
        // The point of another key is on the curve, and still not this key's.
        try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "other.p8")
        try openssl("pkcs8", "-topk8", "-nocrypt", "-in", "other.p8", "-outform", "DER", "-out", "other.der")
        let mixed = der.dropLast(64) + (try openssl.bytes("other.der")).suffix(64)
        #expect(throws: KeyFault.inconsistent) { try P256PrivateKey(pkcs8: Array(mixed)) }
        let large = [UInt8](repeating: 0x30, count: CryptoLimits.keyFileBytes + 1)
        #expect(throws: KeyFault.tooLarge(limit: CryptoLimits.keyFileBytes)) {
            try P256PrivateKey(pkcs8: large)
        }
        #expect(throws: KeyFault.tooLarge(limit: CryptoLimits.keyFileBytes)) {
            try P256PublicKey(subjectPublicKeyInfo: large)
        }
    }

    @Test(arguments: [false, true])
    func `the cure for a key with its curve spelled out is one command that ends in PKCS #8`(isPublic: Bool) throws {
        let openssl = try OpenSSLProgram()
        try openssl(
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:explicit",
            "-out", "private")
        try openssl("pkey", "-in", "private", "-pubout", "-out", "public")
        let fault = #expect(throws: KeyFault.unusualEncoding) {
            if isPublic { _ = try P256PublicKey(pem: try openssl.text("public")) }
            _ = try P256PrivateKey(pkcs8: try openssl.bytes("private"))
        }
        let quoted = try #require(fault).description.split(separator: "'").map(String.init)
        var command = quoted[1].replacingOccurrences(of: "FILE", with: isPublic ? "public" : "private")
        if isPublic { command += " " + quoted[3] }
        let result = try run("sh", ["-c", command], in: openssl.folder.url)
        try #require(result.exitCode == 0, "\(result.errorText)")
        if isPublic {
            _ = try P256PublicKey(pem: try openssl.text("KEY.p8"))
        } else {
            #expect(try openssl.text("KEY.p8").hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
            _ = try P256PrivateKey(pkcs8: try openssl.bytes("KEY.p8"))
        }
    }

    @Test func `refuses public keys that are not plain P-256`() throws {
        let openssl = try OpenSSLProgram()
        try openssl.makeKey()
        try openssl("pkey", "-in", "key.p8", "-pubout", "-outform", "DER", "-out", "plain")
        try openssl("ec", "-in", "key.p8", "-pubout", "-conv_form", "compressed", "-outform", "DER", "-out", "short")
        try openssl("ec", "-in", "key.p8", "-pubout", "-param_enc", "explicit", "-outform", "DER", "-out", "explicit")
        let plain = try openssl.bytes("plain")
        var offCurve = plain
        offCurve[90] ^= 1
        #expect(throws: KeyFault.inconsistent) { try P256PublicKey(subjectPublicKeyInfo: offCurve) }
        #expect(throws: KeyFault.trailingBytes(1)) { try P256PublicKey(subjectPublicKeyInfo: plain + [0]) }
        #expect(throws: KeyFault.unusualEncoding) {
            try P256PublicKey(subjectPublicKeyInfo: try openssl.bytes("short"))
        }
        #expect(throws: KeyFault.self) { try P256PublicKey(subjectPublicKeyInfo: try openssl.bytes("explicit")) }
        #expect(throws: KeyFault.privateKey) { try P256PublicKey(pem: try openssl.text("key.p8")) }
        #expect(throws: KeyFault.empty) { try P256PublicKey(subjectPublicKeyInfo: []) }
        #expect(throws: KeyFault.notDER) { try P256PublicKey(subjectPublicKeyInfo: [1, 2, 3]) }
        try openssl.makeKey(curve: "P-384")
        #expect(throws: KeyFault.otherCurve("secp384r1")) { try P256PublicKey(pem: try openssl.text("public.pem")) }
    }

    @Test func `a private key in any of its printed forms shows no byte of it`() throws {
        let key = P256PrivateKey.generate()
        var dumped = ""
        dump(key, to: &dumped)
        let printed = "\(key) \([key]) \(String(describing: key)) \(String(reflecting: key)) \(dumped)"
        let secret = try #require(
            Base64.decode(key.exportSecretPEM().split(separator: "\n").dropFirst().dropLast().joined()))
        // The private number is bytes 36 to 67 of PKCS #8.
        let number = Array(secret[36..<68])
        let hex = number.map { String(format: "%02x", $0) }.joined()
        #expect(!printed.lowercased().contains(hex.prefix(8)))
        #expect(!printed.contains(Base64.encode(number).prefix(8)))
        #expect(!printed.contains("\(number[0]), \(number[1])"))
        #expect(printed.contains("P256PrivateKey(secret)"))
    }
}
