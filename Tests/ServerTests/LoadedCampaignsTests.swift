import CampaignCore
import Crypto
import Foundation
import TestSupport
import Testing
import YAML

@testable import Server

@Suite struct LoadedCampaignsTests {
    private static func text(_ name: String, priority: Int = 0) -> String {
        """
        schema: 1
        campaign: \(name)
        priority: \(priority)
        status: active
        audience: { bundleId: com.example.reader, environment: Production }
        rules: { rule: a, message: m }

        """
    }

    private static let apps = CampaignSurroundings(apps: [
        .init(bundleId: BundleID("com.example.reader"), environments: [.production], catalog: .empty)
    ])

    private func load(_ folder: TemporaryFolder, isDefault: Bool = true) throws(CampaignFileError) -> LoadedCampaigns {
        let mark = isDefault ? nil : Mark(line: 3, column: 12)
        return try LoadedCampaigns.load(folder: .init(path: folder.path("Campaigns"), mark: mark), apps: Self.apps)
    }

    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("Campaigns"), withIntermediateDirectories: false)
        return folder
    }

    @Test func `a folder gives the set, and each file with its path, digest and text`() throws {
        let folder = try folder()
        try folder.write(Self.text("low"), to: "Campaigns/a.yaml")
        try folder.write(Self.text("high", priority: 9), to: "Campaigns/b.yaml")
        try folder.write(
            "schema: 1\nmessages: { stay: { de: 0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E } }", to: "Campaigns/messages.yaml"
        )
        try folder.write("[", to: "Campaigns/.#b.yaml")
        try folder.write("[", to: "Campaigns/b.yaml~")
        let loaded = try load(folder)
        #expect(loaded.set.campaigns.map(\.name.rawValue) == ["high", "low"])
        #expect(
            loaded.set.messages.messageIdentifiers
                == [MessageName("stay"): ["de": "0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e"]])
        #expect(loaded.files.map(\.path) == [folder.path("Campaigns/a.yaml"), folder.path("Campaigns/b.yaml")])
        #expect(loaded.files.map(\.name.rawValue) == ["low", "high"])
        let file = try #require(loaded.file(of: CampaignName("low")))
        #expect(file.text == Self.text("low") && file.digest == SHA256.digest(Array(Self.text("low").utf8)))
        #expect(loaded.set.campaign(CampaignName("low"))?.digest == file.digest)
    }

    @Test func `one fault anywhere and there is no set, and every fault is a line`() throws {
        let folder = try folder()
        try folder.write(Self.text("sound"), to: "Campaigns/a.yaml")
        try folder.write(Self.text("no name"), to: "Campaigns/b.yaml")
        try folder.write("schema: 1\nmessages: []", to: "Campaigns/messages.yaml")
        try folder.write(Self.text("sound"), to: "Campaigns/z.yaml")
        let error = #expect(throws: CampaignFileError.self) { try load(folder) }
        let path = folder.path("Campaigns")
        #expect(
            error?.description == """
                \(path)/b.yaml:2:11: error: 'campaign' is 'no name'; write a name of letters, digits, '-', '_' and '.', \
                such as 'keep-annual'
                \(path)/messages.yaml:2:11: error: 'messages' is a list; write a mapping such as \
                '{ stay: { en-US: 0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e } }'
                \(path)/z.yaml:2:11: error: campaign 'sound' is already at \(path)/a.yaml:2:11; give each its own name, \
                which is never used again
                """)
    }

    @Test func `a default folder that is not there is empty, a named one is a fault`() throws {
        let folder = try TemporaryFolder()
        #expect(try load(folder).files.isEmpty)
        let error = #expect(throws: CampaignFileError.self) { try load(folder, isDefault: false) }
        #expect(
            error?.description
                == "cannot read the campaigns '\(folder.path("Campaigns"))': there is no such folder; check "
                + "its owner and mode, or 'campaigns' in the configuration")
        try folder.write("", to: "Campaigns")
        #expect(throws: CampaignFileError.self) { try load(folder) }
    }

    @Test func `a file that cannot be read is a line of its own`() throws {
        let folder = try folder()
        try FileManager.default.createDirectory(
            atPath: folder.path("Campaigns/a.yaml"), withIntermediateDirectories: false)
        try folder.write(Self.text("sound"), to: "Campaigns/b.yaml")
        let error = #expect(throws: CampaignFileError.self) { try load(folder) }
        #expect(
            error?.description
                == "\(folder.path("Campaigns/a.yaml")):1:1: error: cannot read the file: it is a directory; "
                + "check its owner and mode")
    }
}
