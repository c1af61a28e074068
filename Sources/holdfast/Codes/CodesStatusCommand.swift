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

            'days left' is how long the free codes of an offer last at the pace of the last seven days.
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
                    .lowStockThreshold(of: pool.offer, in: pool.environment)
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
            output.write("the books of \(inventory.batches.count) batches are right\n")
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
        var rows = [
            ["batch", "environment", "offer", "total", "free", "claimed", "void", "expired", "expires", "state"]
        ]
        for one in batches {
            rows.append([
                one.batch, one.environment.rawValue, one.offer.rawValue, "\(one.total)", "\(one.free)",
                "\(one.claimed)", "\(one.void)", "\(one.expired)", "\(one.expiresDate)", one.state,
            ])
        }
        if !batches.isEmpty { output.write(columns(rows).map { $0 + "\n" }.joined() + "\n") }
        rows = [
            [
                "offer", "environment", "free", "expiring in 7 days", "in 30 days", "claimed in 7 days", "days left",
                "redeemed", "probably ours",
            ]
        ]
        for one in stocks {
            rows.append([
                one.pool.offer.rawValue, one.pool.environment.rawValue, "\(one.free)", "\(one.expiringIn7Days)",
                "\(one.expiringIn30Days)", "\(one.claimedIn7Days)", one.daysLeft.map { "\($0)" } ?? "-",
                "\(one.redemptions.all)", "\(one.redemptions.probable)",
            ])
        }
        if !stocks.isEmpty { output.write(columns(rows).map { $0 + "\n" }.joined()) }
        for one in stocks where one.isLow || one.drain.isUnusual {
            let why =
                one.drain.isUnusual
                ? "\(one.drain.claimedLately) codes were claimed in the last two hours, far above the week before; see who asks"
                : "fewer than \(one.lowStockThreshold ?? 0) codes are free; load more with 'holdfast codes import'"
            output.write("\nwarning: offer '\(one.pool.offer)' in \(one.pool.environment.rawValue): \(why)\n")
        }
        guard !customCodes.isEmpty else { return }
        rows = [["custom code", "environment", "offer", "redemption limit", "expires"]]
        for one in customCodes {
            rows.append([
                one.code.masked, one.environment.rawValue, one.offer.rawValue, "\(one.redemptionLimit)",
                one.expiresDate.map { "\($0)" } ?? "-",
            ])
        }
        output.write("\n" + columns(rows).map { $0 + "\n" }.joined())
    }
}
