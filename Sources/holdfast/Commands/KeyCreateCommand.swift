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
            only: a lost key cannot be shown again, revoke it and make another. A key that cannot be written there is \
            not made.
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
        let configuration = try arguments.configuration(requiringFiles: false)
        let app = arguments.text(app) == nil ? nil : try arguments.app(of: configuration).bundleId
        let store = try arguments.openStore(of: configuration)
        let key = NewAPIKey(role: role)
        let row = APIKey(name: name, role: role, bundleId: app, createdDate: arguments.now)
        let isShown: Bool
        do throws(StorageError) {
            isShown = try create(row, key, in: store) {
                show(key, row, as: arguments.format, output)
                output.flush()
                return output.isOpen
            }
        } catch {
            switch error {
            case .nameTaken, .nameNotAllowed: throw .refused(error)
            default: throw .failed(error)
            }
        }
        guard isShown else {
            throw .failed("cannot write the key to standard output, so none was made; write it where there is room")
        }
        if arguments.format != .json {
            output.note("this is the only time the key is shown; only its SHA-256 is stored\n")
        }
        return .done
    }

    /// Stores the key when `show` could show it: a key whose text nobody has would only keep its name taken.
    ///
    /// It is shown before it is committed; when that fails the error says so, and the text opens nothing.
    private static func create(
        _ row: APIKey, _ key: NewAPIKey, in store: Store, show: () -> Bool
    ) throws(StorageError) -> Bool {
        try store.connection.begin()
        do throws(StorageError) {
            try store.createAPIKey(row, digest: key.digest)
        } catch {
            try? store.connection.rollback()
            throw error
        }
        guard show() else {
            try store.connection.rollback()
            return false
        }
        try store.connection.commit()
        return true
    }

    private static func show(_ key: NewAPIKey, _ row: APIKey, as format: OutputFormat, _ output: Output) {
        switch format {
        case .json:
            output.write([
                "name": .string(row.name), "role": .string(row.role.rawValue), "app": .text(row.bundleId?.rawValue),
                "key": .string(key.secretText),
            ])
        case .text, .csv:
            output.write(key.secretText + "\n")
        }
    }
}
