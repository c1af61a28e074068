/// `holdfast key`: the API keys that callers of the service show.
enum KeyCommand {
    static let command = Command(
        "key",
        summary: "Create, list and revoke API keys",
        details: """
            A key is one of four roles. client: a trusted back end that asks for offers and codes. device: a key that \
            ships inside an app and must prove each customer. marketer: reads, reports and code loads. operator: \
            everything, metrics too.
            """,
        subcommands: [KeyCreateCommand.command, KeyListCommand.command, KeyRevokeCommand.command])
}
