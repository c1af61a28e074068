public import CampaignCore

/// Every campaign of one folder, read and checked as a whole: one fault in any file and there is no set.
public struct LoadedCampaigns: Sendable {
    public let set: CampaignSet
    /// The campaigns' files, sorted by path.
    public let files: [LoadedCampaign]
    /// What is in doubt without being wrong, in the order of the files.
    public let warnings: [CampaignFinding]

    public init(set: CampaignSet, files: [LoadedCampaign], warnings: [CampaignFinding] = []) {
        self.set = set
        self.files = files
        self.warnings = warnings
    }

    /// What a folder without files gives.
    public static let empty = LoadedCampaigns(set: .empty, files: [])

    /// The file of a campaign; nil when no campaign has that name.
    public func file(of campaign: CampaignName) -> LoadedCampaign? { files.first { $0.name == campaign } }
}

/// One campaign's file as it was loaded, for the record that decisions point to.
public struct LoadedCampaign: Hashable, Sendable {
    public let name: CampaignName
    /// Absolute.
    public let path: String
    /// SHA-256 of `bytes`.
    public let digest: [UInt8]
    /// The whole file as it was read, which is UTF-8.
    public let bytes: [UInt8]

    public init(name: CampaignName, path: String, digest: [UInt8], bytes: [UInt8]) {
        self.name = name
        self.path = path
        self.digest = digest
        self.bytes = bytes
    }

    /// `bytes` as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
