import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Findings in a StoreKit configuration file` {
    @Test(arguments: CatalogFixtures.names(in: "valid"))
    func `a usable file gives a catalogue and the expected warnings`(name: String) throws {
        let reading = try CatalogFixtures.reading("valid/\(name)")
        #expect(reading.findings.map(\.description) == (try CatalogFixtures.expectedFindings("valid/\(name)")))
        #expect(reading.catalog != nil)
    }

    @Test(arguments: CatalogFixtures.names(in: "invalid"))
    func `an unusable file gives no catalogue and all of its faults at once`(name: String) throws {
        let reading = try CatalogFixtures.reading("invalid/\(name)")
        let expected = try CatalogFixtures.expectedFindings("invalid/\(name)")
        #expect(reading.findings.map(\.description) == expected)
        #expect(!expected.isEmpty)
        #expect(reading.catalog == nil)
    }

    @Test func `the fixtures are where the tests look for them`() {
        #expect(CatalogFixtures.names(in: "valid").contains("Tide"))
        #expect(CatalogFixtures.names(in: "invalid").contains("WrongKinds"))
    }

    @Test func `a private key never leaves the file`() throws {
        let names =
            CatalogFixtures.names(in: "valid").map { "valid/\($0)" }
            + CatalogFixtures.names(in: "invalid").map { "invalid/\($0)" }
        var filesWithKey = 0
        for name in names {
            let text = String(decoding: try CatalogFixtures.bytes(name), as: UTF8.self)
            guard text.contains("NEVER-SHOWN") else { continue }
            filesWithKey += 1
            var dumped = ""
            dump(try CatalogFixtures.reading(name), to: &dumped)
            #expect(!dumped.contains("NEVER-SHOWN"), "\(name)")
        }
        #expect(filesWithKey == 3)
    }

    @Test func `a private key in place of its id is not repeated either`() throws {
        let text =
            #"{"version":{"major":4},"subscriptionOffersKeyPair":{"id":"MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkw"}}"#
        let findings = Catalog.read(storeKitFile: Array(text.utf8)).findings.map(\.description)
        #expect(findings.contains { $0.contains("the key pair of Xcode's local testing") })
        #expect(!findings.contains { $0.contains("MIGT") })
    }

    /// Every text of the file in turn holds a key that openssl made, in each of the forms that a key is copied in.
    @Test func `a key in any field is an error that names the place and never shows the key`() throws {
        let pem = try run("openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]).text
        let lines = pem.split(separator: "\n").map(String.init)
        let body = lines.dropFirst().dropLast().joined()
        let other = try run("openssl", ["genpkey", "-algorithm", "ED25519"]).text
        let forms = [
            pem, body, "key: \(body)", lines.joined(separator: "\\n"), "\(lines[1])\n\(lines[2])",
            body.replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "+", with: "-"),
            other.split(separator: "\n").map(String.init)[1],
        ]
        let whole = try JSONSerialization.jsonObject(with: Data(try CatalogFixtures.bytes("valid/Tide")))
        var readings = 0
        for form in forms {
            let piece = form.split(whereSeparator: \.isNewline).map(String.init).max { $0.count < $1.count } ?? form
            for file in Self.variants(of: whole, with: form) where file is [String: Any] {
                let bytes = [UInt8](try JSONSerialization.data(withJSONObject: file, options: .withoutEscapingSlashes))
                let reading = Catalog.read(storeKitFile: bytes)
                let shown = reading.findings.map(\.description).joined(separator: "\n")
                try #require(reading.catalog == nil)
                try #require(shown.contains("a key stands here, which is not shown"), "\(shown)")
                try #require(!shown.contains(piece.suffix(30).prefix(20)) && !shown.contains("MIGH"))
                readings += 1
            }
        }
        #expect(readings > 500)
        let text =
            #"{"version":{"major":4},"subscriptionGroups":[{"id":"1","subscriptions":[{"productID":"\#(body)"}]}]}"#
        #expect(
            Catalog.read(storeKitFile: Array(text.utf8)).findings.map(\.description) == [
                "error: subscriptionGroups[0] > subscriptions[0] > productID: a key stands here, which is not shown; "
                    + "remove it, and revoke it in App Store Connect if it is private"
            ])
        let keys = Catalog.read(storeKitFile: Array(#"{"version":{},"\#(body)":1,"\#(body)":2}"#.utf8)).findings
        #expect(keys.count == 2 && keys.allSatisfy { $0.severity == .error && !$0.description.contains("MIGH") })
    }

    @Test(arguments: 1...5)
    func `schemas 1 to 5 are read without a remark about the version`(major: Int) {
        let text = #"{"version":{"major":\#(major),"minor":7},"subscriptionGroups":[]}"#
        let findings = Catalog.read(storeKitFile: Array(text.utf8)).findings
        #expect(!findings.contains { $0.place.hasPrefix("version") })
    }

    @Test(arguments: [0, 6, -1])
    func `another schema is a warning and no more`(major: Int) {
        let text = #"{"version":{"major":\#(major)},"subscriptionGroups":[]}"#
        let reading = Catalog.read(storeKitFile: Array(text.utf8))
        #expect(reading.findings.first?.severity == .warning)
        #expect(reading.findings.first?.place == "version")
        #expect(reading.catalog != nil)
    }

    private static func file(subscriptions: [String]) -> [UInt8] {
        let list = subscriptions.joined(separator: ",")
        return Array(#"{"version":{"major":4},"subscriptionGroups":[{"id":"1","subscriptions":[\#(list)]}]}"#.utf8)
    }

    private static func unpriced(_ identifier: String) -> String {
        #"{"productID":"\#(identifier)","groupNumber":1,"recurringSubscriptionPeriod":"P1M"}"#
    }

    @Test func `a list of findings is cut and says so`() {
        let reading = Catalog.read(storeKitFile: Self.file(subscriptions: (0..<300).map { Self.unpriced("p\($0)") }))
        #expect(reading.findings.count == 201)
        #expect(reading.findings.last?.message.hasPrefix("100 more findings are not listed") == true)
        #expect(reading.findings.allSatisfy { $0.severity == .warning })
        #expect(reading.catalog?.subscriptions.count == 300)
    }

    @Test func `an error that the list has no room for still makes the file unusable`() {
        let subscriptions = (0..<300).map { Self.unpriced($0 == 299 ? "" : "p\($0)") }
        let reading = Catalog.read(storeKitFile: Self.file(subscriptions: subscriptions))
        #expect(reading.findings.dropLast().allSatisfy { $0.severity == .warning })
        #expect(reading.findings.last?.severity == .error)
        #expect(reading.catalog == nil)
    }

    @Test func `more products, offers or bytes than a real file has are refused`() {
        let products = (0...10_000).map { #"{"productID":"p\#($0)","type":"Consumable"}"# }.joined(separator: ",")
        let crowd = Catalog.read(storeKitFile: Array(#"{"version":{"major":4},"products":[\#(products)]}"#.utf8))
        #expect(crowd.findings.first?.message == "more than 10000 products; give each app a file of its own")

        let offers = (0...500).map { #"{"offerID":"o\#($0)","paymentMode":"free","subscriptionPeriod":"P1W"}"# }
        let subscription =
            #"{"productID":"p","displayPrice":"1","groupNumber":1,"recurringSubscriptionPeriod":"P1M","#
            + #""adHocOffers":[\#(offers.joined(separator: ","))]}"#
        #expect(
            Catalog.read(storeKitFile: Self.file(subscriptions: [subscription])).findings.map(\.description) == [
                "error: subscriptionGroups[0] > p > adHocOffers: 501 offers, at most 500 are read; "
                    + "remove those that have ended"
            ])

        let large = [UInt8](repeating: UInt8(ascii: " "), count: 16 * 1024 * 1024 + 1)
        #expect(
            Catalog.read(storeKitFile: large).findings.first?.message.hasPrefix("longer than 16777216 bytes") == true)
    }

    @Test func `a wrong value anywhere is a finding or makes no difference, never a crash`() throws {
        let whole = try JSONSerialization.jsonObject(with: Data(try CatalogFixtures.bytes("valid/Tide")))
        let wrongValues: [Any] = [NSNull(), true, -7, "", "P1M", [Any](), [[7]], [String: Any]()]
        var readings = 0
        for wrong in wrongValues {
            for file in Self.variants(of: whole, with: wrong) where file is [Any] || file is [String: Any] {
                let reading = Catalog.read(storeKitFile: [UInt8](try JSONSerialization.data(withJSONObject: file)))
                let hasErrors = reading.findings.contains { $0.severity == .error }
                #expect((reading.catalog == nil) == hasErrors)
                #expect(reading.findings.allSatisfy { !$0.place.isEmpty && !$0.message.contains("\n") })
                readings += 1
            }
        }
        #expect(readings > 1_000)
    }

    /// The tree with each of its values in turn replaced by `wrong`.
    private static func variants(of tree: Any, with wrong: Any) -> [Any] {
        var variants: [Any] = [wrong]
        if let object = tree as? [String: Any] {
            for (key, value) in object {
                variants += Self.variants(of: value, with: wrong).map { object.merging([key: $0]) { $1 } }
            }
        } else if let array = tree as? [Any] {
            for (index, value) in array.enumerated() {
                variants += Self.variants(of: value, with: wrong).map { variant in
                    var array = array
                    array[index] = variant
                    return array
                }
            }
        }
        return variants
    }
}
