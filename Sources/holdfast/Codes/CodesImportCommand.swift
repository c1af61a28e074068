import CampaignCore
import Server
import Storage

/// `holdfast codes import PATH…`: one-time codes into the inventory, all of them or none.
enum CodesImportCommand {
    private static let paths = Argument(
        "PATH", .several, help: "a file, a folder of files, or - for standard input")
    private static let expires = Option.text(
        "expires", "DATE", help: "last day of the codes, such as 2027-03-05, or an instant", isRequired: true)
    private static let batch = Option.text(
        "batch", "NAME", help: "what lists call it (default made of offer, day and content)")
    private static let created = Option.instant(
        "created", help: "when App Store Connect made the codes, which decides the quarter (default now)")
    private static let dryRun = Option.flag("dry-run", help: "check everything and load nothing")
    private static let rejects = Option.text(
        "rejects", "FILE", help: "write every refused line with its file and reason to this new file, as CSV")

    static let command = Command(
        "import",
        summary: "Load one-time codes as App Store Connect gives them",
        details: """
            A file has one code a line, or CSV with the code and its link; a header, quotes, ',' or ';', and gzip are \
            read as they come. Of a folder every file is read. All codes of one call become one batch, or nothing \
            changes: a line that is no code, a link for another app or code, a code that the app has already, and a \
            quarter's limit that would be passed refuse all of it with exit code 2.

            The same codes again change nothing. The service may be running meanwhile, and an import that is \
            interrupted leaves nothing behind.
            """,
        arguments: [paths],
        options: [
            CodeOptions.offer, CodeOptions.product, expires, batch, created, CodeOptions.timeZone, dryRun, rejects,
            .app, .environment,
            .format(.text, .json), .at,
        ],
        examples: [
            Example(
                "holdfast codes import codes.csv --offer BACK30 --product reader.annual --expires 2027-03-05",
                "load one file"),
            Example(
                "holdfast codes import downloads/ --offer BACK30 --product reader.annual --expires 2027-03-05 --dry-run",
                "check a folder of files"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let target = try CodeTarget(arguments)
        let terms = try terms(arguments, target)
        let quota = try target.quota()
        let files = try InputFiles(arguments.all(paths))
        let store = try arguments.openStore(of: target.configuration)
        let rejected = try RejectedLines(file: arguments.text(rejects), output: output)
        var work = CodesImport(
            files: files, terms: terms, quota: quota, appAppleId: target.app.appAppleId, now: arguments.now,
            isDryRun: arguments.has(dryRun), rejected: rejected, output: output)
        let result: CodeImportResult?
        do throws(CommandError) {
            result = try work.run(into: store)
        } catch {
            output.progress("")
            // A file without a line is removed, so that the next run can make it.
            try? rejected.finish()
            throw error
        }
        output.progress("")
        try rejected.finish()
        guard let result else {
            throw .refused(
                "\(rejected.count) \(rejected.count == 1 ? "line was" : "lines were") refused, so nothing was loaded; "
                    + "correct \(rejected.count == 1 ? "it" : "them") and import again")
        }
        return try tell(result, as: arguments.format, zone: quota.zone.name, output)
    }

    /// What the line says the codes are for.
    private static func terms(_ arguments: Arguments, _ target: CodeTarget) throws(CommandError) -> CodeBatchTerms {
        let productId = ProductID(arguments.requiredText(CodeOptions.product))
        let offer = OfferIdentifier(arguments.requiredText(CodeOptions.offer))
        try target.requireOffer(offer, on: productId)
        let zone = try readTimeZone(arguments.text(CodeOptions.timeZone) ?? target.app.offerCodes.quarterTimeZone)
        let createdDate = arguments.instant(created) ?? arguments.now
        guard createdDate <= arguments.now else {
            throw .refused("the codes cannot be made at \(createdDate), which is still to come; correct '--created'")
        }
        if let name = arguments.text(batch), !CodeBatchTerms.isName(name) {
            throw .refused("a batch's name has 1 to 100 bytes without control characters; choose another '--batch'")
        }
        do throws(CodeExpiry.Fault) {
            let expiry = try CodeExpiry(
                arguments.requiredText(expires), created: createdDate, now: arguments.now, zone: zone)
            return CodeBatchTerms(
                bundleId: target.app.bundleId, environment: target.environment, productId: productId, offer: offer,
                name: arguments.text(batch), createdDate: createdDate, expiresDate: expiry.expiresDate,
                timeZone: zone.name)
        } catch {
            throw .refused("'--expires' is '\(arguments.requiredText(expires))': \(error.description)")
        }
    }

    private static func tell(
        _ result: CodeImportResult, as format: OutputFormat, zone: String, _ output: Output
    ) throws(CommandError) -> ExitCode {
        let (codes, state, text): (LoadedCodes, String, String)
        switch result {
        case .refused(let refusal): throw .refused(refusal.description)
        case .loaded(let loaded):
            (codes, state) = (loaded, "loaded")
            text = "batch '\(loaded.batch)': \(loaded.new) codes loaded, \(loaded.duplicates) duplicates dropped; "
        case .unchanged(let known):
            (codes, state) = (known, "unchanged")
            text = "batch '\(known.batch)' has these codes already: 0 new, \(known.duplicates) duplicates; "
        case .wouldLoad(let loaded):
            (codes, state) = (loaded, "checked")
            text =
                "batch '\(loaded.batch)': \(loaded.new) codes would be loaded, \(loaded.duplicates) duplicates dropped; "
        }
        if format == .json {
            output.write(json(codes, state: state, zone: zone))
            return .done
        }
        output.write(line: text + "expires \(codes.expiresDate)")
        if let quota = codes.quota {
            output.write(
                line: "quota of \(quota.quarter): \(quota.used) of \(quota.limit) used, \(quota.left) left until "
                    + "\(quota.resetsDate) (\(zone))")
        }
        return .done
    }

    private static func json(_ codes: LoadedCodes, state: String, zone: String) -> JSON {
        [
            "result": .string(state), "batch": .string(codes.batch), "new": .integer(codes.new),
            "duplicates": .integer(codes.duplicates), "expiresDate": .instant(codes.expiresDate),
            "quota": codes.quota.map { $0.json(zone: zone) } ?? .null,
        ]
    }
}
