import Foundation
import TestSupport
import Testing

@testable import holdfast

/// A configuration with the demo's catalogue, and a folder for campaign files beside it.
struct CampaignFolder {
    let folder: TemporaryFolder

    static let fixtures = Surroundings.project.appendingPathComponent("Fixtures/Campaigns")
    static let shipped = Surroundings.project.appendingPathComponent("Campaigns")

    init(environments: String = "[Production]") throws {
        folder = try TemporaryFolder()
        try folder.write(DemoCatalog.text, to: "Reader.storekit")
        try folder.write(
            """
            apps:
              - bundleId: com.example.reader
                appAppleId: 6400000001
                environments: \(environments)
                catalog: Reader.storekit
                signing: { keyId: ABC123DEFG, issuerId: 57246542-96fe-1a63-e053-0824d011072a, privateKeyFile: absent.p8 }

            """, to: "holdfast.yaml")
        try FileManager.default.createDirectory(
            atPath: folder.path("Campaigns"), withIntermediateDirectories: false)
    }

    /// Runs `campaign check` with the configuration, in `place` or in the folder itself.
    func check(_ arguments: [String], in place: URL? = nil) throws -> ChildResult {
        try holdfast(["campaign", "check"] + arguments, in: place)
    }

    func holdfast(_ arguments: [String], in place: URL? = nil) throws -> ChildResult {
        try run(
            Surroundings.holdfast, arguments + ["--config", folder.path("holdfast.yaml")], in: place ?? folder.url)
    }

    /// A campaign of one rule without conditions.
    static func campaign(_ name: String, _ more: String = "") -> String {
        """
        schema: 1
        campaign: \(name)
        status: active
        audience: { bundleId: com.example.reader, environment: Production }
        rules: { rule: a, message: m }
        \(more)
        """
    }
}
