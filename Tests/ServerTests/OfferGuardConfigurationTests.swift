import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite struct `The guard against abuse in the configuration` {
    private func read(_ offerGuard: String?) throws -> OfferGuard {
        let folder = try configurationFolder()
        let file = Surroundings.project.appendingPathComponent("Fixtures/Configuration/smallest.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let place = try #require(lines.firstIndex { $0.contains("catalog:") })
        let added = offerGuard.map { ["    offerGuard: \($0)"] } ?? []
        try folder.write((lines[...place] + added + lines[(place + 1)...]).joined(separator: "\n"), to: "holdfast.yaml")
        return try Configuration.read(path: folder.path("holdfast.yaml")).apps[0].offerGuard
    }

    @Test(
        arguments: [
            (nil, [12, 2, 3]), ("{}", [12, 2, 3]), ("{ offersPerYear: 1 }", [1, 2, 3]),
            ("{ savesPerYear: none }", [12, nil, 3]),
            ("{ offersPerYear: none, savesPerYear: 10000, accountsPerSubscription: none }", [nil, 10000, nil]),
        ] as [(String?, [Int?])])
    func `has a bound for each key, its default or none`(text: String?, bounds: [Int?]) throws {
        let found = try read(text)
        #expect([found.offersPerYear, found.savesPerYear, found.accountsPerSubscription] == bounds)
    }

    @Test(arguments: [
        ("{ offersPerYear: 0 }", "offersPerYear"), ("{ savesPerYear: -1 }", "savesPerYear"),
        ("{ accountsPerSubscription: 10001 }", "accountsPerSubscription"), ("{ savesPerYear: never }", "savesPerYear"),
        ("{ offerPerYear: 3 }", "offersPerYear"), ("12", "offerGuard"),
    ])
    func `that cannot be is refused by its key`(text: String, key: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try read(text) }
        #expect(error?.description.contains("'\(key)'") == true, "\(error?.description ?? "")")
    }
}
