import CampaignCore
import Storage

/// `holdfast key list`: every key without its secret.
enum KeyListCommand {
    static let command = Command(
        "list",
        summary: "List API keys, revoked ones too, without their secrets",
        options: [.format(.text, .json, .csv)],
        examples: [Example("holdfast key list", "every key by name")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let store = try arguments.openStore(of: try arguments.configuration(requiringFiles: false))
        let keys: [APIKey]
        do {
            keys = try store.apiKeys()
        } catch {
            throw .failed(error)
        }
        switch arguments.format {
        case .text:
            let rows =
                [["name", "role", "app", "created", "revoked"]] + keys.map { row($0, none: "-", every: "every") }
            for line in columns(rows) { output.write(line + "\n") }
        case .csv:
            output.write(csv: ["name", "role", "app", "createdDate", "revokedDate"])
            for key in keys { output.write(csv: row(key, none: "", every: "")) }
        case .json:
            output.write(["keys": .array(keys.map(json))])
        }
        return .done
    }

    private static func row(_ key: APIKey, none: String, every: String) -> [String] {
        [
            key.name, key.role.rawValue, key.bundleId?.rawValue ?? every, key.createdDate.description,
            key.revokedDate?.description ?? none,
        ]
    }

    private static func json(_ key: APIKey) -> JSON {
        [
            "name": .string(key.name), "role": .string(key.role.rawValue), "app": .text(key.bundleId?.rawValue),
            "createdDate": .instant(key.createdDate), "revokedDate": .instant(key.revokedDate),
        ]
    }
}
