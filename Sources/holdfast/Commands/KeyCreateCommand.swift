import CampaignCore
import Server
import Storage

/// `holdfast key create`: a new key, shown once.
enum KeyCreateCommand {
    private static let role = Option.choice(
        "role", APIRole.allCases.map(\.rawValue), help: "what its holder may do", isRequired: true)
    private static let name = Option.text("name", "NAME", help: "what lists and logs call it", isRequired: true)
    private static let app = Option.text(
        "app", "BUNDLEID", help: "bind the key to this configured app; without it the key is for every app")

    static let command = Command(
        "create",
        summary: "Make an API key and print it once",
        details: """
            The key alone goes to standard output, so that a script can catch it. The database keeps its SHA-256 \
            only: a lost key cannot be shown again, revoke it and make another.
            """,
        options: [role, name, app, .format(.text, .json)],
        examples: [
            Example("holdfast key create --role client --name backend", "a key for the back end of every app"),
            Example(
                "KEY=$(holdfast key create --role device --name ios --app com.example.reader)",
                "a key to ship inside an app, kept in a variable"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        guard let role = APIRole(rawValue: arguments.requiredText(role)) else {
            throw arguments.wrongUsage("'--role' is no role")
        }
        let name = arguments.requiredText(name)
        let configuration = try arguments.configuration()
        let app = arguments.text(app) == nil ? nil : try arguments.app(of: configuration).bundleId
        let store = try arguments.openStore(of: configuration)
        let key = NewAPIKey(role: role)
        do {
            try store.createAPIKey(
                APIKey(name: name, role: role, bundleId: app, createdDate: arguments.now), digest: key.digest)
        } catch {
            switch error {
            case .nameTaken, .nameNotAllowed: throw .refused(error)
            default: throw .failed(error)
            }
        }
        switch arguments.format {
        case .json:
            output.write([
                "name": .string(name), "role": .string(role.rawValue), "app": .text(app?.rawValue),
                "key": .string(key.secretText),
            ])
        case .text, .csv:
            output.write(key.secretText + "\n")
            output.note("this is the only time the key is shown; only its SHA-256 is stored\n")
        }
        return .done
    }
}
