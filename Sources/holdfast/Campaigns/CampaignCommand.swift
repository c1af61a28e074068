/// `holdfast campaign`: the files that say who gets what.
enum CampaignCommand {
    static let command = Command(
        "campaign",
        summary: "Check, list, explain and preview campaigns, and print their JSON Schema",
        subcommands: [
            CampaignCheckCommand.command, CampaignListCommand.command, CampaignExplainCommand.command,
            CampaignPreviewCommand.command, CampaignSchemaCommand.command,
        ])
}
