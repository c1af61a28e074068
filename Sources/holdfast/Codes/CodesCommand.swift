/// `holdfast codes`: the inventory of offer codes.
enum CodesCommand {
    static let command = Command(
        "codes",
        summary: "Load offer codes, hand each out once, and keep the quarter's limit",
        subcommands: [
            CodesImportCommand.command, CodesAddCustomCommand.command, CodesStatusCommand.command,
            CodesQuotaCommand.command, CodesClaimCommand.command, CodesReleaseCommand.command,
            CodesVoidCommand.command, CodesExportCommand.command,
        ])
}
