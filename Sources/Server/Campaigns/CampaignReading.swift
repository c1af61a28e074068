public import CampaignCore
import YAML

/// One file of a folder of campaigns, before it is read.
public struct CampaignSource: Sendable {
    /// As messages call it.
    public let path: String
    /// At most one byte more than `YAMLLimits.fileBytes`; nil when the file cannot be read, for `fault`.
    public let bytes: [UInt8]?
    /// Why there are no bytes, in the system's words.
    public let fault: String?

    /// Reads the file at `path`, as messages will call it.
    public init(path: String) {
        self.path = path
        do {
            bytes = try firstBytes(ofFile: path, limit: YAMLLimits.fileBytes + 1)
            fault = nil
        } catch {
            bytes = nil
            fault = error.reason
        }
    }

    var isMessages: Bool { path.split(separator: "/").last.map(String.init) == MessagesFile.name }
}

/// What reading all files of one folder gave.
public struct CampaignReading: Sendable {
    /// nil when any finding is an error.
    public let campaigns: LoadedCampaigns?
    /// In the order of the files, each in the order of its text.
    public let findings: [CampaignFinding]
    /// Whether campaigns name retention messages and there is no `messages.yaml` to hold them against.
    public let leavesMessagesUnchecked: Bool

    /// Reads `sources` as one set, `messages.yaml` among them.
    ///
    /// - Parameter surroundings: nil when there is no configuration; then the files alone are checked.
    public init(_ sources: [CampaignSource], against surroundings: CampaignSurroundings?) {
        var reader = CampaignSetReader(surroundings: surroundings)
        self = reader.read(sources)
    }

    init(campaigns: LoadedCampaigns?, findings: [CampaignFinding], leavesMessagesUnchecked: Bool) {
        self.campaigns = campaigns
        self.findings = findings
        self.leavesMessagesUnchecked = leavesMessagesUnchecked
    }
}

/// Reads the files of one folder; the first pass reads each alone, the second compares them.
private struct CampaignSetReader {
    let surroundings: CampaignSurroundings?
    /// Where each name was first.
    private var names: [CampaignName: String] = [:]
    /// The percentage that a global holdout has, and where it was first.
    private var globalHoldouts: [String: (percent: Int, place: String)] = [:]

    init(surroundings: CampaignSurroundings?) {
        self.surroundings = surroundings
    }

    mutating func read(_ sources: [CampaignSource]) -> CampaignReading {
        // Without the file nothing is said of names in it, as without a configuration nothing of offers.
        var messages: RetentionMessages?
        var findings: [String: [CampaignFinding]] = [:]
        for source in sources where source.isMessages {
            let diagnostics = Diagnostics()
            messages = bytes(of: source, diagnostics).flatMap { MessagesFile(yaml: $0, into: diagnostics)?.messages }
            // With a fault in them, a name that is missing proves nothing.
            if diagnostics.hasErrors { messages = nil }
            findings[source.path] = diagnostics.all.map { CampaignFinding(path: source.path, $0) }
        }
        var files: [LoadedCampaign] = []
        var campaigns: [Campaign] = []
        for source in sources where !source.isMessages {
            let diagnostics = Diagnostics()
            if let bytes = bytes(of: source, diagnostics),
                let file = CampaignFile(yaml: bytes, zone: zone, into: diagnostics)
            {
                file.check(against: surroundings, messages: messages, into: diagnostics)
                compare(file, path: source.path, diagnostics)
                let campaign = file.campaign
                campaigns.append(campaign)
                files.append(
                    LoadedCampaign(name: campaign.name, path: source.path, digest: campaign.digest, bytes: bytes))
            }
            findings[source.path] = diagnostics.all.map { CampaignFinding(path: source.path, $0) }
        }
        let all = sources.flatMap { findings[$0.path] ?? [] }
        let isUnchecked =
            !sources.contains(where: \.isMessages)
            && campaigns.contains { $0.rules.contains { $0.retentionMessage != nil } }
        guard !all.contains(where: { $0.diagnostic.severity == .error }) else {
            return CampaignReading(campaigns: nil, findings: all, leavesMessagesUnchecked: isUnchecked)
        }
        let set = CampaignSet(campaigns: campaigns, messages: messages ?? RetentionMessages())
        return CampaignReading(
            campaigns: LoadedCampaigns(set: set, files: files, warnings: all), findings: all,
            leavesMessagesUnchecked: isUnchecked)
    }

    private func bytes(of source: CampaignSource, _ diagnostics: Diagnostics) -> [UInt8]? {
        guard let bytes = source.bytes else {
            diagnostics.error(
                "cannot read the file: \(source.fault ?? "no reason is known"); check its owner and mode", at: .start)
            return nil
        }
        return bytes
    }

    /// What two files of one folder must not both say.
    private mutating func compare(_ file: CampaignFile, path: String, _ diagnostics: Diagnostics) {
        let campaign = file.campaign
        guard !campaign.name.rawValue.isEmpty else { return }
        if let first = names[campaign.name] {
            diagnostics.error(
                "campaign \(quoted(campaign.name.rawValue)) is already at \(first); give each its own name, which is "
                    + "never used again", at: file.nameMark)
        } else {
            names[campaign.name] = "\(path):\(file.nameMark)"
        }
        guard let holdout = campaign.holdout, holdout.isGlobal, let mark = file.globalHoldoutMark else { return }
        if let first = globalHoldouts[holdout.salt] {
            guard first.percent != holdout.percent else { return }
            diagnostics.error(
                "the global holdout \(quoted(holdout.salt)) has \(first.percent) percent at \(first.place) and "
                    + "\(holdout.percent) here; write one number in both or another 'salt'", at: mark)
        } else {
            globalHoldouts[holdout.salt] = (holdout.percent, "\(path):\(mark)")
        }
    }

    private func zone(_ name: String) -> ZoneLookup {
        if let rules = TimeZoneRules.ofSystem(name) { return .found(rules) }
        return .missing(cure: TimeZoneName.cure(for: name) ?? "its file in '\(TimeZoneName.table)' cannot be read")
    }
}
