import CampaignCore
import Server
import Storage

/// `holdfast migrate`: the database at the schema of this program.
enum MigrateCommand {
    static let command = Command(
        "migrate",
        summary: "Make the database, or upgrade it to this version, and say from where to where",
        details: """
            Every command that opens the database does the same on its way; this one does nothing else. All steps run \
            in one transaction, so an upgrade that fails changes nothing. A database of a newer version is left alone.

            An upgrade is not undone: run 'holdfast backup' before it.
            """,
        options: [.format(.text, .json)],
        examples: [Example("holdfast migrate", "upgrade what the configuration names")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let path = try arguments.configuration().databasePath
        let upgrade: SchemaUpgrade
        do throws(StorageError) {
            upgrade = try Store.upgrade(path, now: arguments.now)
        } catch {
            throw .failed(error)
        }
        switch arguments.format {
        case .json: output.write(["from": .text(upgrade.from), "to": .string(upgrade.to)])
        case .text, .csv:
            switch upgrade.from {
            case upgrade.to: output.write(line: "'\(path)' is up to date: '\(upgrade.to)'")
            case let from?: output.write(line: "upgraded '\(path)' from '\(from)' to '\(upgrade.to)'")
            case nil: output.write(line: "made '\(path)' at '\(upgrade.to)'")
            }
        }
        return .done
    }
}
