import CampaignCore
import Server
import YAML

/// `holdfast campaign check PATH…`: every finding of every file.
enum CampaignCheckCommand {
    private static let path = Argument("PATH", .several, help: "a campaign file, or a folder of them")

    static let command = Command(
        "check",
        summary: "Say everything that is wrong with campaign files",
        details: """
            Each finding is one line, 'path:line:column: error: message' or 'path:line:column: warning: message'; a count \
            follows on standard error. Files are held against the catalogues of the configuration, and against \
            messages.yaml beside them; without a configuration they are checked alone. Files of one folder are one set. \
            The exit code is 2 when any file has an error.
            """,
        arguments: [path],
        options: [.format(.text, .json)],
        examples: [
            Example("holdfast campaign check Campaigns", "check a folder before it is deployed"),
            Example("holdfast campaign check keep-annual.yaml --format json", "one file, for a program"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let paths = try files(arguments.all(path))
        let surroundings = try surroundings(arguments, output)
        var findings: [CampaignFinding] = []
        var campaigns = 0
        for set in sets(paths) {
            let reading = CampaignReading(set.map(CampaignSource.init(path:)), against: surroundings)
            findings += reading.findings
            if reading.leavesMessagesUnchecked {
                output.note(
                    "no '\(MessagesFile.name)' is beside the campaigns, so names of retention messages are held against "
                        + "nothing\n")
            }
            campaigns += set.count { paths.contains($0) && !isMessages($0) }
        }
        let errors = findings.count { $0.diagnostic.severity == .error }
        switch arguments.format {
        case .json: output.write(json(findings, campaigns: campaigns))
        case .text, .csv: for finding in findings { output.write(text(finding, output) + "\n") }
        }
        let warnings = findings.count - errors
        output.note(
            "\(counted(campaigns, "campaign")) checked: \(counted(errors, "error")), \(counted(warnings, "warning"))\n")
        return errors == 0 ? .done : .refused
    }

    /// The files that the line names, each once, those of a folder sorted.
    private static func files(_ names: [String]) throws(CommandError) -> [String] {
        var paths: [String] = []
        for name in names {
            var found = [name]
            if isFolder(name) {
                do throws(CampaignFileError) {
                    found = try LoadedCampaigns.paths(in: withoutTrailingSlashes(name))
                } catch {
                    throw .failed(error)
                }
            } else if !fileExists(name) {
                throw .failed("there is no file or folder '\(name)'; check the path")
            }
            for path in found where !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    /// Files of one folder belong together, with the messages beside them.
    private static func sets(_ paths: [String]) -> [[String]] {
        var folders: [String] = []
        var sets: [String: [String]] = [:]
        for path in paths {
            let folder = String(
                path.prefix(upTo: path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex))
            if sets[folder] == nil { folders.append(folder) }
            sets[folder, default: []].append(path)
        }
        return folders.map { folder in
            let messages = folder + MessagesFile.name
            let set = sets[folder] ?? []
            return set.contains(messages) || !fileExists(messages) ? set : set + [messages]
        }
    }

    private static func isMessages(_ path: String) -> Bool {
        path == MessagesFile.name || path.hasSuffix("/" + MessagesFile.name)
    }

    /// The configured apps with their catalogues; nil when no configuration is named and none is in the folder.
    private static func surroundings(
        _ arguments: Arguments, _ output: Output
    ) throws(CommandError) -> CampaignSurroundings? {
        guard arguments.namesConfiguration || fileExists(arguments.configurationPath) else {
            output.note(
                "no configuration is here, so nothing is held against a catalogue; name one with '--config PATH'\n")
            return nil
        }
        let configuration = try arguments.configuration(requiringFiles: false)
        for app in configuration.apps where !fileExists(app.catalog.path) {
            output.note(
                "the catalogue '\(visible(app.catalog.path))' is not there, so no campaign of '\(app.bundleId)' is held "
                    + "against it\n")
        }
        return try configuration.campaignSurroundings()
    }

    private static func text(_ finding: CampaignFinding, _ output: Output) -> String {
        let severity = finding.diagnostic.severity
        let word = output.coloured(severity.rawValue + ":", severity == .error ? .red : .yellow)
        return visible("\(finding.path):\(finding.diagnostic.mark): ") + word + " "
            + visible(finding.diagnostic.message)
    }

    private static func json(_ findings: [CampaignFinding], campaigns: Int) -> JSON {
        let errors = findings.count { $0.diagnostic.severity == .error }
        return [
            "campaigns": .integer(Int64(campaigns)), "errors": .integer(Int64(errors)),
            "warnings": .integer(Int64(findings.count - errors)),
            "findings": .array(
                findings.map { finding in
                    [
                        "path": .string(finding.path), "line": .integer(Int64(finding.diagnostic.mark.line)),
                        "column": .integer(Int64(finding.diagnostic.mark.column)),
                        "severity": .string(finding.diagnostic.severity.rawValue),
                        "message": .string(finding.diagnostic.message),
                    ]
                }),
        ]
    }
}
