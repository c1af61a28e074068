import Crypto
import Foundation
import TestSupport
import Testing

struct Base64Tests {
    @Test func `encodes and decodes as Foundation does`() {
        let seed = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Data(bytes).base64EncodedString()
            let url = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            #expect(Base64.encode(bytes) == text, "HOLDFAST_SEED=\(seed)")
            #expect(Base64.decode(text) == bytes, "HOLDFAST_SEED=\(seed)")
            #expect(Base64URL.encode(bytes) == url, "HOLDFAST_SEED=\(seed)")
            #expect(Base64URL.decode(url) == bytes, "HOLDFAST_SEED=\(seed)")
        }
    }

    /// Every text of up to four characters from one of each kind, against Foundation and a second encoding.
    @Test func `accepts exactly what encoding writes`() {
        let characters: [Character] = ["A", "B", "Q", "g", "w", "9", "+", "/", "-", "_", "=", "\n", " ", "\u{0}", "é"]
        var texts = [""]
        var all = texts
        for _ in 0..<4 {
            texts = texts.flatMap { text in characters.map { text + String($0) } }
            all += texts
        }
        var accepted = 0
        for text in all {
            let data = Data(base64Encoded: text).flatMap { $0.base64EncodedString() == text ? $0 : nil }
            if Base64.decode(text) != data.map({ [UInt8]($0) }) { Issue.record("Base64 of '\(text)'") }
            let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            let padded = standard + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            let isURL = !text.contains { "+/=".contains($0) }
            let urlData = Data(base64Encoded: padded).flatMap { $0.base64EncodedString() == padded ? $0 : nil }
            let expected = isURL ? urlData.map { [UInt8]($0) } : nil
            if Base64URL.decode(text) != expected { Issue.record("Base64URL of '\(text)'") }
            accepted += data == nil ? 0 : 1
        }
        #expect(accepted > 1000)
    }

    @Test(arguments: ["QQ", "QQ=", "QR==", "QUJ=", "QQ==\n", "QQ\n==", "Q===", "====", "QUJD=", "QUI-", " QQ=="])
    func `refuses Base64 that is not padded, canonical and bare`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["QQ==", "QR", "QUJ", "Q", "QUI+", "QUI/", "QQ\n"])
    func `refuses Base64URL with padding, stray bits or the other alphabet`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `decodes a part of a text in place`() {
        let text = "eyJhIjoxfQ.QUJD.x"
        let parts = text.utf8.split(separator: UInt8(ascii: "."))
        #expect(Base64URL.decode(parts[1]) == Array("ABC".utf8))
        #expect(Base64URL.decode(text.dropLast(2).suffix(4)) == Array("ABC".utf8))
        let inPlace = Array(text.utf8).withUnsafeBytes { Base64URL.decode($0[11..<15]) }
        #expect(inPlace == Array("ABC".utf8))
    }
}
