import CampaignCore
import Foundation
import TestSupport
import Testing

/// The catalogue files made by hand, with what reading each one finds.
enum CatalogFixtures {
    static let folder = Surroundings.project.appendingPathComponent("Fixtures/Catalog")

    static func names(in folder: String) -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(
            atPath: self.folder.appendingPathComponent(folder).path)
        return (files ?? []).filter { $0.hasSuffix(".storekit") }.map { String($0.dropLast(9)) }.sorted()
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent("\(name).storekit")))
    }

    static func reading(_ name: String) throws -> CatalogReading { Catalog.read(storeKitFile: try bytes(name)) }

    /// The catalogue that the field cases describe.
    static func tide() throws -> Catalog { try #require(try reading("valid/Tide").catalog) }

    /// That catalogue with a copy of the win-back offer `known` under another identifier, before it in the file.
    static func tide(adding identifier: OfferIdentifier, to known: OfferIdentifier) throws -> Catalog {
        let text = String(decoding: try bytes("valid/Tide"), as: UTF8.self)
        let copy = """
            { "internalID" : "7D1E0199", "isEligible" : true, "offerID" : "\(identifier)", "paymentMode" : "free",
              "referenceName" : "Another", "subscriptionPeriod" : "P1M" },
            """
        let place = try #require(text.range(of: "\"winbackOffers\" : ["))
        #expect(text.contains("\"offerID\" : \"\(known)\""))
        let changed = text.replacingCharacters(in: place, with: "\"winbackOffers\" : [" + copy)
        return try #require(Catalog.read(storeKitFile: [UInt8](changed.utf8)).catalog)
    }

    static func expectedFindings(_ name: String) throws -> [String] {
        let file = folder.appendingPathComponent("\(name).findings")
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
