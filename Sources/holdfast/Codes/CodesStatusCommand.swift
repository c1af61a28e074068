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
        let batches: [CodeBatchStatus]
        let customCodes: [CustomCode]
        let pace: [CodePool: Int64]
        var faults: [String] = []
        do throws(StorageError) {
            let store = try Store(reading: path)
            let now = arguments.now
            batches = try store.codeBatches(now: now).filter { app == nil || $0.bundleId == app }
            customCodes = try store.customCodes().filter { app == nil || $0.bundleId == app }
            pace = try store.codesClaimed(since: now.adding(milliseconds: -CodeStock.paceMilliseconds))
            if arguments.has(check) { faults = try store.codeFaults() }
        } catch {
            throw .failed(error)
        }
        let stocks = CodeStock.stocks(of: batches, pace: pace)
        switch arguments.format {
        case .json:
            output.write([
                "batches": .array(batches.map(json)), "offers": .array(stocks.map(\.json)),
                "customCodes": .array(customCodes.map(json)),
            ])
        case .csv: writeCSV(batches, output)
        case .text: writeText(batches, stocks, customCodes, output)
        }
        for fault in faults { output.error(fault) }
        if arguments.has(check), faults.isEmpty, arguments.format == .text {
            output.write("the books of \(batches.count) batches are right\n")
        }
        return faults.isEmpty ? .done : .refused
    }

    private static func state(of batch: CodeBatchStatus) -> String {
        batch.isVoid ? "void" : batch.isExpired ? "expired" : batch.free == 0 ? "exhausted" : "ready"
    }

    private static func json(_ batch: CodeBatchStatus) -> JSON {
        [
            "batch": .string(batch.batch), "bundleId": .string(batch.bundleId.rawValue),
            "environment": .string(batch.environment.rawValue), "productId": .string(batch.productId.rawValue),
            "offer": .string(batch.offer.rawValue), "total": .integer(batch.total), "free": .integer(batch.free),
            "claimed": .integer(batch.claimed), "void": .integer(batch.void), "expired": .integer(batch.expired),
            "expiresDate": .instant(batch.expiresDate), "state": .string(state(of: batch)),
        ]
    }

    private static func json(_ code: CustomCode) -> JSON {
        [
            "code": .string(code.code.masked), "bundleId": .string(code.bundleId.rawValue),
            "environment": .string(code.environment.rawValue), "productId": .string(code.productId.rawValue),
            "offer": .string(code.offer.rawValue), "redemptionLimit": .integer(code.redemptionLimit),
            "expiresDate": .instant(code.expiresDate),
        ]
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
                "\(one.expiresDate)", state(of: one),
            ])
        }
    }

    private static func writeText(
        _ batches: [CodeBatchStatus], _ stocks: [CodeStock], _ customCodes: [CustomCode], _ output: Output
    ) {
        guard !batches.isEmpty || !customCodes.isEmpty else {
            return output.write("no codes are loaded; 'holdfast codes import' loads them\n")
        }
        var rows = [
            ["batch", "environment", "offer", "total", "free", "claimed", "void", "expired", "expires", "state"]
        ]
        for one in batches {
            rows.append([
                one.batch, one.environment.rawValue, one.offer.rawValue, "\(one.total)", "\(one.free)",
                "\(one.claimed)", "\(one.void)", "\(one.expired)", "\(one.expiresDate)", state(of: one),
            ])
        }
        output.write(columns(rows).map { $0 + "\n" }.joined())
        rows = [["offer", "environment", "free", "expiring in 7 days", "in 30 days", "claimed in 7 days", "days left"]]
        for one in stocks {
            rows.append([
                one.pool.offer.rawValue, one.pool.environment.rawValue, "\(one.free)", "\(one.expiringIn7Days)",
                "\(one.expiringIn30Days)", "\(one.claimedIn7Days)", one.daysLeft.map { "\($0)" } ?? "-",
            ])
        }
        output.write("\n" + columns(rows).map { $0 + "\n" }.joined())
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
