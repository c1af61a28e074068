import CampaignCore
import Storage

/// `holdfast key revoke NAME`: ends a key at once.
enum KeyRevokeCommand {
    private static let name = Argument("NAME", help: "the key's name, as 'holdfast key list' shows it")

    static let command = Command(
        "revoke",
        summary: "End an API key",
        details: """
            The next request with the key is refused, also by a server that runs. Its name stays taken, so that old \
            records keep their meaning. Revoking a key twice changes nothing.
            """,
        arguments: [name],
        examples: [Example("holdfast key revoke backend", "end the key 'backend'")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let name = arguments[name] ?? ""
        let store = try arguments.openStore(of: try arguments.configuration(requiringFiles: false))
        let revocation: APIKeyRevocation
        var names: [String] = []
        do {
            revocation = try store.revokeAPIKey(name, now: arguments.now)
            if revocation == .unknownName { names = try store.apiKeys().map(\.name) }
        } catch {
            throw .failed(error)
        }
        switch revocation {
        case .revoked:
            output.write(line: "revoked '\(name)'")
        case .alreadyRevoked(let date):
            output.write(line: "'\(name)' is revoked since \(date) already")
        case .unknownName:
            throw .refused("no key is named '\(name)'; 'holdfast key list' shows all" + didYouMean(name, among: names))
        }
        return .done
    }
}
