import CampaignCore
import Server

/// `holdfast campaign list`: the campaigns of the configured folder, in the order in which they are asked.
enum CampaignListCommand {
    static let command = Command(
        "list",
        summary: "List the campaigns of the configured folder in the order in which they are asked",
        details: """
            Read from the files, so no service need run. An active campaign whose end is past at '--at' gives nothing and \
            is named on standard error.
            """,
        options: [.app, .at, .format(.text, .json, .csv)],
        examples: [Example("holdfast campaign list", "every campaign with its state and file")],
        run: run)

    private static let heads = ["campaign", "app", "status", "priority", "starts", "ends", "rules", "file"]

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let configuration = try arguments.configuration(requiringFiles: false)
        let app = arguments.isGiven(.app) ? try arguments.app(of: configuration).bundleId : nil
        let loaded = try load(configuration)
        let campaigns = loaded.set.campaigns.filter { app == nil || $0.audience.bundleId == app }
        let file = { (campaign: Campaign) in loaded.file(of: campaign.name)?.path ?? "" }
        switch arguments.format {
        case .text:
            for line in columns([heads] + campaigns.map { cells($0, file: file($0), empty: "-") }) {
                output.write(line + "\n")
            }
        case .json:
            output.write(["campaigns": .array(campaigns.map { json($0, file: file($0)) })])
        case .csv:
            output.write(csv: heads)
            for campaign in campaigns { output.write(csv: cells(campaign, file: file(campaign), empty: "")) }
        }
        for campaign in campaigns where campaign.status == .active {
            guard let ends = campaign.ends, ends <= arguments.now else { continue }
            output.note("campaign '\(campaign.name)' is active, but ended at \(ends); write 'status: ended'\n")
        }
        return .done
    }

    /// The files alone: a catalogue that does not fit is no reason to list nothing.
    private static func load(_ configuration: Configuration) throws(CommandError) -> LoadedCampaigns {
        do throws(CampaignFileError) {
            return try LoadedCampaigns.load(folder: configuration.campaigns, apps: nil)
        } catch {
            switch error {
            case .unreadable: throw .failed(error)
            case .refused(let findings): throw .diagnosed(findings.map(\.description))
            }
        }
    }

    private static func cells(_ campaign: Campaign, file: String, empty: String) -> [String] {
        [
            campaign.name.rawValue, campaign.audience.bundleId.rawValue, campaign.status.rawValue,
            "\(campaign.priority)", campaign.starts.map { "\($0)" } ?? empty, campaign.ends.map { "\($0)" } ?? empty,
            "\(campaign.rules.count)", file,
        ]
    }

    private static func json(_ campaign: Campaign, file: String) -> JSON {
        [
            "campaign": .string(campaign.name.rawValue), "app": .string(campaign.audience.bundleId.rawValue),
            "environment": .string(campaign.audience.environment.rawValue),
            "status": .string(campaign.status.rawValue), "priority": .integer(Int64(campaign.priority)),
            "starts": .instant(campaign.starts), "ends": .instant(campaign.ends),
            "rules": .array(campaign.rules.map { .string($0.name.rawValue) }), "file": .string(file),
        ]
    }
}
