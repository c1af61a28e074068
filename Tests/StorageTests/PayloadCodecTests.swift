import CampaignCore
import Crypto
import Foundation
import TestSupport
import Testing

@testable import Storage

/// What is packed for the log comes back byte for byte, whatever it was.
struct PayloadCodecTests {
    let codec = PayloadCodec()

    /// Packs and unpacks as a database would, with ids that are no places.
    private func roundTrip(_ text: String) -> (text: String?, body: [UInt8], headers: Int) {
        let packed = codec.pack(text)
        let body = packed.body(headerIds: packed.headers.indices.map { Int64($0) + 300 })
        let unpacked = codec.unpack(body) { (id: Int64) throws(Never) -> [UInt8]? in
            packed.headers.indices.contains(Int(id) - 300) ? packed.headers[Int(id) - 300] : nil
        }
        return (unpacked, body, packed.headers.count)
    }

    @Test(arguments: [
        "", ".", "..", "a.b.c", "no JWS at all", "é.é.é", "eyJ9.e30.AA", "eyJ9.e30.AA.AA", "eyJ9.e31.AA", "eyJ9..",
        ".e30.AA", "eyJ9.e30=.AA", "eyJ9.e30.AB", String(repeating: "x", count: 100_000),
    ])
    func `text of any shape comes back`(text: String) {
        #expect(roundTrip(text).text == text)
    }

    @Test(.enabled(if: Surroundings.hasShared, "needs the shared folder beside the project"))
    func `real notifications take less than a kilobyte and one header`() throws {
        var sizes: [Int] = []
        for file in try Surroundings.realNotifications() {
            let text = try String(contentsOf: file, encoding: .utf8)
            let (unpacked, body, headers) = roundTrip(text)
            #expect(unpacked == text)
            #expect(headers == 1)
            sizes.append(body.count)
        }
        print("bytes of a logged notification: \(sizes)")
        #expect(sizes.count == 4)
        #expect(sizes.allSatisfy { $0 < 800 })
    }

    /// Signatures, headers and payloads that no App Store would write, and damage anywhere in good ones.
    @Test(arguments: 0..<4)
    func `whatever is changed in a notification, it comes back`(round: UInt64) throws {
        let given = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...UInt64.max) &+ round
        print("HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<250 {
            var text = Array(Self.notification(using: &generator).utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) { Self.damage(&text, using: &generator) }
            let signed = String(decoding: text, as: UTF8.self)
            #expect(roundTrip(signed).text == signed, "HOLDFAST_SEED=\(seed)")
        }
    }

    @Test(arguments: 0..<2)
    func `a damaged body is told or gives other text, and never crashes`(round: UInt64) {
        var generator = SeededGenerator(seed: 4_711 + round)
        for _ in 0..<500 {
            let signed = Self.notification(using: &generator)
            let packed = codec.pack(signed)
            var body = packed.body(headerIds: packed.headers.indices.map(Int64.init))
            Self.damage(&body, using: &generator)
            _ = codec.unpack(body) { (id: Int64) throws(Never) -> [UInt8]? in
                packed.headers.indices.contains(Int(id)) ? packed.headers[Int(id)] : nil
            }
        }
    }

    /// Stored bodies can be read with this text alone.
    @Test func `the dictionary is what it was`() {
        #expect(SHA256.hex(SHA256.digest(PayloadDictionary.first)) == Self.dictionaryDigest)
    }

    private static let dictionaryDigest = "d8d0fa8e4182234db46b2b2ef16cfe764f92a86b181e04a9c3f5d721e18f1fd1"

    static func notification(using generator: inout SeededGenerator) -> String {
        func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: count, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        let headers = (0..<3).map { _ in Base64URL.encode(bytes(1...60)) }
        func jws(_ payload: String) -> String {
            let header = headers.randomElement(using: &generator) ?? ""
            return header + "." + Base64URL.encode(Array(payload.utf8)) + "." + Base64URL.encode(bytes(0...80))
        }
        var members = ["\"notificationType\":\"DID_RENEW\""]
        for key in ["signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo", "otherInfo"]
        where Bool.random(using: &generator) {
            let inner = jws(
                "{\"signedDate\":\(UInt64.random(in: 0...9_999, using: &generator)),\"é\":\"\\\"Info\\\":\"}")
            members.append("\"\(key)\":\"\(inner)\"")
        }
        return jws("{" + members.shuffled(using: &generator).joined(separator: ",") + "}")
    }

    static func damage(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(UInt8(ascii: "."), at: index)
        default: bytes.removeLast(bytes.count - index)
        }
    }
}
