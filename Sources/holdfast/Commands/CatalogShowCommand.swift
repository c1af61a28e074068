import CampaignCore

/// `holdfast catalog show [FILE]`: groups, levels, products and their offers.
enum CatalogShowCommand {
    private static let file = Argument(
        "FILE", .optional, help: "a StoreKit configuration file; else that of the configured app")

    static let command = Command(
        "show",
        summary: "List groups, levels, products and offers",
        details: """
            Level 1 is the top of its group. CSV has one row an offer. With FILE no configuration is needed.
            """,
        arguments: [file],
        options: [.app, .format(.text, .json, .csv)],
        examples: [
            Example("holdfast catalog show Reader.storekit", "one file"),
            Example("holdfast catalog show --app com.example.reader --format csv", "the configured app's offers"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let catalog = try catalog(arguments)
        switch arguments.format {
        case .text: output.write(CatalogTree.text(of: catalog))
        case .json: output.write(CatalogTree.json(of: catalog))
        case .csv: CatalogTree.rows(of: catalog).forEach { output.write(csv: $0) }
        }
        return .done
    }

    private static func catalog(_ arguments: Arguments) throws(CommandError) -> Catalog {
        guard let path = arguments[file] else {
            return try arguments.app(of: try arguments.configuration()).readCatalog()
        }
        if arguments.text(.app) != nil { throw arguments.wrongUsage("give FILE or '--app', not both") }
        let reading = Catalog.read(storeKitFile: try readFile(path, limit: Limits.catalogFileBytes))
        guard let catalog = reading.catalog else {
            let errors = reading.findings.filter { $0.severity == .error }
            throw .refused(errors.map { "\(path): \($0.place): \($0.message)" })
        }
        return catalog
    }
}
