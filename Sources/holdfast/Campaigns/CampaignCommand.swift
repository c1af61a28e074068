/// `holdfast campaign`: the files that say who gets what.
enum CampaignCommand {
    static let command = Command(
        "campaign",
        summary: "Check and list campaign files, and print their JSON Schema",
        subcommands: [
            CampaignCheckCommand.command, CampaignListCommand.command, CampaignSchemaCommand.command,
        ])
}
