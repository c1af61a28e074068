public import CampaignCore
import FoundationEssentials
import YAML

extension LoadedCampaigns {
    /// Reads every `*.yaml` of the folder but hidden ones, `messages.yaml` with them, and checks them against `apps`.
    ///
    /// - Parameter apps: nil checks the files alone.
    ///
    /// The whole set or, thrown, every fault of every file at once. A default folder that is not there is empty.
    public static func load(
        folder: Configuration.CampaignFolder, apps: CampaignSurroundings?
    ) throws(CampaignFileError) -> LoadedCampaigns {
        if folder.mark == nil, case .absent = PathKind(at: folder.path) { return .empty }
        let sources = try paths(in: folder.path).map(CampaignSource.init(path:))
        let reading = CampaignReading(sources, against: apps)
        guard let campaigns = reading.campaigns else { throw .refused(reading.findings) }
        return campaigns
    }

    /// The files of a folder that belong to its set, sorted; each path begins with the folder's.
    public static func paths(in folder: String) throws(CampaignFileError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw .unreadable(path: folder, reason: PathKind(at: folder).unreadable)
        }
        let files = names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.sorted()
        guard files.count <= Limits.campaignFiles else {
            throw .unreadable(path: folder, reason: "it holds more than \(Limits.campaignFiles) files")
        }
        return files.map { folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
    }
}

extension PathKind {
    fileprivate var unreadable: String {
        switch self {
        case .absent: "there is no such folder"
        case .folder: "the system refuses it"
        case .file, .other: "it is no folder"
        }
    }
}
