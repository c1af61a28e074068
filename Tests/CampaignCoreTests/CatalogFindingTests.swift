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

    @Test func `a list of findings is cut and says so`() {
        let subscription = #"{"productID":"p%","groupNumber":1,"recurringSubscriptionPeriod":"P1M"}"#
        let many = (0..<300).map { subscription.replacingOccurrences(of: "%", with: String($0)) }
        let text =
            #"{"version":{"major":4},"subscriptionGroups":[{"id":"1","subscriptions":[\#(many.joined(separator: ","))]}]}"#
        let reading = Catalog.read(storeKitFile: Array(text.utf8))
        #expect(reading.findings.count == 201)
        #expect(reading.findings.last?.message.hasPrefix("100 more findings are not listed") == true)
        #expect(reading.findings.allSatisfy { $0.severity == .warning })
        #expect(reading.catalog?.subscriptions.count == 300)
    }

    @Test func `what a cut list leaves out still makes the file unusable`() {
        let subscription = #"{"productID":"p%","groupNumber":1,"recurringSubscriptionPeriod":"P1M"}"#
        let many = (0..<300).map { subscription.replacingOccurrences(of: "%", with: String($0)) } + ["7"]
        let text =
            #"{"version":{"major":4},"subscriptionGroups":[{"id":"1","subscriptions":[\#(many.joined(separator: ","))]}]}"#
        // The wrong entry is found before the warnings, so a broken one at the very end is used as well.
        let last = text.replacingOccurrences(of: #""productID":"p299""#, with: #""productID":"""#)
        let reading = Catalog.read(storeKitFile: Array(last.utf8))
        #expect(reading.findings.last?.severity == .error)
        #expect(reading.catalog == nil)
    }

    @Test func `more products, offers or bytes than a real file has are refused`() {
        let product = #"{"productID":"p%","type":"Consumable"}"#
        let products = (0...10_000).map { product.replacingOccurrences(of: "%", with: String($0)) }
        let crowd = #"{"version":{"major":4},"products":[\#(products.joined(separator: ","))]}"#
        #expect(
            Catalog.read(storeKitFile: Array(crowd.utf8)).findings.contains {
                $0.message.contains("more than 10000 products")
            })

        let offers = (0...500).map { #"{"offerID":"o\#($0)","paymentMode":"free","subscriptionPeriod":"P1W"}"# }
        let subscription =
            #"{"productID":"p","displayPrice":"1","groupNumber":1,"recurringSubscriptionPeriod":"P1M","adHocOffers":[\#(offers.joined(separator: ","))]}"#
        let sale = #"{"version":{"major":4},"subscriptionGroups":[{"id":"1","subscriptions":[\#(subscription)]}]}"#
        #expect(
            Catalog.read(storeKitFile: Array(sale.utf8)).findings.map(\.description) == [
                "error: subscriptionGroups[0] > p > adHocOffers: 501 offers, at most 500 are read; remove those that have ended"
            ])

        let large = [UInt8](repeating: UInt8(ascii: " "), count: 16 * 1024 * 1024 + 1)
        #expect(Catalog.read(storeKitFile: large).findings.first?.message.hasPrefix("16777217 bytes long") == true)
    }
}
