import CampaignCore
import Server
import Storage

/// `holdfast restore FILE`: a backup in the place of the database.
enum RestoreCommand {
    static let file = Argument("FILE", help: "a file that 'holdfast backup' wrote; it is only read")

    static let command = Command(
        "restore",
        summary: "Put a backup in the place of the database",
        details: """
            FILE is checked from its first page to its last, copied beside the database, and upgraded to the schema of \
            this program; a backup of a newer program is refused. Only then the copy takes the database's place. The \
            old database is kept beside it under a name that ends with the time.

            While any process has the database open (the service, a command, a shell), nothing is done and the exit \
            code is 2: stop the service first. What was answered after the backup was made is not in it: customers who \
            ask again with the same requestId are decided again.
            """,
        arguments: [file],
        examples: [Example("holdfast restore holdfast-backup.sqlite", "replace what the configuration names")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let path = try arguments.configuration().databasePath
        let file = arguments[file] ?? ""
        let now = arguments.now
        let aside = "\(path).before-\(now.description.filter { $0 != ":" && $0 != "-" })"
        let report: Restore.Report
        do throws(StorageError) {
            report = try Restore.replace(
                path, with: file, aside: aside, now: now,
                nanoseconds: Server.Environment.systemMonotonicNanoseconds,
                progress: { done, all in output.progress("\(done) of \(all) pages") })
        } catch {
            output.progress("")
            throw CommandError(ofCopy: error)
        }
        output.progress("")
        output.write(
            line: "restored '\(path)' from '\(file)': \(report.bytes) bytes, schema '\(report.backupSchema)'")
        if let kept = report.keptAside { output.write(line: "the old database is '\(kept)'") }
        return .done
    }
}
