/// `holdfast init DIR`: the files that a new installation begins with.
enum InitCommand {
    static let folder = Argument("DIR", help: "the folder to write to; it is made when it is missing")

    static let command = Command(
        "init",
        summary: "Write a commented configuration, an example campaign and a checklist for App Store Connect",
        details: """
            Writes holdfast.yaml, in which every optional key is shown with its default, an example in \
            the folder Campaigns, and CHECKLIST.txt, which says what to fetch from App Store Connect and where it is found \
            there.

            Nothing that exists is overwritten: when one of the files is there already, nothing is written and the \
            exit code is 2.
            """,
        arguments: [folder],
        examples: [Example("holdfast init reader", "write the files into the folder 'reader'")],
        run: run)

    /// The files by their path in the folder.
    private static let files = [
        ("holdfast.yaml", InitFiles.configuration),
        ("CHECKLIST.txt", InitFiles.checklist),
        ("Campaigns/keep-readers.yaml", InitFiles.campaign),
    ]

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let folder = withoutTrailingSlashes(arguments[folder] ?? ".")
        let prefix = folder == "/" ? folder : folder + "/"
        let paths = files.map { prefix + $0.0 }
        let existing = paths.filter(fileExists)
        guard existing.isEmpty else {
            throw .refused(existing.map { "'\($0)' exists already; move it away or choose another folder" })
        }
        try makeFolder(prefix + "Campaigns")
        for (path, file) in zip(paths, files) {
            try writeNewFile(path, file.1)
            output.write(line: "wrote \(path)")
        }
        output.write(
            """

            next: fill in what \(prefix)CHECKLIST.txt names, then run
              holdfast doctor --config \(prefix)holdfast.yaml

            """)
        return .done
    }
}
