import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct CertificateAuthorityTests {
    static let validity = midnight(2020, 1, 1)..<midnight(2040, 1, 1)

    @Test func `openssl accepts and shows what it issues`() throws {
        let root = try CertificateAuthority(rootNamed: "Prüfstelle", validity: Self.validity)
        let intermediate = try root.issueIntermediate(
            named: "Between", validity: Self.validity, extensions: ["1.2.840.113635.100.6.2.1"], serial: [0x12, 0x34])
        let leaf = try intermediate.issueLeaf(
            named: "End", for: P256PrivateKey.generate().publicKey, validity: Self.validity,
            extensions: ["1.2.840.113635.100.6.11.1"])
        let folder = try TemporaryFolder()
        try folder.write(root.certificate.pem, to: "root.pem")
        try folder.write(intermediate.certificate.pem, to: "intermediate.pem")
        try folder.write(leaf.pem, to: "leaf.pem")

        let verified = try run(
            "openssl",
            [
                "verify", "-x509_strict", "-auth_level", "2", "-attime", String(midnight(2030, 1, 1) / 1000),
                "-no-CApath", "-no-CAstore", "-CAfile", folder.path("root.pem"),
                "-untrusted", folder.path("intermediate.pem"), folder.path("leaf.pem"),
            ])
        #expect(verified.exitCode == 0, "\(verified.errorText)")
        let shown = try run("openssl", ["x509", "-noout", "-text", "-in", folder.path("intermediate.pem")]).text
        #expect(shown.contains("Serial Number: 4660 (0x1234)"))
        #expect(shown.contains("CA:TRUE, pathlen:0"))
        #expect(shown.contains("NIST CURVE: P-384"))
        #expect(shown.contains("Not Before: Jan  1 00:00:00 2020 GMT"))
        #expect(shown.contains("Not After : Jan  1 00:00:00 2040 GMT"))
        #expect(root.certificate.subject == #"CN=Pr\C3\BCfstelle"#)
    }

    @Test func `a stored authority goes on issuing`() throws {
        let root = try CertificateAuthority(rootNamed: "Root", validity: Self.validity)
        let secret = Array(root.exportSecretPEM().utf8)
        let told = try run("openssl", ["pkey", "-noout", "-check"], input: Data(secret))
        #expect(told.exitCode == 0, "\(told.errorText)")

        let again = try CertificateAuthority(certificate: root.certificate, secretPEM: secret)
        let intermediate = try again.issueIntermediate(named: "Between", validity: Self.validity, extensions: [])
        let leaf = try intermediate.issueLeaf(
            named: "End", for: P256PrivateKey.generate().publicKey, validity: Self.validity, extensions: [])
        let chain = try CertificateChain.verify(
            leaf: leaf, intermediate: intermediate.certificate, trustedRoots: [root.certificate],
            at: midnight(2030, 1, 1))
        #expect(chain.root == root.certificate)

        let other = try CertificateAuthority(rootNamed: "Root", validity: Self.validity)
        #expect(throws: CertificateFault.self) {
            try CertificateAuthority(certificate: other.certificate, secretPEM: secret)
        }
    }

    @Test func `its secret cannot be printed`() throws {
        let root = try CertificateAuthority(rootNamed: "Root", validity: Self.validity)
        var dumped = ""
        dump(root, to: &dumped)
        let printed = "\(root) \(String(reflecting: root)) \(dumped)"
        #expect(printed.contains("CN=Root"))
        #expect(!printed.contains("PRIVATE") && !printed.contains("AuthorityKey"))
    }

    @Test func `refuses a serial number that X.509 does not allow`() {
        for serial in [[], [UInt8](repeating: 1, count: 21)] {
            #expect(throws: CertificateFault.self) {
                try CertificateAuthority(rootNamed: "Root", validity: Self.validity, serial: serial)
            }
        }
    }
}
