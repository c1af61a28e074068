import Crypto
import Foundation
import TestSupport
import Testing

struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `gives the digests of FIPS 180-4`(text: String, hex: String) {
        #expect(SHA256.hex(Array(text.utf8)) == hex)
    }

    @Test(arguments: [55, 56, 63, 64, 65, 1000, 100_000])
    func `agrees with openssl around the block size`(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let output = try run("openssl", ["dgst", "-sha256", "-r"], input: Data(bytes)).text
        #expect(SHA256.hex(bytes) == output.prefix(64))
        #expect(bytes.withUnsafeBytes { SHA256.digest($0) } == SHA256.digest(bytes))
    }
}
