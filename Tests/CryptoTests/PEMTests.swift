import Crypto
import TestSupport
import Testing

struct PEMTests {
    @Test func `reads several blocks with text between them`() throws {
        let openssl = try OpenSSLProgram()
        for name in ["one", "two"] {
            try openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-keyout", "key",
                "-subj", "/CN=\(name)", "-text", "-out", name)
            try openssl("x509", "-in", name, "-outform", "DER", "-out", "\(name).der")
        }
        let blocks = try PEM.blocks(in: try openssl.bytes("one") + openssl.bytes("two"))
        #expect(blocks.map(\.label) == ["CERTIFICATE", "CERTIFICATE"])
        #expect(blocks.map(\.bytes) == [try openssl.bytes("one.der"), try openssl.bytes("two.der")])
    }

    @Test func `writes what openssl writes`() throws {
        let openssl = try OpenSSLProgram()
        try openssl.makeKey()
        let block = try #require(try PEM.blocks(in: try openssl.bytes("key.p8")).first)
        #expect(PEM.encode(label: block.label, block.bytes) == (try openssl.text("key.p8")))
    }

    @Test func `stops at its limits`() {
        let one = "-----BEGIN X-----\nQQ==\n-----END X-----\n"
        let many = Array(String(repeating: one, count: CryptoLimits.pemBlocks + 1).utf8)
        #expect(throws: PEMFault.tooManyBlocks(limit: CryptoLimits.pemBlocks)) { try PEM.blocks(in: many) }
        let large = [UInt8](repeating: 0x20, count: CryptoLimits.pemBytes + 1)
        #expect(throws: PEMFault.tooLarge(limit: CryptoLimits.pemBytes)) {
            try PEM.blocks(in: large)
        }
    }
}
