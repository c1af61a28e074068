import AppStore
import CampaignCore
import Crypto
import Foundation
import TestSupport
import Testing

struct SignatureEncodingTests {
    @Test(arguments: [
        SpoiledSignature("encoded twice", ["signatureEncodedTwice"]) {
            $0.encode = { Data(Data($0).base64EncodedString().utf8).base64EncodedString() }
        },
        SpoiledSignature("encoded three times", ["signatureEncodedTwice"]) {
            $0.encode = { der in
                (0..<3).reduce(Data(der)) { data, _ in Data(data.base64EncodedString().utf8) }.text
            }
        },
        SpoiledSignature("r and s", ["rawSignature"]) { $0.encode = { Data(try rAndS($0)).base64EncodedString() } },
        SpoiledSignature("hexadecimal", ["hexadecimalSignature"]) {
            $0.encode = { $0.map { String(format: "%02x", $0) }.joined() }
        },
        SpoiledSignature("hexadecimal of r and s", ["hexadecimalSignature", "rawSignature"]) {
            $0.encode = { try rAndS($0).map { String(format: "%02X", $0) }.joined() }
        },
        SpoiledSignature("line breaks", ["lineBreaksInSignature"]) {
            $0.encode = {
                Data($0).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
            }
        },
        SpoiledSignature("line break at the end", ["lineBreaksInSignature"]) {
            $0.encode = { Data($0).base64EncodedString() + "\n" }
        },
        SpoiledSignature("escaped line breaks", ["lineBreaksInSignature"]) {
            $0.encode = { Data($0).base64EncodedString() + "\\n" }
        },
        SpoiledSignature("quotes", ["quotesAroundSignature"]) {
            $0.encode = { "\"" + Data($0).base64EncodedString() + "\"" }
        },
        SpoiledSignature("missing", ["signatureMissing"]) { $0.encode = { _ in "" } },
        SpoiledSignature("unreadable", ["signatureUnreadable"]) { $0.encode = { _ in "§§ no signature §§" } },
        SpoiledSignature("too long", ["signatureTooLong"]) {
            $0.encode = { _ in String(repeating: "QUFB", count: 5000) }
        },
        SpoiledSignature("cut off", ["notASignature"]) {
            $0.encode = { Data($0.dropLast(8)).base64EncodedString() }
        },
    ])
    func `names how the signature is written wrongly`(spoiled: SpoiledSignature) throws { try spoiled.expectFaults() }

    /// These depend on which characters a signature happens to have, so one is made until it has them.
    @Test func `names base64url, lost padding, spaces in place of plus signs and percent-encoding`() throws {
        var codes: Set<String> = []
        for _ in 0..<60 where codes.count < 4 {
            let story = SignedStory()
            let received = try story.received()
            let text = received.signature
            func diagnose(_ signature: String) throws -> [String] {
                try SignatureCheck.tide().faults(of: received.with(signature: signature)).map(\.code)
            }
            if text.hasSuffix("=") {
                #expect(try diagnose(text.replacingOccurrences(of: "=", with: "")) == ["paddingMissing"])
                codes.insert("padding")
            }
            if text.contains("+") || text.contains("/") {
                let url = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                #expect(try diagnose(url.replacingOccurrences(of: "=", with: "")) == ["base64URLSignature"])
                #expect(try diagnose(url) == ["base64URLSignature"])
                codes.insert("url")
            }
            if text.contains("+") {
                #expect(try diagnose(text.replacingOccurrences(of: "+", with: " ")) == ["plusBecameSpace"])
                codes.insert("plus")
            }
            if text.hasSuffix("=") || text.contains("+") || text.contains("/") {
                let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                #expect(try diagnose(encoded) == ["percentEncodedSignature"])
                codes.insert("percent")
            }
        }
        #expect(codes.count == 4)
    }

    @Test func `names DER with a zero byte too many or one too few`() throws {
        let story = SignedStory()
        var shapes: Set<String> = []
        for _ in 0..<40 where shapes.count < 2 {
            let received = try story.received()
            let made = try #require(Base64.decode(received.signature))
            let numbers = try TideKeys.numbers(of: made)
            let isHigh = numbers.map { "89ABCDEF".contains($0.first ?? "0") }
            guard isHigh.contains(true) || shapes.contains("few") else { continue }
            for prefix in isHigh.contains(true) ? ["", "00"] : ["00"] {
                let integers = numbers.map { prefix + $0 }
                let body = integers.map { "02" + String(format: "%02x", $0.count / 2) + $0 }.joined()
                let der = "30" + String(format: "%02x", body.count / 2) + body
                let text = Data(TideKeys.bytes(ofHex: der)).base64EncodedString()
                guard text != received.signature else { continue }
                #expect(
                    try SignatureCheck.tide().faults(of: received.with(signature: text)).map(\.code) == ["notStrictDER"]
                )
                shapes.insert(prefix == "" ? "few" : "many")
            }
        }
        #expect(shapes == ["few", "many"])
    }
}

extension Data {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

private func rAndS(_ der: [UInt8]) throws -> [UInt8] {
    TideKeys.bytes(ofHex: try TideKeys.numbers(of: der).joined())
}
