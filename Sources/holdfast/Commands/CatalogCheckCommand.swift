import CampaignCore
import YAML

/// `holdfast catalog check FILE…`: every finding of every file.
enum CatalogCheckCommand {
    private static let file = Argument("FILE", .several, help: "a StoreKit configuration file, schema 1 to 5")

    static let command = Command(
        "check",
        summary: "Say everything that is wrong with StoreKit configuration files",
        details: """
            Each finding is one line, 'path: error: place: message' or 'path: warning: …'; a last line for each file \
            counts what is in it. No configuration is needed. The exit code is 2 when any file has an error.
            """,
        arguments: [file],
        options: [.format(.text, .json, .csv)],
        examples: [Example("holdfast catalog check Reader.storekit", "check one file")],
        run: run)

    /// A file with what reading it gave.
    private struct Checked {
        let path: String
        let reading: CatalogReading
    }

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        var files: [Checked] = []
        var unreadable: [String] = []
        for path in arguments.all(file) {
            do throws(CommandError) {
                let bytes = try readFile(path, limit: Limits.catalogFileBytes)
                files.append(Checked(path: path, reading: Catalog.read(storeKitFile: bytes)))
            } catch {
                unreadable += error.messages
            }
        }
        write(files, as: arguments.format, to: output)
        guard unreadable.isEmpty else { throw .failed(unreadable) }
        return files.contains { $0.reading.catalog == nil } ? .refused : .done
    }

    private static func write(_ files: [Checked], as format: OutputFormat, to output: Output) {
        switch format {
        case .text:
            for file in files { writeText(file, to: output) }
        case .json:
            output.write(["files": .array(files.map(json))])
        case .csv:
            output.write(csv: ["path", "severity", "place", "message"])
            for file in files {
                for finding in file.reading.findings {
                    output.write(csv: [file.path, finding.severity.rawValue, finding.place, finding.message])
                }
            }
        }
    }

    private static func writeText(_ file: Checked, to output: Output) {
        for finding in file.reading.findings {
            let colour: Output.Colour = finding.severity == .error ? .red : .yellow
            let severity = output.coloured(finding.severity.rawValue + ":", colour)
            let text = visible("\(finding.place): \(finding.message)")
            output.write("\(visible(file.path)): \(severity) \(text)\n")
        }
        guard let catalog = file.reading.catalog else {
            output.write(line: "\(file.path): cannot be used")
            return
        }
        let offers = count(of: catalog)
        let kinds = offers.kinds.map { "\($0.count) \($0.kind)" }.joined(separator: ", ")
        output.write(
            line: "\(file.path): \(counted(catalog.groups.count, "group")), "
                + "\(counted(offers.products, "product")), \(counted(offers.all, "offer")) (\(kinds))")
    }

    private static func json(_ file: Checked) -> JSON {
        var members: [JSON.Member] = [
            .init("path", .string(file.path)), .init("usable", .bool(file.reading.catalog != nil)),
        ]
        if let catalog = file.reading.catalog {
            let offers = count(of: catalog)
            members += [
                .init("groups", .integer(Int64(catalog.groups.count))),
                .init("products", .integer(Int64(offers.products))),
                .init("offers", .object(offers.kinds.map { .init($0.kind, .integer(Int64($0.count))) })),
            ]
        }
        let findings = file.reading.findings.map { finding -> JSON in
            [
                "severity": .string(finding.severity.rawValue), "place": .string(finding.place),
                "message": .string(finding.message),
            ]
        }
        return .object(members + [.init("findings", .array(findings))])
    }

    /// Products of every kind, and offers by kind.
    private struct Counts {
        let products: Int
        let kinds: [(kind: String, count: Int)]

        var all: Int { kinds.reduce(0) { $0 + $1.count } }
    }

    private static func count(of catalog: Catalog) -> Counts {
        let subscriptions = catalog.subscriptions
        let types: [OfferType] = [.introductoryOffer, .promotionalOffer, .offerCode, .winBackOffer]
        let offers = subscriptions.flatMap(\.offers)
        return Counts(
            products: subscriptions.count + catalog.otherProducts.count,
            kinds: types.map { type in (offerKind(type), offers.count { $0.offerType == type }) })
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
