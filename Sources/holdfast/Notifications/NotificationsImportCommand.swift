import AppStore
import CampaignCore
import FoundationEssentials
import Server
import Storage

/// `holdfast notifications import PATH…`: notifications from files, as if the App Store had posted them now.
enum NotificationsImportCommand {
    private static let paths = Argument(
        "PATH", .several, help: "a file, a folder of files, or - for standard input")

    static let command = Command(
        "import",
        summary: "Take in signed notifications from files",
        details: """
            A file has one notification a line: the JWS itself, or a JSON object with 'signedPayload'. Of a folder every \
            file is read, also those in folders below it, by name. Each notification is verified as on the service's own \
            route, logged once by its 'notificationUUID' and folded, whatever the order of the lines.

            Running it again takes up what is missing; what is there already is counted and passed over. The service may \
            be running meanwhile. Lines that do not verify are told and left out, and the exit code is 2.
            """,
        arguments: [paths],
        options: [.format(.text, .json)],
        examples: [
            Example("holdfast notifications import history.jsonl", "one file"),
            Example("holdfast notifications import exported/ --format json", "a folder, with counts as JSON"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let configuration = try arguments.configuration(requiringFiles: false)
        let files = try InputFiles(arguments.all(paths))
        let verifier = try PayloadVerification.verifier(of: configuration)
        let store = try arguments.openStore(of: configuration)
        var work = NotificationsImport(files: files, verifier: verifier, store: store, output: output)
        try work.run()
        switch arguments.format {
        case .json: output.write(work.counts.json)
        case .text, .csv: output.write(work.counts.text)
        }
        return work.counts.refused == 0 ? .done : .refused
    }
}

/// Who is believed, as the configuration says it.
enum PayloadVerification {
    static func verifier(of configuration: Configuration) throws(CommandError) -> SignedDataVerifier {
        let paths = configuration.trust.rootCertificates.map(\.path)
        var roots = paths.isEmpty ? [AppleRootCertificate.g3] : []
        for path in paths { roots += try readCertificates(path) }
        let apps = configuration.apps.map {
            AppIdentity(bundleId: $0.bundleId, appAppleId: $0.appAppleId, environments: $0.environments)
        }
        return SignedDataVerifier(chains: ChainVerifier(roots: roots), apps: apps)
    }
}
