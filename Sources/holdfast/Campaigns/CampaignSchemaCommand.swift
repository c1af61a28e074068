import CampaignCore

/// `holdfast campaign schema`: what an editor needs to help with campaign files.
enum CampaignSchemaCommand {
    static let command = Command(
        "schema",
        summary: "Print the JSON Schema of campaign files, for editors",
        details: """
            JSON Schema 2020-12 of one campaign's file; that of messages.yaml is at '#/$defs/messages' in it. Keep it beside \
            the files as campaign.schema.json, and begin each of them with the line \
            '# yaml-language-server: $schema=campaign.schema.json': editors then complete keys and mark faults.
            """,
        examples: [Example("holdfast campaign schema", "print it, to be kept beside the files")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        output.write(CampaignSchema.json)
        return .done
    }
}
