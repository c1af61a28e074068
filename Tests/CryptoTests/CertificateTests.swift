import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct CertificateTests {
    @Test(arguments: ["root", "intermediate", "leaf", "p384-leaf"])
    func `reads what openssl reads`(name: String) throws {
        let certificate = try OpenSSLChains.certificate(name)
        let told = try run(
            "openssl",
            [
                "x509", "-noout", "-subject", "-dates", "-fingerprint", "-sha256", "-nameopt", "RFC2253",
                "-dateopt", "iso_8601", "-in", OpenSSLChains.path("\(name).pem"),
            ]
        ).text
        let fields = Dictionary(
            told.split(separator: "\n").compactMap { line in
                line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            }, uniquingKeysWith: { first, _ in first })

        #expect(certificate.subject == fields["subject"])
        #expect(
            certificate.fingerprint
                == fields["sha256 Fingerprint"]?.replacingOccurrences(of: ":", with: "").lowercased())
        let isLeaf = name.hasSuffix("leaf")
        #expect(certificate.notBefore == midnight(isLeaf ? 2024 : 2020, 1, 1))
        #expect(certificate.notAfter == midnight(isLeaf ? 2026 : 2040, 1, 1))
        #expect(fields["notAfter"] == (isLeaf ? "2026-01-01 00:00:00Z" : "2040-01-01 00:00:00Z"))
        #expect(certificate.pem == String(decoding: try OpenSSLChains.file("\(name).pem"), as: UTF8.self))
    }

    @Test func `finds an extension by its identifier`() throws {
        let leaf = try OpenSSLChains.certificate("leaf")
        #expect(leaf.contains(extension: "1.2.840.113635.100.6.11.1"))
        #expect(leaf.contains(extension: "2.5.29.15"))
        #expect(!leaf.contains(extension: "1.2.840.113635.100.6.2.1"))
        #expect(!leaf.contains(extension: "1.2.840.113635.100.6.11"))
        #expect(!leaf.contains(extension: "no identifier"))
        #expect(!(try OpenSSLChains.certificate("unmarked-leaf")).contains(extension: "1.2.840.113635.100.6.11.1"))
    }

    @Test func `gives the key that openssl extracts, on P-256 only`() throws {
        let key = try OpenSSLChains.certificate("leaf").publicKey()
        let told = try run("openssl", ["x509", "-noout", "-pubkey", "-in", OpenSSLChains.path("leaf.pem")])
        #expect(key.pem == told.text)
        let other = try OpenSSLChains.certificate("p384-leaf")
        #expect(throws: KeyFault.otherCurve("secp384r1")) { try other.publicKey() }
    }

    @Test func `refuses bytes after the certificate and every cut before its end`() throws {
        let der = try OpenSSLChains.certificate("leaf").der
        #expect(throws: CertificateFault.trailingBytes(2)) { try Certificate(der: der + [0, 0]) }
        for length in 0..<der.count {
            #expect(throws: CertificateFault.notACertificate) { try Certificate(der: Array(der.prefix(length))) }
        }
        #expect(throws: CertificateFault.tooLarge(limit: 16384)) {
            try Certificate(der: [UInt8](repeating: 0x30, count: 16385))
        }
    }

    /// The outer length in more bytes than it needs is BER, not DER.
    @Test func `refuses BER`() throws {
        let der = try OpenSSLChains.certificate("leaf").der
        try #require(der[1] == 0x82)
        let longer = [0x30, 0x83, 0x00] + der[2...]
        let told = try run("openssl", ["x509", "-inform", "DER", "-noout"], input: Data(longer))
        try #require(told.exitCode == 0, "openssl reads it, so we must look ourselves")
        #expect(throws: CertificateFault.notDER) { try Certificate(der: Array(longer)) }
    }

    @Test func `reads a file with several certificates, and nothing else in it`() throws {
        let leaf = try OpenSSLChains.file("leaf.pem")
        let root = try OpenSSLChains.file("root.pem")
        let key = try OpenSSLChains.file("leaf.key")
        let both = try Certificate.all(in: leaf + root)
        #expect(both == [try OpenSSLChains.certificate("leaf"), try OpenSSLChains.certificate("root")])
        #expect(try Certificate.all(in: both[1].der) == [both[1]])
        #expect(throws: CertificateFault.otherContent(label: "PRIVATE KEY")) { try Certificate.all(in: leaf + key) }
        #expect(throws: CertificateFault.pem(.noBlock(isBase64: false))) { try Certificate.all(in: Array("-".utf8)) }
        #expect(throws: CertificateFault.notACertificate) { try Certificate.all(in: []) }
        #expect(throws: CertificateFault.notACertificate) { try Certificate.all(in: Array(" \n".utf8)) }
    }

    /// Every byte changed in one bit: an answer or a fault each time, never a crash.
    @Test func `any changed byte is read or refused`() throws {
        let der = try OpenSSLChains.certificate("leaf").der
        var read = 0
        for index in der.indices {
            var changed = der
            changed[index] ^= index % 2 == 0 ? 0x01 : 0x80
            guard let certificate = try? Certificate(der: changed) else { continue }
            read += 1
            #expect(certificate.der == changed)
            _ = certificate.subject
            _ = try? certificate.publicKey()
            _ = certificate.contains(extension: "2.5.29.15")
        }
        // A changed key or signature is still a certificate, only not a proven one.
        #expect(read > 100)
    }
}
