import Server
import Storage

/// `holdfast backup FILE`: a copy of the database while the service runs.
enum BackupCommand {
    static let file = Argument("FILE", help: "the new file; one that exists is refused")

    static let command = Command(
        "backup",
        summary: "Copy the database into a file while the service runs",
        details: """
            The copy is the database as it was at one instant, in one file that only its owner can read. It is made in \
            steps of at most 50 ms and holds up no writer; when it is whole and SQLite finds it sound, it gets its name. \
            Until then it is FILE.partial.

            The database is only read, so that one of an older version can be backed up before 'holdfast migrate'. \
            Configuration, catalogues and keys are files of yours and not in it.
            """,
        arguments: [file],
        examples: [Example("holdfast backup holdfast-backup.sqlite", "copy what the configuration names")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let path = try arguments.configuration().databasePath
        let file = arguments[file] ?? ""
        let report: DatabaseCopyReport
        do throws(StorageError) {
            report = try Backup.write(
                path, to: file, nanoseconds: Server.Environment.systemMonotonicNanoseconds,
                progress: { done, all in output.progress("\(done) of \(all) pages") })
        } catch {
            output.progress("")
            throw CommandError(ofCopy: error)
        }
        output.progress("")
        output.write(line: "backed up '\(path)' to '\(file)': \(report.bytes) bytes, sound")
        return .done
    }
}

extension CommandError {
    /// A file in the way or a database in use refuses the work; everything else has failed.
    init(ofCopy error: StorageError) {
        switch error {
        case .exists, .inUse: self = .refused(error)
        default: self = .failed(error)
        }
    }
}
