import CampaignCore
import Server
import Storage

/// `holdfast codes status`: what is left of every batch and offer.
enum CodesStatusCommand {
    private static let check = Option.flag(
        "check", help: "compare the counts with the codes, claims and ledger; exit code 2 when they differ")

    static let command = Command(
        "status",
        summary: "Show what is free, claimed and expiring, by batch and offer",
        details: """
            For every batch, total = free + claimed + void + expired. '--check' proves that from the codes themselves, \
            the claims and the ledger, in one view of the database, while the service runs.

            'claimable' are the free codes that do not expire within the margin; 'days left' is how long they last at \
            the pace of the last seven days.
            """,
        options: [check, .app, .format(.text, .json, .csv), .at],
        examples: [
            Example("holdfast codes status", "every batch and offer"),
            Example("holdfast codes status --check", "also prove the counts"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let configuration = try arguments.configuration(requiringFiles: false)
        let app = arguments.text(.app) == nil ? nil : try arguments.app(of: configuration).bundleId
        _ = try arguments.openStore(of: configuration)
        let path = try configuration.databasePath
        let inventory: CodeInventory
        var faults: [String] = []
        do throws(StorageError) {
            let store = try Store(reading: path)
            inventory = try store.codeInventory(of: app, now: arguments.now) { pool in
                configuration.apps.first { $0.bundleId == pool.bundleId }?.offerCodes
                    .stockRule(of: pool.offer, in: pool.environment) ?? .none
            }
            if arguments.has(check) { faults = try store.codeFaults() }
        } catch {
            throw .failed(error)
        }
        switch arguments.format {
        case .json: output.write(.object(inventory.json))
        case .csv: writeCSV(inventory.batches, output)
        case .text: writeText(inventory.batches, inventory.stocks, inventory.customCodes, output)
        }
        for fault in faults { output.error(fault) }
        if arguments.has(check), faults.isEmpty, arguments.format == .text {
            output.write("the books of \(counted(inventory.batches.count, "batch", "batches")) are right\n")
        }
        return faults.isEmpty ? .done : .refused
    }

    private static func writeCSV(_ batches: [CodeBatchStatus], _ output: Output) {
        output.write(csv: [
            "batch", "bundleId", "environment", "productId", "offer", "total", "free", "claimed", "void", "expired",
            "expiresDate", "state",
        ])
        for one in batches {
            output.write(csv: [
                one.batch, one.bundleId.rawValue, one.environment.rawValue, one.productId.rawValue,
                one.offer.rawValue, "\(one.total)", "\(one.free)", "\(one.claimed)", "\(one.void)", "\(one.expired)",
                "\(one.expiresDate)", one.state,
            ])
        }
    }

    private static func writeText(
        _ batches: [CodeBatchStatus], _ stocks: [CodeStock], _ customCodes: [CustomCode], _ output: Output
    ) {
        guard !batches.isEmpty || !stocks.isEmpty || !customCodes.isEmpty else {
            return output.write("no codes are loaded; 'holdfast codes import' loads them\n")
        }
        let apps = Set(batches.map(\.bundleId) + stocks.map(\.pool.bundleId) + customCodes.map(\.bundleId))
        // One app needs no column of its own.
        func table(_ rows: [(app: String, cells: [String])]) -> String {
            columns(rows.map { apps.count > 1 ? [$0.app] + $0.cells : $0.cells }).map { $0 + "\n" }.joined()
        }
        if !batches.isEmpty { output.write(table(batchRows(batches)) + "\n") }
        if !stocks.isEmpty { output.write(table(stockRows(stocks))) }
        for one in stocks {
            for warning in warnings(one) {
                let app = apps.count > 1 ? " of \(one.pool.bundleId)" : ""
                output.write(
                    "\nwarning: offer '\(one.pool.offer)'\(app) in \(one.pool.environment.rawValue): \(warning)\n")
            }
        }
        if !customCodes.isEmpty { output.write("\n" + table(customRows(customCodes))) }
    }

    private static func batchRows(_ batches: [CodeBatchStatus]) -> [(app: String, cells: [String])] {
        let head = ["batch", "environment", "offer", "total", "free", "claimed", "void", "expired", "expires", "state"]
        return [("app", head)]
            + batches.map { one in
                (
                    one.bundleId.rawValue,
                    [
                        one.batch, one.environment.rawValue, one.offer.rawValue, "\(one.total)", "\(one.free)",
                        "\(one.claimed)", "\(one.void)", "\(one.expired)", "\(one.expiresDate)", one.state,
                    ]
                )
            }
    }

    private static func stockRows(_ stocks: [CodeStock]) -> [(app: String, cells: [String])] {
        let head = [
            "offer", "environment", "free", "claimable", "expiring in 7 days", "in 30 days", "claimed in 7 days",
            "days left", "redeemed", "probably ours",
        ]
        return [("app", head)]
            + stocks.map { one in
                (
                    one.pool.bundleId.rawValue,
                    [
                        one.pool.offer.rawValue, one.pool.environment.rawValue, "\(one.free)", "\(one.claimable)",
                        "\(one.expiringIn7Days)", "\(one.expiringIn30Days)", "\(one.claimedIn7Days)",
                        one.daysLeft.map { "\($0)" } ?? "-", "\(one.redemptions.all)", "\(one.redemptions.probable)",
                    ]
                )
            }
    }

    private static func customRows(_ codes: [CustomCode]) -> [(app: String, cells: [String])] {
        [("app", ["custom code", "environment", "offer", "redemption limit", "expires"])]
            + codes.map { one in
                (
                    one.bundleId.rawValue,
                    [
                        one.code.masked, one.environment.rawValue, one.offer.rawValue, "\(one.redemptionLimit)",
                        one.expiresDate.map { "\($0)" } ?? "-",
                    ]
                )
            }
    }

    private static func warnings(_ stock: CodeStock) -> [String] {
        var warnings: [String] = []
        if stock.drain.isUnusual {
            warnings.append(
                "\(stock.drain.claimedLately) codes were claimed in the last two hours, far above the week before; see "
                    + "who asks")
        }
        if stock.isLow, let threshold = stock.lowStockThreshold {
            warnings.append(
                "\(counted(Int(stock.claimable), "code")) can be given, fewer than \(threshold); load more with "
                    + "'holdfast codes import'")
        }
        return warnings
    }
}
